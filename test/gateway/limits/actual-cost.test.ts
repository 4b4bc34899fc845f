import { describe, expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../../gateway/gateway.ts'
import { createGateway } from '../../../gateway/library/create-gateway.ts'
import type { Limits } from '../../../gateway/limits/limits.ts'
import { createMetrics } from '../../../gateway/observability/metrics.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { CALLER, recordingLog, reviewSubgraph, shopSubgraph, supergraphSdl } from '../support/graph.ts'
import { serveRemote } from '../support/remote.ts'

const DEAR = '{ wholes { id name } }'
const ESTIMATED = 10 * (2 + 1 + 1)
/** Three products are there. */
const ACTUAL = 3 * (2 + 1 + 1)

/** A gateway over two servers. */
async function aGateway(limits: { cost?: number; costMode?: 'enforce' | 'measure' }) {
  const servers = [await serveRemote(shopSubgraph()), await serveRemote(reviewSubgraph())] as const
  const { log, lines } = recordingLog()
  const supergraph = supergraphSdl({ shop: servers[0].url, review: servers[1].url })
  const gateway = await createGateway({ supergraph, log, limits })
  onTestFinished(async () => {
    await gateway.close()
    for (const { server } of servers) server.close().closeAllConnections()
  })
  const post = async (query: string) => {
    const response = await gateway.fetch(
      new Request('http://g/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'graphql-cost': 'report' },
        body: JSON.stringify({ query }),
      }),
    )
    return (await response.json()) as { data?: unknown; errors?: unknown; extensions?: { cost?: Record<string, unknown> } }
  }
  return { post, lines }
}

describe('the actual cost', () => {
  test.each([
    { why: 'lists as long as they are', query: DEAR, requested: ESTIMATED, actual: ACTUAL },
    { why: '@cost of a field, for each item', query: '{ dear(first: 5) { id } }', requested: 5 * (5 + 1), actual: 3 * (5 + 1) },
    { why: 'aliases one by one', query: '{ a: wholes { id } b: wholes { id } }', requested: 2 * 30, actual: 2 * 9 },
    {
      why: 'of fragments what is there',
      query: '{ things(limit: 2) { __typename ... on Note { text } ... on Product { id name } } }',
      requested: 2 * (2 + 2),
      actual: 2 + 1 + (2 + 2),
    },
    {
      why: 'objects of other subgraphs',
      query: '{ wholes { reviews { text } } }',
      requested: 10 * (2 + 10 * 3),
      actual: 3 * (2 + 2 * 3),
    },
    { why: 'nothing for null', query: '{ product(id: "none") { id name } }', requested: 4, actual: 0 },
    { why: 'nothing for introspection', query: '{ __type(name: "Product") { name } }', requested: 0, actual: 0 },
  ])('counts $why', async ({ query, requested, actual }) => {
    const { post } = await aGateway({})
    expect((await post(query)).extensions?.cost).toEqual({ requested, actual, limit: 1000, budget: null })
  })
})

describe('an operation that costs more than its limit', () => {
  test.each([
    { why: 'is refused', limits: { cost: 39 } },
    { why: 'is refused with "enforce"', limits: { cost: 39, costMode: 'enforce' as const } },
  ])('$why', async ({ limits }) => {
    const { post } = await aGateway(limits)
    expect(await post(DEAR)).toMatchObject({
      errors: [{ extensions: { code: 'COST_LIMIT_EXCEEDED', cost: ESTIMATED, limit: 39 } }],
    })
  })

  test('runs with "measure", is reported, and is in the log', async () => {
    const { post, lines } = await aGateway({ cost: 39, costMode: 'measure' })
    const { data, errors, extensions } = await post(`query Dear ${DEAR}`)
    expect([data, errors]).toMatchObject([{ wholes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] }, undefined])
    expect(extensions?.cost).toEqual({ requested: ESTIMATED, actual: ACTUAL, limit: 39, budget: null })
    const line = { operation: 'Dear', cost: ESTIMATED, limit: 39, msg: 'an operation costs more than its limit' }
    expect(lines.filter(({ msg }) => msg === line.msg)).toMatchObject([line])
    await post('{ product(id: "a") { name } }')
    expect(lines.filter(({ msg }) => msg === line.msg)).toHaveLength(1)
  })

  test.each([{ costMode: 'measure' as const }, { costMode: 'enforce' as const }])(
    'is counted in metrics, with the points that were estimated and returned ($costMode)',
    async ({ costMode }) => {
      const metrics = createMetrics()
      const limits: Limits = { depth: 10, cost: 39, costMode }
      const links = [shopSubgraph(), reviewSubgraph()].map(createLocalLink)
      const gateway = await startGateway({ supergraphSdl: supergraphSdl(), links, limits, metrics, log: recordingLog().log })
      const prepared = gateway.prepareText(DEAR, undefined)
      if (prepared.kind === 'rejected') throw new Error('Expected a valid operation.')
      await prepared.run({}, { caller: CALLER, signal: new AbortController().signal })
      const text = await metrics.text()
      expect(text).toContain(`atrium_operations_over_cost_limit_total{mode="${costMode}"} 1`)
      const points = [`atrium_operation_cost_points_total{kind="estimated"} ${ESTIMATED}`, `{kind="actual"} ${ACTUAL}`]
      for (const each of points) expect(text.includes(each), each).toBe(costMode === 'measure')
    },
  )
})
