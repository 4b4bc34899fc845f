import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { exportLogs, MAX_EXPORTED_LINE_CHARACTERS, MAX_WAITING_LOG_LINES } from '../../../gateway/observability/otlp-logs.ts'
import { shopSubgraph, supergraphSdl } from '../support/graph.ts'
import { type ServedSubgraph, serveSubgraph, startProgram } from '../support/program.ts'
import { type SourceServer, startSourceServer, status } from '../support/source-server.ts'

type Attribute = { readonly key: string; readonly value: Readonly<Record<string, unknown>> }
type Point = {
  readonly attributes: readonly Attribute[]
  readonly asDouble?: number
  readonly count?: string
  readonly sum?: number
  readonly bucketCounts?: readonly string[]
  readonly explicitBounds?: readonly number[]
}
type Metric = { readonly name: string; readonly unit?: string } & Partial<
  Record<'sum' | 'gauge' | 'histogram', { readonly dataPoints: readonly Point[]; readonly aggregationTemporality?: number }>
>
type LogRecord = {
  readonly severityText: string
  readonly severityNumber: number
  readonly timeUnixNano: string
  readonly body: { readonly stringValue: string }
  readonly attributes: readonly Attribute[]
}

const SECRET = 'hunter2-hunter2'
const BASE = { OTEL_METRICS_EXPORTER: 'otlp', OTEL_LOGS_EXPORTER: 'otlp' }

let folder: string
let shop: ServedSubgraph
let collector: SourceServer
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'atrium-otlp-'))
  shop = await serveSubgraph(shopSubgraph())
  writeFileSync(join(folder, 'supergraph.graphql'), supergraphSdl({ shop: shop.url, review: shop.url }))
})
afterAll(() => {
  shop.server.close().closeAllConnections()
  rmSync(folder, { recursive: true })
})
beforeEach(async () => {
  collector = await startSourceServer(({ response }) => void response.setHeader('content-type', 'application/json').end('{}'))
})
afterEach(() => collector.close())

const start = async (env: Readonly<Record<string, string>>) => {
  const program = await startProgram({ SUPERGRAPH_FILE: join(folder, 'supergraph.graphql'), ...env })
  onTestFinished(program.stop)
  return program
}
const ask = (base: string, query: string) =>
  fetch(`${base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': 'r-1' },
    body: JSON.stringify({ query }),
  }).then((response) => response.json())
const bodiesOf = (path: string) => collector.requests.filter(({ url }) => url === path).map(({ body }) => JSON.parse(body))
const metricsOf = (body: { resourceMetrics: { scopeMetrics: { metrics: Metric[] }[] }[] } | undefined): readonly Metric[] =>
  body?.resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics)) ?? []
const recordsOf = (bodies: readonly { resourceLogs: { scopeLogs: { logRecords: LogRecord[] }[] }[] }[]): readonly LogRecord[] =>
  bodies.flatMap(({ resourceLogs }) => resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords)))
const plain = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

describe('a program with a collector', () => {
  test('exports the metrics that Prometheus reads, and its log, with the headers of the setting', async () => {
    const program = await start({
      ...BASE,
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${SECRET}%20x, x-team = a`.replace(' = ', '='),
      OTEL_SERVICE_NAME: 'mine',
      SLOW_OPERATION_MILLISECONDS: '1',
    })
    const release = shop.hold()
    setTimeout(release, 50)
    await ask(program.base, 'query Slow { product(id: "a") { name } }')
    await ask(program.base, 'query Slow { product(id: "a") { name } }')
    const scraped = await (await fetch(`${program.base}/metrics`)).text()
    await program.stop()

    expect(collector.requests.every(({ headers }) => headers['x-api-key'] === `${SECRET} x` && headers['x-team'] === 'a')).toBe(
      true,
    )
    const last = bodiesOf('/v1/metrics').at(-1)
    expect(plain(last.resourceMetrics[0].resource.attributes)).toEqual({
      'service.name': 'mine',
      'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    const metrics = metricsOf(last)
    const operations = metrics.find(({ name }) => name === 'atrium_operations_total')
    expect(operations?.sum).toMatchObject({ aggregationTemporality: 2, isMonotonic: true })
    expect(operations?.sum?.dataPoints.map(({ attributes, asDouble }) => [JSON.stringify(plain(attributes)), asDouble])).toEqual([
      ['{"operation":"Slow","kind":"query","outcome":"ok"}', 2],
    ])
    const durations = metrics.find(({ name }) => name === 'atrium_operation_duration_seconds')
    const [point] = durations?.histogram?.dataPoints ?? []
    expect([durations?.unit, point?.count, plain(point?.attributes ?? [])]).toEqual([
      's',
      '2',
      { operation: 'Slow', kind: 'query' },
    ])
    expect(point?.bucketCounts).toHaveLength((point?.explicitBounds?.length ?? 0) + 1)
    expect(point?.bucketCounts?.reduce((total, count) => total + Number(count), 0)).toBe(2)
    // Buckets of Prometheus count all below them.
    const below = (bound: number) =>
      Number(new RegExp(`duration_seconds_bucket\\{le="${bound}",operation="Slow".*\\} (\\d+)`).exec(scraped)?.[1])
    for (const [index, bound] of (point?.explicitBounds ?? []).entries()) {
      expect(point?.bucketCounts?.slice(0, index + 1).reduce((total, count) => total + Number(count), 0)).toBe(below(bound))
    }
    expect(metrics.find(({ name }) => name === 'process_resident_memory_bytes')).toMatchObject({
      unit: 'By',
      gauge: { dataPoints: [{ asDouble: expect.any(Number) }] },
    })
    const names = new Set([...scraped.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name))
    for (const { name } of metrics) expect(names).toContain(name)

    const slow = recordsOf(bodiesOf('/v1/logs')).filter(({ body }) => body.stringValue === 'an operation was slow')
    expect(slow.length).toBeGreaterThan(0)
    expect(slow[0]).toMatchObject({ severityText: 'WARN', severityNumber: 13, timeUnixNano: expect.stringMatching(/^\d{19}$/) })
    expect(plain(slow[0]?.attributes ?? [])).toMatchObject({
      'graphql.operation.name': 'Slow',
      'graphql.operation.type': 'query',
      'atrium.request_id': 'r-1',
    })
    // Lines stay on standard output.
    expect(program.said('an operation was slow').length).toBe(slow.length)
    expect(program.out()).not.toContain(SECRET)
  })

  test('serves while the collector fails, says so once, and again when it is back', async () => {
    collector.answer = status(503, SECRET)
    const program = await start({
      ...BASE,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRIC_EXPORT_INTERVAL: '1000',
      SLOW_OPERATION_MILLISECONDS: '0',
    })
    await expect.poll(() => bodiesOf('/v1/metrics').length, { timeout: 20_000 }).toBeGreaterThan(2)
    expect(await ask(program.base, '{ product(id: "a") { name } }')).toEqual({ data: { product: { name: 'Product a' } } })
    expect(program.said('metrics could not be exported')).toMatchObject([
      { reason: expect.stringMatching(/\/v1\/metrics, got 503\.$/) },
    ])
    collector.answer = ({ response }) => void response.end('{}')
    await expect.poll(() => program.said('metrics are exported again'), { timeout: 20_000 }).toHaveLength(1)
    await expect
      .poll(() => recordsOf(bodiesOf('/v1/logs')).map(({ body }) => body.stringValue), { timeout: 20_000 })
      .toContainEqual(expect.stringMatching(/^\d+ log lines before this one were not exported$/))
    expect(program.out()).not.toContain(SECRET)
  })

  test.each<{ env: Readonly<Record<string, string>>; says: RegExp }>([
    {
      env: { OTEL_METRICS_EXPORTER: 'otlp' },
      says: /^Expected OTEL_EXPORTER_OTLP_ENDPOINT to be set: OTEL_METRICS_EXPORTER needs it\.$/m,
    },
    {
      env: { OTEL_LOGS_EXPORTER: 'otlp' },
      says: /^Expected OTEL_EXPORTER_OTLP_ENDPOINT to be set: OTEL_LOGS_EXPORTER needs it\.$/m,
    },
    { env: { OTEL_LOGS_EXPORTER: 'console' }, says: /^Expected OTEL_LOGS_EXPORTER to be one of none, otlp, got "console"\.$/m },
    {
      env: { OTEL_METRICS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', METRICS: '0' },
      says: /^Expected METRICS to be 1: OTEL_METRICS_EXPORTER needs it\.$/m,
    },
    {
      env: { OTEL_EXPORTER_OTLP_HEADERS: SECRET },
      says: /^Expected OTEL_EXPORTER_OTLP_HEADERS to be headers such as name=value,name=value\.$/m,
    },
    {
      env: { OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${SECRET}%0A${SECRET}` },
      says: /^Expected OTEL_EXPORTER_OTLP_HEADERS to be headers whose decoded values are visible ASCII characters\.$/m,
    },
  ])('ends with a sentence for $env', async ({ env, says }) => {
    const program = await start(env)
    expect(await program.ended).toBe(1)
    expect(program.err()).toMatch(says)
    expect(program.err()).not.toContain(SECRET)
  })
})

test('log lines beyond the bound, or too long, are dropped, and the collector is told how many', async () => {
  const logs = exportLogs({ endpoint: collector.url, headers: {}, serviceName: 'a' })
  const line = (msg: string) => JSON.stringify({ level: 30, time: 1, msg })
  for (let count = 0; count < MAX_WAITING_LOG_LINES + 7; count++) logs.write(line(`line ${count}`))
  logs.write(line('x'.repeat(MAX_EXPORTED_LINE_CHARACTERS)))
  await logs.close()
  const records = recordsOf(bodiesOf('/v1/logs')).map(({ body }) => body.stringValue)
  expect(records).toHaveLength(MAX_WAITING_LOG_LINES + 1)
  expect(records[0]).toBe('8 log lines before this one were not exported')
})

test('what is no line of a log, and an error in one, are exported as OpenTelemetry has them', async () => {
  const logs = exportLogs({ endpoint: collector.url, headers: {}, serviceName: 'a' })
  logs.write('{')
  logs.write('7')
  logs.write(
    JSON.stringify({
      level: 50,
      time: 1_700_000_000_000,
      msg: 'It failed.',
      kind: 'job',
      err: { type: 'Error', message: 'm', stack: 's' },
      subgraphs: [1],
      none: null,
    }),
  )
  await logs.close()
  const records = recordsOf(bodiesOf('/v1/logs'))
  expect(records).toMatchObject([
    { severityText: 'ERROR', timeUnixNano: '1700000000000000000', body: { stringValue: 'It failed.' } },
  ])
  expect(plain(records[0]?.attributes ?? [])).toEqual({
    kind: 'job',
    'exception.type': 'Error',
    'exception.message': 'm',
    'exception.stacktrace': 's',
    subgraphs: '[1]',
  })
})
