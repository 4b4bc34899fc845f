import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'graphql-ws'
import pino from 'pino'
import { afterAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type Gateway, startGateway } from '../../../gateway/gateway.ts'
import { DEFAULT_LIMITS } from '../../../gateway/limits/limits.ts'
import { createMetrics, type Metrics } from '../../../gateway/observability/metrics.ts'
import { serveMetrics } from '../../../gateway/observability/metrics-endpoint.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { createRemoteLink } from '../../../gateway/subgraph-client/remote-subgraph.ts'
import { serveWebSockets } from '../../../gateway/transports/websocket.ts'
import { freePort, isLoopbackHost } from '../../../platform/http/listen.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import { unusedPort } from '../../support/program.ts'
import { ask, recordingLog, reviewSubgraph, shopSubgraph, supergraphSdl } from '../support/graph.ts'
import { startTicker } from '../support/ticker.ts'

const log = pino({ level: 'silent' })

async function countedGraph(): Promise<{ gateway: Gateway; metrics: Metrics }> {
  const metrics = createMetrics()
  const links = [shopSubgraph(), reviewSubgraph()].map(createLocalLink)
  const { log } = recordingLog()
  const gateway = await startGateway({
    supergraphSdl: supergraphSdl(),
    links,
    limits: DEFAULT_LIMITS,
    log,
    metrics,
  })
  return { gateway, metrics }
}

/** The series of a text that begin with `name`, without what is 0. */
const seriesIn = (text: string, name: string) =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .map((line) => [line.slice(name.length, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))] as const)
      .filter(([, value]) => value !== 0),
  )
const series = async (metrics: Metrics, name: string) => seriesIn(await metrics.text(), name)

describe('what is counted', () => {
  test('operations by name, kind and result, with their duration', async () => {
    const { gateway, metrics } = await countedGraph()
    await ask(gateway, 'query Mine { product(id: "a") { name } }')
    await ask(gateway, 'query Mine { product(id: "a") { name } }')
    await ask(gateway, 'query Half { caller broken }')
    await ask(gateway, 'query None { promised }')
    await ask(gateway, 'mutation Change { rename(id: "a", name: "b") { name } }')
    await ask(gateway, '{ caller }')
    expect(await series(metrics, 'atrium_operations_total')).toEqual({
      '{operation="Mine",kind="query",outcome="ok"}': 2,
      '{operation="Half",kind="query",outcome="partial"}': 1,
      '{operation="None",kind="query",outcome="failed"}': 1,
      '{operation="Change",kind="mutation",outcome="ok"}': 1,
      '{operation="other",kind="query",outcome="ok"}': 1,
    })
    expect(await series(metrics, 'atrium_operation_duration_seconds_count')).toMatchObject({
      '{operation="Mine",kind="query"}': 2,
      '{operation="Half",kind="query"}': 1,
    })
  })

  test('the name of a refused operation never becomes a label, whatever refused it', async () => {
    const { gateway, metrics } = await countedGraph()
    await ask(gateway, 'query Wrong { nope }')
    await ask(gateway, 'query Costly($first: Int) { dear(first: $first) { id } }', { first: 900 })
    await ask(gateway, 'query Broken {')
    expect(await series(metrics, 'atrium_operations_total')).toEqual({
      '{operation="other",kind="query",outcome="refused"}': 2,
      '{operation="other",kind="unknown",outcome="refused"}': 1,
    })
    expect(await metrics.text()).not.toMatch(/Wrong|Costly|Broken/)
  })

  test('a client that invents names gets a hundred of them, and the rest together', async () => {
    const { gateway, metrics } = await countedGraph()
    for (let index = 0; index < 150; index++) await ask(gateway, `query Name${index} { caller }`)
    const counted = await series(metrics, 'atrium_operations_total')
    expect(Object.keys(counted)).toHaveLength(101)
    expect(counted['{operation="other",kind="query",outcome="ok"}']).toBe(50)
  })

  test('texts that were known with their plan, and the executor of each operation', async () => {
    const { gateway, metrics } = await countedGraph()
    for (const text of ['{ caller }', '{ caller }', '{ __typename }', '{ latestReview { about { name } } }'])
      await ask(gateway, text)
    expect(await series(metrics, 'atrium_plan_cache_lookups_total')).toEqual({ '{outcome="hit"}': 1, '{outcome="miss"}': 3 })
    expect(await series(metrics, 'atrium_executions_total')).toEqual({
      '{executor="direct"}': 2,
      '{executor="introspection"}': 1,
      '{executor="compiled"}': 1,
    })
  })

  test('fetches by subgraph and result', async () => {
    const metrics = createMetrics()
    const gone = createRemoteLink({ name: 'review', url: `http://127.0.0.1:${await freePort('127.0.0.1')}/graphql` })
    const gateway = await startGateway({
      supergraphSdl: supergraphSdl(),
      links: [createLocalLink(shopSubgraph()), gone],
      limits: DEFAULT_LIMITS,
      log,
      metrics,
    })
    await ask(gateway, '{ caller }')
    await ask(gateway, '{ refused }')
    await ask(gateway, '{ latestReview { text } }')
    await gone.close()
    expect(await series(metrics, 'atrium_subgraph_fetches_total')).toEqual({
      '{subgraph="shop",outcome="ok"}': 1,
      '{subgraph="shop",outcome="errors"}': 1,
      '{subgraph="review",outcome="failed"}': 1,
    })
    expect(await series(metrics, 'atrium_subgraph_fetch_duration_seconds_count')).toEqual({
      '{subgraph="shop"}': 2,
      '{subgraph="review"}': 1,
    })
  })

  test('an operation that cannot be planned, and an unregistered hash, as rejected', async () => {
    const { subgraphs, supergraphSdl } = await startTicker()
    const metrics = createMetrics()
    const links = subgraphs.map((subgraph) => {
      const { subscribe: _, ...link } = createLocalLink(subgraph)
      return link
    })
    const gateway = await startGateway({ supergraphSdl, links, limits: DEFAULT_LIMITS, log, metrics })
    await ask(gateway, 'subscription Ticks { ticked { number } }')
    const request = { documentId: null, operationName: undefined, variables: {}, wantsCost: false }
    gateway.prepare({ ...request, text: '', hash: 'unknown' })
    gateway.prepare({ ...request, text: '{ now }', hash: null })
    expect(await series(metrics, 'atrium_operations_total')).toEqual({
      '{operation="other",kind="subscription",outcome="refused"}': 1,
      '{operation="other",kind="unknown",outcome="refused"}': 1,
    })
    expect(await series(metrics, 'atrium_plan_cache_lookups_total')).toEqual({ '{outcome="miss"}': 2 })
  })

  test('two gateways of one process share no metrics', async () => {
    const [one, other] = [await countedGraph(), await countedGraph()]
    await ask(one.gateway, '{ caller }')
    expect(await series(other.metrics, 'atrium_operations_total')).toEqual({})
  })
})

test.each([
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['localhost', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['128.0.0.1', false],
  ['127.0.0.1.example.org', false],
  ['localhost.example.org', false],
])('%s is an address of this machine only: %s', (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected)
})

describe('GET /metrics', () => {
  test('counts open sockets and running subscriptions, down to 0 when they are closed', async () => {
    const ticker = await startTicker()
    const app = createHttpServer({ log })
    const metrics = createMetrics({ ofProcess: true })
    const sockets = serveWebSockets(app, ticker.gateway)
    const open = { sockets: sockets.count, gateway: ticker.gateway, listeners: () => 3 }
    await serveMetrics(app, metrics, open, { host: '127.0.0.1', port: undefined, log, defer: () => {} })
    const base = await app.listen({ port: 0, host: '127.0.0.1' })
    const read = async () => {
      const answer = await fetch(`${base}/metrics`)
      expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
      expect(answer.headers.get('cache-control')).toBe('no-store')
      return answer.text()
    }

    const client = createClient({ url: `${base.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket, lazyCloseTimeout: 0 })
    const events = client.iterate({ query: 'subscription { ticked { number } }' })
    const first = events.next()
    while (ticker.listening() === 0) await new Promise(setImmediate)
    ticker.tick()
    await first
    const busy = await read()
    expect(busy).toMatch(/^atrium_websockets_open 1$/m)
    expect(busy).toMatch(/^atrium_subscriptions_running 1$/m)
    expect(busy).toMatch(/^atrium_outbox_listeners 3$/m)
    expect(busy).toMatch(/^process_resident_memory_bytes \d+$/m)

    // One that ends by itself counts no longer, though its client stays.
    const failing = client.iterate({ query: 'subscription { failing { number } }' })
    await failing.next()
    await expect(failing.next()).rejects.toHaveLength(1)
    expect(await read()).toMatch(/^atrium_subscriptions_running 1$/m)

    await events.return?.()
    while (sockets.count() > 0) await new Promise(setImmediate)
    expect(await read()).toMatch(/^atrium_subscriptions_running 0$/m)
    await app.close()
  })

  test('shows for each remote subgraph whether its circuit breaker is open', async () => {
    const app = createHttpServer({ log })
    const metrics = createMetrics()
    const review = createRemoteLink({ name: 'review', url: `http://127.0.0.1:${await freePort('127.0.0.1')}/graphql` })
    const links = [createLocalLink(shopSubgraph()), review]
    const gateway = await startGateway({ supergraphSdl: supergraphSdl(), links, limits: DEFAULT_LIMITS, log, metrics })
    const open = { sockets: () => 0, gateway, listeners: () => 0 }
    await serveMetrics(app, metrics, open, { host: '127.0.0.1', port: undefined, log, defer: () => {} })
    expect(await series(metrics, 'atrium_subgraph_circuit')).toEqual({})
    expect(await metrics.text()).toMatch(/^atrium_subgraph_circuit\{subgraph="review"\} 0$/m)
    for (let count = 0; count < 5; count++) await ask(gateway, '{ latestReview { text } }')
    expect(await series(metrics, 'atrium_subgraph_circuit')).toEqual({ '{subgraph="review"}': 2 })
    await Promise.all([review.close(), app.close()])
  })

  describe('in a program', () => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-metrics-'))
    const children: ChildProcess[] = []
    /** What each program has logged, the newest last. */
    const logs: string[] = []
    afterAll(() => {
      for (const child of children) child.kill('SIGKILL')
      rmSync(folder, { recursive: true })
    })

    /** The address of a gateway by itself. */
    async function start(env: Record<string, string>): Promise<string> {
      const file = join(folder, 'supergraph.graphql')
      writeFileSync(file, supergraphSdl({ shop: 'http://127.0.0.1:9/', review: 'http://127.0.0.1:9/' }))
      const child = spawn(process.execPath, ['gateway/main.ts'], {
        cwd: join(import.meta.dirname, '../../..'),
        env: { PATH: process.env.PATH, PORT: String(await unusedPort()), SUPERGRAPH_FILE: file, ...env },
      })
      children.push(child)
      const log = logs.push('') - 1
      child.stdout.on('data', (chunk) => {
        logs[log] += chunk
      })
      let said = ''
      for await (const chunk of child.stderr) {
        said += chunk
        if (said.includes('ready')) break
      }
      return /http:\S+(?=\/graphql)/.exec(said)?.[0] ?? said
    }

    test('on the same port by default', async () => {
      const answer = await fetch(`${await start({})}/metrics`)
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('nodejs_eventloop_lag_seconds')])
    })

    test('METRICS_PORT takes it off the public port', async () => {
      const port = await unusedPort()
      const base = await start({ METRICS_PORT: String(port) })
      expect((await fetch(`${base}/metrics`)).status).toBe(404)
      expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200)
    })

    const TOKEN = 'scrape-me-4711-often'
    const basic = (password: string) => ({ authorization: `Basic ${btoa(`prometheus:${password}`)}` })
    const read = async (base: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${base}/metrics`, { headers })
      return { status: answer.status, headers: answer.headers, text: await answer.text() }
    }

    test.each(['0.0.0.0', '::'])('where others reach HOST (%s), it is refused until a port or a token is set', async (HOST) => {
      const refused = await read(await start({ HOST }))
      expect([refused.status, refused.text]).toEqual([
        404,
        'Metrics are served here only with METRICS_TOKEN set, or on a port of their own with METRICS_PORT.\n',
      ])
      await expect.poll(() => logs.at(-1)).toContain('GET /metrics is refused, because HOST is not loopback')
      const port = await unusedPort()
      await start({ HOST, METRICS_PORT: String(port) })
      expect((await read(`http://localhost:${port}`)).status).toBe(200)
      expect(logs.at(-1)).not.toContain('GET /metrics is refused')
      expect((await read(await start({ HOST, METRICS_TOKEN: TOKEN }), basic(TOKEN))).status).toBe(200)
    })

    test('a token is required from every client, on loopback and on a separate port as well', async () => {
      const port = await unusedPort()
      await start({ METRICS_TOKEN: TOKEN, METRICS_PORT: String(port) })
      for (const base of [await start({ METRICS_TOKEN: TOKEN }), `http://127.0.0.1:${port}`]) {
        const without = await read(base)
        expect([without.status, without.headers.get('www-authenticate'), without.text]).toEqual([
          401,
          'Basic realm="Atrium metrics", charset="UTF-8"',
          'Expected the password in METRICS_TOKEN, with any user name.\n',
        ])
        expect((await read(base, { authorization: `Bearer ${TOKEN}` })).text).toContain('nodejs_eventloop_lag_seconds')
        expect((await read(base, basic(TOKEN))).status).toBe(200)
        for (const wrong of [`Bearer ${TOKEN}x`, 'Bearer', 'Basic', `Basic ${btoa(TOKEN)}`, TOKEN, `bearer x${TOKEN}`]) {
          expect((await read(base, { authorization: wrong })).status).toBe(401)
        }
      }
    })

    test('after ten wrong tokens of a minute not even the right one is compared', async () => {
      const base = await start({ METRICS_TOKEN: TOKEN })
      const statuses = []
      for (let count = 0; count < 11; count++) statuses.push((await read(base, basic(`wrong${count}`))).status)
      expect(statuses).toEqual([...Array(10).fill(401), 429])
      const right = await read(base, basic(TOKEN))
      expect([right.status, Number(right.headers.get('retry-after')) > 0]).toEqual([429, true])
    })

    test('METRICS=0 leaves nothing', async () => {
      expect((await fetch(`${await start({ METRICS: '0' })}/metrics`)).status).toBe(404)
    })
  })
})
