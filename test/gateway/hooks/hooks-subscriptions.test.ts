import { GraphQLError } from 'graphql'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Hooks } from '../../../gateway/hooks/hooks.ts'
import { type CreateGatewayOptions, createGateway } from '../../../gateway/library/create-gateway.ts'
import { serveGateway } from '../../../gateway/library/serve-gateway.ts'
import { createHttpContext } from '../../../gateway/middleware/http-context.ts'
import { CALLER, recordingLog } from '../support/graph.ts'
import { followed } from '../support/subscription-reader.ts'
import { startTicker, type Ticker } from '../support/ticker.ts'

const TICKED = 'subscription { ticked { text thing { label } } }'
const forbidden = new GraphQLError('Not today.', { extensions: { code: 'CLOSED' } })

const localSubgraphs = (ticker: Ticker): NonNullable<CreateGatewayOptions['subgraphs']> =>
  Object.fromEntries(ticker.subgraphs.map(({ name, schema, context }) => [name, { schema, context }]))

/** A gateway with hooks; `isRemote`: the subgraph of the events is another process's, over HTTP. */
async function aTicker(hooks: Hooks, { isRemote = false, timeoutMilliseconds = 1_000 } = {}) {
  const ticker = await startTicker()
  const { log, lines } = recordingLog()
  const base = { supergraph: ticker.supergraphSdl, log }
  const seen: Record<string, unknown>[] = []
  const subgraphs = localSubgraphs(ticker)
  if (isRemote) {
    const upstream = await createGateway({
      ...base,
      subgraphs,
      hooks: { request: ({ headers }) => void seen.push({ ...headers }) },
    })
    const server = await serveGateway(upstream, { port: 0, graceSeconds: 0 })
    onTestFinished(async () => {
      await server.close()
      await upstream.close()
    })
    subgraphs.ticking = { url: server.url }
  }
  const gateway = await createGateway({ ...base, subgraphs, hooks: { ...hooks, timeoutMilliseconds } })
  onTestFinished(gateway.close)
  const subscribe = async (headers: Record<string, string> = {}, query = TICKED) => {
    const prepared = gateway.gateway.prepareText(query, undefined)
    if (prepared.kind === 'rejected' || !prepared.subscribe) throw new Error('Expected a subscription.')
    const { signal } = new AbortController()
    return prepared.subscribe({}, { caller: CALLER, signal, http: createHttpContext('POST', headers) })
  }
  const follow = async (headers: Record<string, string> = {}) => {
    const begun = await subscribe(headers)
    if (begun.kind === 'refused') throw new Error(JSON.stringify(begun.errors))
    const reader = followed(begun.source)
    onTestFinished(reader.return)
    return reader
  }
  return { ticker, subscribe, follow, lines, seen }
}

/** Puts the header of a client into the context, and that into what the client gets. */
const OF_TENANT: Hooks = {
  request: ({ headers, context }) => {
    context.tenant = headers['x-tenant']
  },
  subscriptionEvent: ({ context, data }) => ({
    result: { data: JSON.parse(JSON.stringify(data).replace('Label', String(context.tenant))) },
  }),
}

describe.each([false, true])('events of a subgraph (over HTTP: %s)', (isRemote) => {
  test('are what the hook makes of them for each subscriber, and never that of another', async () => {
    const { ticker, follow } = await aTicker(OF_TENANT, { isRemote })
    const readers = [await follow({ 'x-tenant': 'one' }), await follow({ 'x-tenant': 'two' })]
    for (const text of ['first', 'second']) {
      const number = ticker.tick(text)
      expect(await Promise.all(readers.map((reader) => reader.next()))).toEqual(
        ['one', 'two'].map((tenant) => ({ data: { ticked: { text, thing: { label: `${tenant} ${number}` } } } })),
      )
    }
  })

  test('go through the hooks of their subgraph, with the context of their subscriber', async () => {
    const { ticker, follow } = await aTicker(
      {
        ...(OF_TENANT.request && { request: OF_TENANT.request }),
        subgraphResponse: ({ subgraph, data, context }) => ({
          result: { data: JSON.parse(JSON.stringify(data).replace(/first|Label/, `${subgraph} of ${context.tenant}`)) },
        }),
      },
      { isRemote },
    )
    const readers = [await follow({ 'x-tenant': 'one' }), await follow({ 'x-tenant': 'two' })]
    const number = ticker.tick('first')
    expect(await Promise.all(readers.map((reader) => reader.next()))).toEqual(
      ['one', 'two'].map((tenant) => ({
        data: { ticked: { text: `ticking of ${tenant}`, thing: { label: `labels of ${tenant} ${number}` } } },
      })),
    )
  })

  test.each([
    {
      why: 'throws',
      hook: () => {
        throw new Error('password=hunter2')
      },
    },
    { why: 'hangs', hook: () => new Promise<never>(() => {}) },
    { why: 'returns nonsense', hook: () => ({ result: 7 }) as never },
  ])('are errors where the hook $why, and the next one arrives', async ({ hook }) => {
    let events = 0
    const subscriptionEvent = () => (++events === 1 ? hook() : null)
    const { ticker, follow, lines } = await aTicker({ subscriptionEvent }, { isRemote, timeoutMilliseconds: 20 })
    const reader = await follow()
    ticker.tick('first')
    const failed = await reader.next()
    expect(failed).toMatchObject({ data: null, errors: [{ extensions: { code: 'HOOK_FAILED', stage: 'subscriptionEvent' } }] })
    expect(JSON.stringify(failed)).not.toContain('hunter2')
    ticker.tick('second')
    expect(await reader.next()).toMatchObject({ data: { ticked: { text: 'second' } } })
    expect(lines.filter(({ msg }) => msg === 'a hook failed')).toHaveLength(1)
  })

  test('can be refused one by one, and the subscription as a whole', async () => {
    const { ticker, follow } = await aTicker({ subscriptionEvent: () => ({ refuse: forbidden }) }, { isRemote })
    const reader = await follow()
    ticker.tick('first')
    expect(await reader.next()).toMatchObject({ data: null, errors: [{ message: 'Not today.', extensions: { code: 'CLOSED' } }] })
    for (const stage of ['request', 'operation', 'plan', 'subgraphRequest'] as const) {
      const { subscribe } = await aTicker({ [stage]: () => ({ refuse: forbidden }) }, { isRemote })
      expect(await subscribe()).toMatchObject({ kind: 'refused', errors: [{ extensions: { code: 'CLOSED' } }] })
    }
  })
})

test('a subscription is opened with the headers of the hook, for each subscriber anew', async () => {
  const { follow, seen } = await aTicker(
    { request: OF_TENANT.request, subgraphRequest: ({ context }) => ({ headers: { 'x-of': String(context.tenant) } }) },
    { isRemote: true },
  )
  await follow({ 'x-tenant': 'one' })
  await follow({ 'x-tenant': 'two' })
  expect(seen.map((headers) => headers['x-of'])).toEqual(['one', 'two'])
})

test('without hooks of events and fetches, equal subscriptions share their source', async () => {
  const { ticker, follow } = await aTicker({ request: () => {} })
  await follow({ 'x-tenant': 'one' })
  await follow({ 'x-tenant': 'two' })
  expect(ticker.listening()).toBe(1)
})
