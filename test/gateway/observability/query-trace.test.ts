import type { FetchNode } from '@apollo/query-planner'
import { OperationTypeNode } from 'graphql'
import { createClient } from 'graphql-ws'
import { describe, expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import { type CreateGatewayOptions, createGateway } from '../../../gateway/library/create-gateway.ts'
import { serveGateway } from '../../../gateway/library/serve-gateway.ts'
import { createHttpContext } from '../../../gateway/middleware/http-context.ts'
import { createQueryTraces, type QueryTrace, queryTraceReadersOf } from '../../../gateway/observability/query-trace.ts'
import type { ExecutableOperation } from '../../../gateway/operations/prepared-operation.ts'
import { twoSupergraphs } from '../canary/canary-graph.ts'
import { recordingLog, requestContext, reviewSubgraph, shopSubgraph, supergraphSdl } from '../support/graph.ts'
import { serveSubgraph } from '../support/program.ts'
import { serveRemote } from '../support/remote.ts'
import { startTicker } from '../support/ticker.ts'

const ACROSS =
  'query Across($is: Boolean = true) { latestReview { text about { name } } product(id: "a") @include(if: $is) { name } }'
const TOKEN = 'a-token-of-tests-0123'

async function aGateway(options: Partial<CreateGatewayOptions>) {
  const [shop, review] = [await serveRemote(shopSubgraph()), await serveRemote(reviewSubgraph())]
  const gateway = await createGateway({
    supergraph: supergraphSdl({ shop: shop.url, review: review.url }),
    log: recordingLog().log,
    ...options,
  })
  const server = await serveGateway(gateway, { port: 0, graceSeconds: 0 })
  onTestFinished(async () => {
    await server.close()
    await gateway.close()
    for (const { server } of [shop, review]) server.close().closeAllConnections()
  })
  const post = async (query: string, headers: Record<string, string> = {}, url = server.url) => {
    const body = JSON.stringify({ query })
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
    return { response, ...((await response.json()) as Answer) }
  }
  return { gateway, shop, review, post, url: server.url }
}
type Answer = {
  readonly data: unknown
  readonly errors?: unknown
  readonly extensions?: { readonly trace?: QueryTrace; readonly cost?: unknown }
}

const NUMBER = expect.any(Number)
const request = (entities?: number) => ({
  startMilliseconds: NUMBER,
  milliseconds: NUMBER,
  status: 'ok',
  ...(entities !== undefined && { entities }),
})

test('a trace has the plan as it ran, with the time of each request', async () => {
  const { post } = await aGateway({ queryTraces: 'everyone' })
  const { data, extensions } = await post(ACROSS, { 'atrium-trace': '1', 'graphql-cost': 'report' })
  expect(data).toEqual({ latestReview: { text: 'Fine.', about: { name: 'Product b' } }, product: { name: 'Product a' } })
  expect(extensions?.cost).toMatchObject({ requested: 9, actual: 9 })
  expect(extensions?.trace).toEqual({
    version: 1,
    milliseconds: NUMBER,
    plan: {
      kind: 'Parallel',
      nodes: expect.arrayContaining([
        {
          kind: 'Sequence',
          nodes: [
            {
              kind: 'Fetch',
              subgraph: 'review',
              query: expect.stringContaining('latestReview'),
              isEntityFetch: false,
              requests: [request()],
            },
            {
              kind: 'Flatten',
              path: 'latestReview.about',
              node: {
                kind: 'Fetch',
                subgraph: 'shop',
                query: expect.stringContaining('_entities'),
                isEntityFetch: true,
                requests: [request(1)],
              },
            },
          ],
        },
      ]),
    },
  })
  const { plan } = extensions?.trace ?? {}
  const [first, second] = JSON.stringify(plan).match(/"startMilliseconds":[\d.]+/g) ?? []
  expect(first).not.toBe(second)
})

describe('answers in parts, and events', () => {
  const DEFERRED = 'query Parts { latestReview { text ... @defer { about { name } } } }'
  const PLAN = {
    kind: 'Defer',
    nodes: [
      expect.objectContaining({ kind: 'Fetch', subgraph: 'review', requests: [request()] }),
      {
        kind: 'Deferred',
        path: 'latestReview',
        nodes: [{ kind: 'Flatten', path: 'latestReview.about', node: expect.objectContaining({ requests: [request(1)] }) }],
      },
    ],
  }

  test('the trace of an answer in parts is in the last one', async () => {
    const { url } = await aGateway({ queryTraces: 'everyone' })
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'multipart/mixed;deferSpec=20220824, application/json',
        'atrium-trace': '1',
      },
      body: JSON.stringify({ query: DEFERRED }),
    })
    const parts = (await response.text()).match(/^\{.*\}$/gm)?.map((part) => JSON.parse(part)) ?? []
    expect(parts.slice(0, -1).every(({ extensions }) => extensions === undefined)).toBe(true)
    expect(parts.at(-1)).toMatchObject({ hasNext: false, extensions: { trace: { version: 1, plan: PLAN } } })
  })

  test.each([
    { readers: 'everyone', given: '1', origin: undefined, isTraced: true },
    { readers: { token: TOKEN }, given: TOKEN, origin: undefined, isTraced: true },
    { readers: { token: TOKEN }, given: '1', origin: undefined, isTraced: false },
    { readers: 'everyone', given: 'x'.repeat(90_000), origin: undefined, isTraced: false },
    { readers: 'everyone', given: '1', origin: 'http://other.example', isTraced: false },
  ] as const)(
    'over a WebSocket connection_init requests it ($readers, case %#)',
    async ({ readers, given, origin, isTraced }) => {
      const { url } = await aGateway({ queryTraces: readers })
      const client = connect(url, { 'atrium-trace': given }, origin)
      const results: Answer[] = []
      for await (const result of client.iterate({ query: ACROSS })) results.push(result as Answer)
      expect(results).toMatchObject([{ data: { latestReview: { text: 'Fine.' } } }])
      expect(results[0]?.extensions?.trace?.plan?.kind).toBe(isTraced ? 'Parallel' : undefined)
    },
  )

  test('each event of a subscription has its own, which other subscribers do not get', async () => {
    const ticker = await startTicker()
    const served = await Promise.all(ticker.subgraphs.map(serveSubgraph))
    const [ticking, labels] = served.map(({ url }) => url)
    const gateway = await createGateway({
      supergraph: ticker.sdlAt({ ticking: ticking ?? '', labels: labels ?? '' }),
      log: recordingLog().log,
      queryTraces: 'everyone',
    })
    const server = await serveGateway(gateway, { port: 0, graceSeconds: 0 })
    onTestFinished(async () => {
      await server.close()
      await gateway.close()
      for (const each of served) each.server.close().closeAllConnections()
    })
    const query = 'subscription { ticked { number thing { label } } }'
    const traced = connect(server.url, { 'atrium-trace': '1' }).iterate({ query })
    const other = connect(server.url, {}).iterate({ query })
    const firsts = Promise.all([traced.next(), other.next()])
    await expect.poll(() => gateway.gateway.subscriptions()).toBe(2)
    ticker.tick()
    ticker.tick()
    const data = { ticked: { number: 1, thing: { label: 'Label 1' } } }
    const [first, others] = await firsts
    expect(others.value).toEqual({ data })
    const plan = {
      kind: 'Sequence',
      nodes: [
        { kind: 'Event' },
        {
          kind: 'Sequence',
          nodes: [{ kind: 'Flatten', path: 'ticked.thing', node: { subgraph: 'labels', requests: [request(1)] } }],
        },
      ],
    }
    expect(first.value).toMatchObject({ data, extensions: { trace: { plan } } })
    expect((await traced.next()).value).toMatchObject({ extensions: { trace: { plan } } })
    expect((await other.next()).value).not.toHaveProperty('extensions')
  })
})

/** A WebSocket client, which leaves when the test ends. */
function connect(url: string, connectionParams: Record<string, unknown>, origin?: string) {
  class FromOrigin extends WebSocket {
    constructor(address: string, protocols: string) {
      super(address, protocols, origin === undefined ? {} : { origin })
    }
  }
  const client = createClient({ url: url.replace('http', 'ws'), webSocketImpl: FromOrigin, connectionParams, retryAttempts: 0 })
  onTestFinished(async () => void (await client.dispose()))
  return client
}

test('a request that fails is in the trace, without its reason', async () => {
  const { post, shop } = await aGateway({ queryTraces: 'everyone' })
  shop.always = ({ response }) => void response.writeHead(400).end('{"message":"password=hunter2"}')
  const { extensions } = await post('{ product(id: "a") { name } }', { 'atrium-trace': '1' })
  expect(extensions?.trace?.plan).toMatchObject({ kind: 'Fetch', subgraph: 'shop', requests: [{ status: 'failed' }] })
  expect(JSON.stringify(extensions)).not.toContain('hunter2')
})

describe('a trace is for callers who may read it', () => {
  test('by default it is for no caller', async () => {
    const { post, gateway } = await aGateway({})
    for (const header of ['1', 'true', TOKEN]) {
      expect(await post(ACROSS, { 'atrium-trace': header })).not.toHaveProperty('extensions')
    }
    expect(gateway.gateway.queryTraces).toBe(null)
  })

  test('those with the token', async () => {
    const { post } = await aGateway({ queryTraces: { token: TOKEN } })
    for (const headers of [{}, { 'atrium-trace': '1' }, { 'atrium-trace': `${TOKEN}4` }, { authorization: `Bearer ${TOKEN}` }]) {
      expect(await post(ACROSS, headers as Record<string, string>)).not.toHaveProperty('extensions')
    }
    expect((await post(ACROSS, { 'atrium-trace': TOKEN })).extensions?.trace?.plan).not.toBeNull()
  })

  test('not those who only send an operation, where everyone may', async () => {
    const { post } = await aGateway({ queryTraces: 'everyone' })
    expect(await post(ACROSS)).not.toHaveProperty('extensions')
    expect(await post(ACROSS, { 'atrium-trace': '0' })).not.toHaveProperty('extensions')
  })

  test('a short token is refused at the start', async () => {
    const given = { supergraph: supergraphSdl(), queryTraces: { token: 'short' } }
    await expect(createGateway(given)).rejects.toThrow('Expected "queryTraces.token" to be at least 16 characters')
    const wrong = { supergraph: supergraphSdl(), queryTraces: 'all' as never }
    await expect(createGateway(wrong)).rejects.toThrow('Expected "queryTraces" to be "off", "everyone" or an object with a token')
  })

  test.each([
    { config: {}, isDevelopment: false, readers: null },
    { config: {}, isDevelopment: true, readers: 'everyone' },
    { config: { QUERY_TRACES: 'off' }, isDevelopment: true, readers: null },
    { config: { QUERY_TRACES: 'everyone' }, isDevelopment: false, readers: 'everyone' },
    { config: { QUERY_TRACES: 'everyone', QUERY_TRACE_TOKEN: TOKEN }, isDevelopment: true, readers: { token: TOKEN } },
  ] as const)('by the settings $config (in development: $isDevelopment): $readers', ({ config, isDevelopment, readers }) => {
    expect(queryTraceReadersOf(config, isDevelopment)).toEqual(readers)
  })
})

test('it has neither addresses nor headers, variables and data', async () => {
  const { post, shop, review } = await aGateway({ queryTraces: 'everyone' })
  const { extensions } = await post(ACROSS, {
    'atrium-trace': '1',
    authorization: 'Bearer secret-of-ann',
    'x-api-key': 'k-secret',
  })
  const text = JSON.stringify(extensions)
  for (const hidden of [
    'secret',
    'Bearer',
    'Product b',
    'Fine.',
    new URL(shop.url).port,
    new URL(review.url).port,
    '127.0.0.1',
  ]) {
    expect(text).not.toContain(hidden)
  }
})

test('a traced operation is not answered from the response cache, and does not fill it', async () => {
  const { supergraphs, goods } = await twoSupergraphs()
  const gateway = await createGateway({
    supergraph: supergraphs.served,
    responseCacheBytes: 1_000_000,
    queryTraces: 'everyone',
    log: recordingLog().log,
  })
  onTestFinished(gateway.close)
  const get = async (headers: Record<string, string>) => {
    const url = `http://gateway.example/graphql?query=${encodeURIComponent('{ goods { id } }')}`
    const response = await gateway.fetch(new Request(url, { headers: { 'apollo-require-preflight': '1', ...headers } }))
    const { extensions } = (await response.json()) as Answer
    return [response.headers.get('cache-control'), extensions?.trace?.plan ?? null, goods.requests.length]
  }
  const plan = expect.objectContaining({ subgraph: 'goods', requests: [request()] })
  const traced = { 'atrium-trace': '1' }
  expect(await get(traced)).toEqual(['no-store', plan, 1])
  expect(await get({})).toEqual(['max-age=60, public', null, 2])
  expect(await get({})).toEqual(['max-age=60, public', null, 2])
  expect(await get(traced)).toEqual(['no-store', plan, 3])
})

test('a large plan is cut', async () => {
  const fetches: FetchNode[] = Array.from({ length: 1_000 }, () => ({
    kind: 'Fetch',
    serviceName: 'shop',
    operation: 'x'.repeat(10_000),
    operationName: undefined,
    operationKind: 'query' as never,
  }))
  const operation: ExecutableOperation = {
    kind: 'executable',
    operation: OperationTypeNode.QUERY,
    answer: null,
    runIncremental: null,
    subscribe: null,
    cost: () => 0,
    estimate: () => ({ kind: 'refused', errors: [] }),
    async run(_, { planTrace }) {
      planTrace?.begin({ kind: 'Parallel', nodes: fetches })
      for (const fetch of fetches) planTrace?.beginFetch(fetch)(undefined)
      return { data: {} }
    },
  }
  const http = createHttpContext('POST', { 'atrium-trace': '1' })
  const traced = await createQueryTraces('everyone')
    ?.wrap(operation)
    .run({}, { ...requestContext(), http })
  const { plan } = (traced?.extensions as Answer['extensions'])?.trace ?? {}
  expect(plan).toMatchObject({ nodes: expect.arrayContaining([{ kind: 'Truncated' }]) })
  expect(JSON.stringify(plan).match(/"Fetch"/g)).toHaveLength(199)
  const nodes = plan && 'nodes' in plan ? plan.nodes : []
  expect(nodes[0]).toMatchObject({ query: 'x'.repeat(2_000) })
})
