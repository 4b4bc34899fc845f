import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'graphql'
import { expect, test } from 'vitest'
import { type Gateway, startGateway } from '../../../gateway/gateway.ts'
import { DEFAULT_LIMITS } from '../../../gateway/limits/limits.ts'
import type { Link } from '../../../gateway/subgraph-client/link.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { recordingLog, reviewSubgraph, shopSubgraph, supergraphSdl } from '../support/graph.ts'

/** From here on an operation is slow below. */
const SLOW = 40

const dragging = (link: Link): Link => ({
  ...link,
  async execute(request, requestContext) {
    // A timer may end a little before its time.
    await sleep(SLOW + 5)
    return link.execute(request, requestContext)
  },
})

async function graphWith(slowMilliseconds: number) {
  const { log, lines } = recordingLog()
  const links = [dragging(createLocalLink(shopSubgraph())), createLocalLink(reviewSubgraph())]
  const gateway = await startGateway({ supergraphSdl: supergraphSdl(), links, limits: DEFAULT_LIMITS, log, slowMilliseconds })
  return { gateway, slow: () => lines.filter(({ msg }) => msg === 'an operation was slow'), text: () => JSON.stringify(lines) }
}

async function askAs(gateway: Gateway, requestId: string, query: string, variables: Record<string, unknown> = {}) {
  const prepared = gateway.prepareText(query, undefined)
  if (prepared.kind === 'rejected') throw new Error(JSON.stringify(prepared.errors))
  const credentials = { authorization: 'Bearer do-not-log' }
  return prepared.run(variables, {
    caller: { requestId, address: '192.0.2.77', credentials },
    signal: new AbortController().signal,
  })
}

const QUERY = 'query Shelf($id: ID!) { product(id: $id) { name reviews { text } } }'

test('a slow operation is logged with its name, cost and time per subgraph, without caller and variables', async () => {
  const { gateway, slow, text } = await graphWith(SLOW)
  await askAs(gateway, 'request-1', QUERY, { id: 'b' })
  const [line] = slow()
  expect(slow()).toHaveLength(1)
  expect(line).toMatchObject({ level: 40, operation: 'Shelf', kind: 'query', errors: 0, requestId: 'request-1' })
  expect(line?.milliseconds).toBeGreaterThanOrEqual(SLOW - 1)
  const prepared = gateway.prepareText(QUERY, undefined)
  expect(line?.cost).toBe(prepared.kind === 'executable' && prepared.cost({ id: 'b' }))
  expect(line?.subgraphs).toEqual([
    { name: 'shop', fetches: 1, milliseconds: expect.any(Number) },
    { name: 'review', fetches: 1, milliseconds: expect.any(Number) },
  ])
  for (const secret of ['do-not-log', '192.0.2.77', '"b"', 'reviews']) expect(text()).not.toContain(secret)
})

test('operations at once in one request have their own lines, and an operation of our own has one without a cost', async () => {
  const { gateway, slow } = await graphWith(SLOW)
  await Promise.all([askAs(gateway, 'request-2', '{ caller }'), askAs(gateway, 'request-2', '{ a: caller }')])
  expect(slow().map(({ operation, subgraphs }) => [operation, (subgraphs as { fetches: number }[])[0]?.fetches])).toEqual([
    [null, 1],
    [null, 1],
  ])
  const document = parse('query Own { caller }') as never
  await gateway.client.prepare(document)
  await gateway.client.run(document, {}, { requestId: 'request-3', address: '', credentials: {} }, new AbortController().signal)
  expect(slow()[2]).toMatchObject({ operation: 'Own', cost: null, requestId: 'request-3' })
})

test.each([0, 60_000])('with %i nothing is logged', async (slowMilliseconds) => {
  const { gateway, slow } = await graphWith(slowMilliseconds)
  await askAs(gateway, 'request-4', QUERY, { id: 'b' })
  expect(slow()).toEqual([])
})
