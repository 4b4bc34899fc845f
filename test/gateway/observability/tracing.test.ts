import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseTraceparent } from '../../../platform/http/trace-parent.ts'
import { reviewSubgraph, shopSubgraph, supergraphSdl } from '../support/graph.ts'
import { type GatewayProgram, type ServedSubgraph, serveSubgraph, startProgram } from '../support/program.ts'

/** A span as OTLP's JSON spells it. */
type Span = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
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
  return bodies.flatMap((body) =>
    JSON.parse(body).resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: Span[] }[] }) =>
      scopeSpans.flatMap(({ spans }) => spans),
    ),
  )
}
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
  ['', null],
])('traceparent %j', (text, span) => expect(parseTraceparent(text)).toEqual(span))
