/**
 * The whole of Atrium in a process of its own, for `bench/trust.ts`: its collectors see nothing but
 * the internet that the parent runs on loopback. Told where that is by a first message, it answers
 * with its address and a key; asked for 'lag', with how late its event loop was since it was asked
 * last; asked to 'load', it downloads the lists and says when it has them.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import pg from 'pg'
import pino from 'pino'
import { startGateway } from '../../gateway/gateway.ts'
import { createMetrics } from '../../gateway/observability/metrics.ts'
import { createLocalLink } from '../../gateway/subgraph-client/local-subgraph.ts'
import { migrate } from '../../platform/database/migrate.ts'
import { databaseServer } from '../../platform/database/server.ts'
import { listen } from '../../platform/http/listen.ts'
import { createHttpServer } from '../../platform/http/server.ts'
import { serveTrustApi } from '../../rest-facade/trust/serve.ts'
import { directorySubgraph } from '../../subgraphs/directory/subgraph.ts'
import { socialSubgraph } from '../../subgraphs/social/subgraph.ts'
import { storeSubgraph } from '../../subgraphs/store/subgraph.ts'
import { newSecret } from '../../subgraphs/trust/key/secret.ts'
import { type CollectorOptions, createTrustParts } from '../../subgraphs/trust/parts.ts'
import { trustSubgraph } from '../../subgraphs/trust/subgraph.ts'
import { temporaryFiles } from '../../test/support/files.ts'

/** Where the parent's internet is. */
export type Internet = {
  readonly dnsPort: number
  readonly tlsPort: number
  readonly authority: string
  /** With IANA's list at /dns.json, URLhaus' at /urlhaus and Tranco's at /tranco. */
  readonly lists: string
}
export type Ready = { readonly url: string; readonly key: string }
/** Milliseconds that the event loop was late. */
export type Lag = {
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** Processor time of the longest turn of the event loop, and how many took longer than a task may. */
  readonly maxTurn: number
  readonly longTurns: number
}

const RESOLUTION = 5
const LONG_TURN_MS = 50
const [internet] = await new Promise<[Internet]>((resolve) => process.once('message', (given: Internet) => resolve([given])))

const log = pino({ level: 'fatal' })
const folder = mkdtempSync(join(tmpdir(), 'atrium-bench-'))
const database = await databaseServer({ databaseUrl: undefined, dataDir: folder, log })
const { connection } = database
await migrate(connection)
const collectors: CollectorOptions = {
  config: {
    TRUST_DNS_SERVERS: [{ address: '127.0.0.1', port: internet.dnsPort }],
    TRUST_LISTS: [
      { name: 'iana-rdap', url: `${internet.lists}/dns.json` },
      { name: 'urlhaus', url: `${internet.lists}/urlhaus` },
      { name: 'tranco', url: `${internet.lists}/tranco` },
    ],
    TRUST_OWN_FEEDS: undefined,
    TRUST_DNSBL_ZONES: undefined,
    TRUST_NETWORK_FILES: undefined,
    TRUST_CT_URL: undefined,
    TRUST_WHOIS: true,
    TRUST_REDIRECTS: 'off' as const,
  },
  network: { tlsPort: internet.tlsPort, authorities: [internet.authority], allow: ({ address }) => address.startsWith('127.') },
}
const publicUrl = 'http://127.0.0.1'
const directory = await directorySubgraph({ connection, publicUrl, log })
const social = await socialSubgraph({ connection, log })
const store = await storeSubgraph({ connection, publicUrl, files: await temporaryFiles(publicUrl), log })
const trust = await trustSubgraph({ connection, log, sources: collectors })
const beside = createTrustParts({ connection, log, sources: collectors })
const subgraphs = [directory, social, store, trust]
const gateway = await startGateway({
  supergraphSdl: readFileSync(join(import.meta.dirname, '../../schema/supergraph.graphql'), 'utf8'),
  links: subgraphs.map(createLocalLink),
  limits: { depth: 10, cost: 1_000 },
  log,
  metrics: createMetrics({ ofProcess: true }),
  responseCacheBytes: 20_000_000,
})
const app = createHttpServer({ log, checks: subgraphs.map(({ name, ready }) => ({ name, check: ready })) })
await serveTrustApi(app, gateway.client, { publicUrl })
const defers: (() => Promise<unknown>)[] = []
await listen(app, { host: '127.0.0.1', port: 0, graceSeconds: 1 }, (each) => void defers.push(each))
const secret = newSecret()
await beside.parts.keys.create({ name: 'bench', plan: 'unlimited', secret, at: new Date() })
await beside.refreshLists()

/** Makes all lists due, though they are fresh. */
async function due(): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query("UPDATE trust.list SET next_attempt_at = '-infinity'")
  await client.end()
}

const delay = monitorEventLoopDelay({ resolution: RESOLUTION })
delay.enable()
/** Of a timer that runs once in a turn: it adds at most its interval. Other processes do not count. */
const turns = { max: 0, long: 0 }
let before = process.threadCpuUsage()
setInterval(() => {
  const now = process.threadCpuUsage()
  const took = (now.user + now.system - before.user - before.system) / 1_000
  before = now
  turns.max = Math.max(turns.max, took)
  if (took > LONG_TURN_MS) turns.long += 1
}, 1)
const send = (message: Ready | Lag | 'loaded') => process.send?.(message)
process.on('message', async (request: 'lag' | 'load' | 'stop') => {
  switch (request) {
    case 'lag': {
      const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION)
      send({
        p50: late(delay.percentile(50)),
        p99: late(delay.percentile(99)),
        max: late(delay.max),
        maxTurn: turns.max,
        longTurns: turns.long,
      })
      delay.reset()
      Object.assign(turns, { max: 0, long: 0 })
      break
    }
    case 'load':
      await due()
      await beside.refreshLists()
      send('loaded')
      break
    case 'stop':
      for (const close of [
        ...defers.reverse(),
        gateway.close,
        beside.close,
        ...subgraphs.map((each) => each.close),
        database.stop,
      ])
        await close()
      rmSync(folder, { recursive: true, force: true })
      process.exit(0)
  }
})
const address = app.server.address()
send({ url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, key: secret.text })
