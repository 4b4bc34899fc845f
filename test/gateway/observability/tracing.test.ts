import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSchema, parse } from 'graphql'
import { type Client, createClient } from 'graphql-ws'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import WebSocket from 'ws'
import { readCostWeights } from '../../../gateway/limits/cost-weights.ts'
import { DEFAULT_LIMITS } from '../../../gateway/limits/limits.ts'
import { createTracing, MAX_EVENT_SPANS_PER_SECOND, MAX_TRACED_EVENTS } from '../../../gateway/observability/tracing.ts'
import { validateOperation } from '../../../gateway/operations/document-cache.ts'
import type { Link, RequestContext, SubgraphRequest } from '../../../gateway/subgraph-client/link.ts'
import { MAX_TRACED_OPERATIONS } from '../../../gateway/transports/websocket-operation.ts'
import { parseTraceparent } from '../../../platform/http/trace-parent.ts'
import { reviewSubgraph, shopSubgraph, supergraphSdl } from '../support/graph.ts'
import { type GatewayProgram, type ServedSubgraph, serveSubgraph, startProgram } from '../support/program.ts'
import { startTicker, type Ticker } from '../support/ticker.ts'

/** A span as OTLP's JSON spells it. */
type Span = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly endTimeUnixNano: string
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[]
  readonly status: { readonly code: number; readonly message?: string }
}

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`

let folder: string
let collector: Server
let endpoint: string
let bodies: string[]
let shop: ServedSubgraph
let review: ServedSubgraph
let program: GatewayProgram | null

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'atrium-tracing-'))
  bodies = []
  program = null
  collector = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (request.url === '/v1/traces') bodies.push(body)
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  shop = await serveSubgraph(shopSubgraph())
  review = await serveSubgraph(reviewSubgraph())
})
afterEach(async () => {
  await program?.stop()
  for (const server of [collector, shop.server, review.server]) server.close().closeAllConnections()
  rmSync(folder, { recursive: true })
})

async function start(env: Record<string, string>): Promise<GatewayProgram> {
  const file = join(folder, 'supergraph.graphql')
  writeFileSync(file, supergraphSdl({ shop: shop.url, review: review.url }))
  program = await startProgram({ SUPERGRAPH_FILE: file, ...env })
  return program
}
const ask = (base: string, query: string, headers: Record<string, string> = {}) =>
  fetch(`${base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': 'r-1', ...headers },
    body: JSON.stringify({ query }),
  }).then((answer) => answer.text())
/** Ends the program, which sends what it has. */
async function spansOf({ child, ended }: GatewayProgram): Promise<readonly Span[]> {
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
  return receivedSpans()
}
const receivedSpans = (): readonly Span[] =>
  bodies.flatMap((body) =>
    JSON.parse(body).resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: Span[] }[] }) =>
      scopeSpans.flatMap(({ spans }) => spans),
    ),
  )
const attributesOf = (span: Span | undefined) =>
  Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]))

describe('with a collector', () => {
  test('an operation and its fetches are spans of the trace of the client, and subgraphs get the trace context', async () => {
    const gateway = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/`, OTEL_SERVICE_NAME: 'mine' })
    await ask(gateway.base, 'query Across { latestReview { about { name } } }', { traceparent: PARENT })
    const spans = await spansOf(gateway)
    expect(bodies[0]).toContain('"mine"')

    const [operation] = spans.filter(({ name }) => name === 'query Across')
    const fetches = spans.filter(({ name }) => name.startsWith('fetch '))
    expect(operation).toMatchObject({ traceId: TRACE, parentSpanId: 'b7ad6b7169203331', kind: 2, status: { code: 0 } })
    expect(attributesOf(operation)).toEqual({
      'graphql.operation.type': 'query',
      'graphql.operation.name': 'Across',
      'atrium.request_id': 'r-1',
    })
    expect(fetches.map(({ name }) => name).sort()).toEqual(['fetch review', 'fetch shop'])
    for (const [served, name] of [
      [shop, 'fetch shop'],
      [review, 'fetch review'],
    ] as const) {
      const own = fetches.find((span) => span.name === name)
      expect(own).toMatchObject({ traceId: TRACE, parentSpanId: operation?.spanId, kind: 3 })
      expect(served.headers.map(({ traceparent }) => traceparent)).toEqual([`00-${TRACE}-${own?.spanId}-01`])
    }
  })

  test('a failed operation is marked, and says nothing of what was in it', async () => {
    const gateway = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
    await ask(gateway.base, '{ promised echo(representations: ["secret-word"]) }')
    const [span] = (await spansOf(gateway)).filter(({ name }) => name === 'query')
    expect(span?.status.code).toBe(2)
    expect(attributesOf(span)).toMatchObject({ 'atrium.errors': 1 })
    expect(bodies.join()).not.toMatch(/secret-word|Cannot return null|promised/)
  })

  test('a trace that the client does not sample is not sampled; a ratio of 0 samples none of ours', async () => {
    const gateway = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: '0' })
    await ask(gateway.base, 'query Ours { caller }')
    await ask(gateway.base, 'query Unwanted { caller }', { traceparent: PARENT.replace(/01$/, '00') })
    await ask(gateway.base, 'query Wanted { caller }', { traceparent: PARENT })
    const names = (await spansOf(gateway)).map(({ name }) => name)
    expect(names.filter((name) => name.startsWith('query'))).toEqual(['query Wanted'])
    expect(shop.headers.map(({ traceparent }) => String(traceparent).slice(-2))).toEqual(['00', '00', '01'])
  })

  test('one that is gone holds up neither an answer nor the end', async () => {
    collector.close()
    const gateway = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
    expect(await ask(gateway.base, '{ caller }')).toContain('"data"')
    gateway.child.kill('SIGTERM')
    expect(await gateway.ended).toBe(0)
  })
})

describe('an answer in parts', () => {
  const DEFERRED = 'query Parts { latestReview { text ... @defer { about { name } } } }'
  const accept = 'multipart/mixed;deferSpec=20220824, application/json'

  test('is one span until its last part, with the fetches of all parts', async () => {
    const gateway = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
    expect(await ask(gateway.base, DEFERRED, { traceparent: PARENT, accept })).toContain('"hasNext":false')
    const spans = await spansOf(gateway)
    const [operation] = spans.filter(({ name }) => name === 'query Parts')
    const [late] = spans.filter(({ name }) => name === 'fetch shop')
    expect(attributesOf(operation)).toMatchObject({ 'atrium.deferred_parts': 1 })
    expect(late).toMatchObject({ traceId: TRACE, parentSpanId: operation?.spanId })
    expect(BigInt(operation?.endTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(late?.endTimeUnixNano ?? 0))
  })

  test('its span ends when the client leaves before a part, and when a part fails', async () => {
    const gateway = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
    const release = shop.hold()
    const leaving = new AbortController()
    const left = fetch(`${gateway.base}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify({ query: DEFERRED }),
      signal: leaving.signal,
    })
    await (await left).body?.getReader().read()
    await expect.poll(() => shop.headers).toHaveLength(1)
    leaving.abort()
    release()
    shop.server.close().closeAllConnections()
    expect(await ask(gateway.base, DEFERRED, { accept })).toContain('SUBGRAPH_UNAVAILABLE')
    const spans = (await spansOf(gateway)).filter(({ name }) => name === 'query Parts')
    expect(spans).toHaveLength(2)
    expect(attributesOf(spans.at(-1))).toMatchObject({ 'atrium.errors': 1 })
  })
})

/** A valid operation of a small schema. */
function validated(text: string) {
  const validation = validateOperation(text, undefined, {
    schema: buildSchema('type Query { now: Int } type Subscription { ticked: Int }'),
    weights: readCostWeights(parse('scalar None'), undefined),
    limits: DEFAULT_LIMITS,
    introspection: false,
  })
  if (validation.kind !== 'valid') throw new Error(`Expected a valid operation, got ${text}`)
  return validation.validated
}

test('fetches of events count for the same bound, and those of operations do not', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const tracing = createTracing({ endpoint, serviceName: 'atrium', ratio: 1 })
    const sent: (string | undefined)[] = []
    const shop: Link = {
      name: 'shop',
      execute: async ({ traceparent }) => {
        sent.push(traceparent)
        return { data: {} }
      },
    }
    const { execute } = tracing.traceLink(shop)
    const context = { caller: { requestId: 'r-1', credentials: {} } } as RequestContext
    const fetches = (times: number) => async (of: RequestContext) => {
      await Promise.all(Array.from({ length: times }, () => execute({ document: parse('{ now }') } as SubgraphRequest, of)))
      return { data: {} }
    }
    const traced = tracing.traceEvents(validated('subscription Ticks { ticked }'))(PARENT)
    await traced(context, fetches(MAX_EVENT_SPANS_PER_SECOND + 20))
    await tracing.traceOperation(
      validated('query After { now }'),
      (_, of) => fetches(30)(of),
      (result) => result,
    )({}, context)
    vi.advanceTimersByTime(1_000)
    await traced(context, fetches(5))
    await tracing.close()
    const spans = receivedSpans()
    const [first, second] = spans.filter(({ name }) => name === 'subscription Ticks event')
    const [operation] = spans.filter(({ name }) => name === 'query After')
    const below = (parent: typeof first) => spans.filter(({ parentSpanId }) => parentSpanId === parent?.spanId).length
    expect([first, second, operation].map(below)).toEqual([MAX_EVENT_SPANS_PER_SECOND - 1, 5, 30])
    expect(attributesOf(first)).toMatchObject({ 'atrium.untraced_fetches': 21 })
    expect(attributesOf(second)).not.toHaveProperty('atrium.untraced_fetches')
    expect(sent.filter((traceparent) => traceparent?.endsWith('-00'))).toHaveLength(21)
  } finally {
    vi.useRealTimers()
  }
})

test('events of many sources have spans up to a bound in each second, and leave those of operations room in the queue', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const tracing = createTracing({ endpoint, serviceName: 'atrium', ratio: 1 })
    const context = { caller: { requestId: 'r-1', credentials: {} } } as RequestContext
    const events = tracing.traceEvents(validated('subscription Ticks { ticked }'))
    const sources = Array.from({ length: 30 }, () => events(PARENT))
    const tickAll = async (times: number) => {
      const running = Array.from({ length: times }, () => sources.map((traced) => traced(context, async () => ({ data: {} }))))
      await Promise.all(running.flat())
    }
    // Those of clients without sampling take nothing of the bound.
    const unsampled = events(PARENT.replace(/01$/, '00'))
    for (let at = 0; at < MAX_TRACED_EVENTS; at++) await unsampled(context, async () => ({ data: {} }))
    await tickAll(MAX_TRACED_EVENTS)
    const operation = tracing.traceOperation(
      validated('query After { now }'),
      async () => ({ data: {} }),
      (result) => result,
    )
    await operation({}, context)
    vi.advanceTimersByTime(1_000)
    // The next event of each source counts those that had no span.
    await tickAll(1)
    await tracing.close()
    const spans = receivedSpans()
    expect(spans.filter(({ name }) => name === 'query After')).toHaveLength(1)
    const traced = spans.filter(({ name }) => name === 'subscription Ticks event')
    expect(traced).toHaveLength(MAX_EVENT_SPANS_PER_SECOND + sources.length)
    const untraced = traced.map((span) => Number(attributesOf(span)['atrium.untraced_events'] ?? 0))
    expect(untraced.reduce((sum, each) => sum + each, 0)).toBe(sources.length * MAX_TRACED_EVENTS - MAX_EVENT_SPANS_PER_SECOND)
  } finally {
    vi.useRealTimers()
  }
})

describe('over a WebSocket', () => {
  const TICKS = 'subscription Ticks { ticked { number thing { label } } }'
  let ticker: Ticker
  let ticking: ServedSubgraph
  let labels: ServedSubgraph
  let client: Client | null = null

  beforeEach(async () => {
    ticker = await startTicker()
    const [one, other] = ticker.subgraphs
    if (!one || !other) throw new Error('Expected two subgraphs.')
    ticking = await serveSubgraph(one)
    labels = await serveSubgraph(other)
  })
  afterEach(async () => {
    await client?.dispose()
    for (const { server } of [ticking, labels]) server.close().closeAllConnections()
  })

  async function startTicking(env: Record<string, string> = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }): Promise<GatewayProgram> {
    const file = join(folder, 'ticking.graphql')
    writeFileSync(file, ticker.sdlAt({ ticking: ticking.url, labels: labels.url }))
    program = await startProgram({ SUPERGRAPH_FILE: file, ...env })
    return program
  }
  const connect = ({ base }: GatewayProgram, traceparent?: unknown): Client => {
    client = createClient({
      url: `${base.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { traceparent },
      retryAttempts: 0,
      // Otherwise each operation has a connection of its own.
      lazyCloseTimeout: 60_000,
    })
    return client
  }
  async function once(from: Client, query: string): Promise<unknown> {
    for await (const result of from.iterate({ query })) return result
    return null
  }
  /** Subscribes, and reads `count` events that happen at once. */
  async function readEvents(from: Client, count: number): Promise<void> {
    const events = from.iterate({ query: TICKS })
    const first = events.next()
    await expect.poll(() => ticker.listening()).toBe(1)
    for (let event = 0; event < count; event++) ticker.tick()
    expect(await first).toMatchObject({ value: { data: { ticked: { number: 1, thing: { label: 'Label 1' } } } } })
    for (let event = 1; event < count; event++) expect((await events.next()).value).not.toHaveProperty('errors')
    await events.return?.()
  }

  test('operations belong to the trace of connection_init, and events are traces with a link to it', async () => {
    const gateway = await startTicking()
    const own = connect(gateway, PARENT)
    expect(await once(own, 'query Now { now }')).toEqual({ data: { now: 0 } })
    await readEvents(own, 2)
    const spans = await spansOf(gateway)
    const named = (name: string) => spans.filter((span) => span.name === name)
    const inTrace = { traceId: TRACE, parentSpanId: 'b7ad6b7169203331', kind: 2 }
    const [subscription] = named('subscription Ticks')
    expect(named('query Now')).toMatchObject([inTrace])
    expect(subscription).toMatchObject(inTrace)
    expect(attributesOf(subscription)).toMatchObject({
      'graphql.operation.type': 'subscription',
      'graphql.operation.name': 'Ticks',
    })
    expect(named('subscribe ticking')).toMatchObject([{ traceId: TRACE, parentSpanId: subscription?.spanId, kind: 3 }])
    const events = named('subscription Ticks event')
    expect(events).toHaveLength(2)
    expect(new Set([TRACE, ...events.map(({ traceId }) => traceId)]).size).toBe(3)
    for (const event of events) expect(event.links).toMatchObject([{ traceId: TRACE, spanId: subscription?.spanId }])
    const fetches = named('fetch labels')
    expect(fetches.map(({ parentSpanId }) => parentSpanId)).toEqual(events.map(({ spanId }) => spanId))
    expect(labels.headers.map(({ traceparent }) => traceparent)).toEqual(
      fetches.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`),
    )
  })

  test('a trace that the client does not sample has no events either; one that it samples has, at a ratio of 0', async () => {
    const gateway = await startTicking({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: '0' })
    const unwanted = connect(gateway, PARENT.replace(/01$/, '00'))
    await readEvents(unwanted, 2)
    await unwanted.dispose()
    await expect.poll(() => ticker.listening()).toBe(0)
    const before = labels.headers.length
    const wanted = connect(gateway, PARENT)
    const events = wanted.iterate({ query: TICKS })
    const first = events.next()
    await expect.poll(() => ticker.listening()).toBe(1)
    ticker.tick()
    await first
    const names = (await spansOf(gateway)).map(({ name }) => name)
    expect(names.sort()).toEqual(['fetch labels', 'subscribe ticking', 'subscription Ticks', 'subscription Ticks event'])
    expect(labels.headers.map(({ traceparent }) => String(traceparent).slice(-2))).toEqual([
      ...Array.from({ length: before }, () => '00'),
      '01',
    ])
  })

  test('a busy source has spans for some of its events, and leaves those of other operations alone', async () => {
    const gateway = await startTicking()
    const own = connect(gateway)
    await readEvents(own, 3 * MAX_TRACED_EVENTS)
    await once(own, 'query After { now }')
    const spans = await spansOf(gateway)
    const count = (name: string) => spans.filter((span) => span.name === name).length
    // Two windows of a minute at most.
    expect(count('subscription Ticks event')).toBeGreaterThanOrEqual(MAX_TRACED_EVENTS)
    expect(count('subscription Ticks event')).toBeLessThanOrEqual(2 * MAX_TRACED_EVENTS)
    expect(count('fetch labels')).toBe(count('subscription Ticks event'))
    expect(count('query After')).toBe(1)
    expect(labels.headers).toHaveLength(3 * MAX_TRACED_EVENTS)
  })

  test('the first operations of a connection belong to its trace, and later ones begin their own', async () => {
    const gateway = await startTicking({})
    const own = connect(gateway, PARENT)
    for (let operation = 0; operation <= MAX_TRACED_OPERATIONS; operation++) await once(own, '{ now }')
    const sent = ticking.headers.map(({ traceparent }) => traceparent)
    expect(sent).toHaveLength(MAX_TRACED_OPERATIONS + 1)
    expect(new Set(sent.slice(0, -1))).toEqual(new Set([PARENT]))
    expect(sent.at(-1)).toBeUndefined()
  })

  test('without a collector the opening of a subscription is part of the trace, and its events are not', async () => {
    const gateway = await startTicking({})
    const own = connect(gateway, PARENT)
    const events = own.iterate({ query: 'subscription { ticked { mine thing { label } } }' })
    const first = events.next()
    await expect.poll(() => ticker.listening()).toBe(1)
    ticker.tick()
    expect(await first).toMatchObject({ value: { data: { ticked: { thing: { label: 'Label 1' } } } } })
    expect(ticking.headers.map(({ traceparent }) => traceparent)).toEqual([PARENT])
    expect(labels.headers.map(({ traceparent }) => traceparent)).toEqual([undefined])
    await events.return?.()
  })

  test('an invalid traceparent is ignored, however large', async () => {
    const gateway = await startTicking({})
    for (const given of ['x'.repeat(90_000), `cc${PARENT.slice(2)}-\r\nx-evil: 1`, '', 5, { text: PARENT }, [PARENT]]) {
      expect(await once(connect(gateway, given), '{ now }')).toEqual({ data: { now: 0 } })
      await client?.dispose()
    }
    expect(ticking.headers.map(({ traceparent }) => traceparent)).toEqual(Array.from({ length: 6 }, () => undefined))
  })
})

test('without a collector a valid trace context of the client is forwarded unchanged, and an invalid one is dropped', async () => {
  const { base } = await start({})
  await ask(base, '{ caller }', { traceparent: PARENT })
  await ask(base, '{ caller }', { traceparent: 'x' })
  await ask(base, '{ caller }')
  expect(shop.headers.map(({ traceparent }) => traceparent)).toEqual([PARENT, undefined, undefined])
})

test.each([
  [PARENT, { traceId: TRACE, spanId: 'b7ad6b7169203331', traceFlags: 1 }],
  [PARENT.replace(/01$/, '02'), { traceId: TRACE, spanId: 'b7ad6b7169203331', traceFlags: 0 }],
  [`${PARENT.replace(/^00/, 'cc')}-more`, { traceId: TRACE, spanId: 'b7ad6b7169203331', traceFlags: 1 }],
  [`${PARENT}-more`, null],
  [PARENT.replace(/^00/, 'ff'), null],
  [PARENT.replace(TRACE, '0'.repeat(32)), null],
  [PARENT.replace('b7ad6b7169203331', '0'.repeat(16)), null],
  [PARENT.toUpperCase(), null],
  [`cc${PARENT.slice(2)}-${'x'.repeat(500)}`, null],
  [`cc${PARENT.slice(2)}-\r\nx-evil: 1`, null],
  ['', null],
])('traceparent %j', (text, span) => expect(parseTraceparent(text)).toEqual(span))
