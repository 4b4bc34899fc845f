import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { CircuitState } from '../subgraphs/runtime/circuit-breaker.ts'
import type { Defer } from '../subgraphs/runtime/program.ts'
import type { Subgraph } from '../subgraphs/runtime/subgraph.ts'
import type { Gateway } from './gateway.ts'
import { listen } from './listen.ts'
import type { Metrics } from './metrics.ts'
import { createHttpServer } from './server.ts'

/** What is running in a process, asked for when somebody looks. `gateway` is null where there is none: a subgraph by itself. */
type Open = {
  readonly sockets: () => number
  readonly listeners: () => number
  readonly gateway: Gateway | null
  /** Must not reject. Absent: there are none. */
  readonly jobs?: Subgraph['jobs']
}

const STATES = ['waiting', 'later', 'active', 'failed'] as const

/** Higher is worse. */
const CIRCUITS: Readonly<Record<CircuitState, number>> = { closed: 0, 'half-open': 1, open: 2 }

/** Serves `GET /metrics` with what is counted and what is `open`: on `app`, or on a port of its own where `port` names one. */
export async function serveMetrics(
  app: FastifyInstance,
  metrics: Metrics,
  open: Open,
  {
    host,
    port,
    log,
    defer,
  }: { readonly host: string; readonly port: number | undefined; readonly log: Logger; readonly defer: Defer },
): Promise<void> {
  metrics.gauge('atrium_outbox_listeners', 'Listeners to events of subgraphs in this process.', open.listeners)
  const { jobs = async () => [] } = open
  metrics.gaugePer('atrium_jobs', 'Jobs by queue and state, of all processes together.', ['queue', 'state'], async () =>
    (await jobs()).flatMap((each) => STATES.map((state) => [[each.queue, state], each[state]] as const)),
  )
  metrics.gaugePer('atrium_jobs_oldest_seconds', 'How long the job has waited that is due for longest.', ['queue'], async () =>
    (await jobs()).map(({ queue, oldestSeconds }) => [[queue], oldestSeconds] as const),
  )
  metrics.gauge('atrium_requests_running', 'Requests and operations of WebSockets that are being worked on.', app.load.running)
  metrics.gauge('atrium_requests_most', 'How many of them there may be at this moment.', app.load.most)
  if (open.gateway) gaugesOf(open.gateway, metrics, open.sockets)

  const own = port === undefined ? app : createHttpServer({ log })
  own.get('/metrics', async (_, reply) =>
    reply
      .header('cache-control', 'no-store')
      .type(metrics.contentType)
      .send(await metrics.text()),
  )
  // What is scraped every few seconds, nobody waits for at the end.
  if (port !== undefined) await listen(own, { host, port, graceSeconds: 0 }, defer)
}

function gaugesOf(gateway: Gateway, metrics: Metrics, sockets: () => number): void {
  metrics.gauge('atrium_websockets_open', 'WebSockets that are open.', sockets)
  metrics.gauge('atrium_subscriptions_running', 'Subscriptions that run.', gateway.subscriptions)
  const { memory } = gateway.slots
  const bytes = 'atrium_subscription_memory_bytes'
  metrics.gauge(bytes, 'Bytes that the subscriptions of the process are counted with.', () => memory().usedBytes)
  metrics.gauge(`${bytes}_limit`, 'Bytes that they may be counted with.', () => memory().limitBytes)
  metrics.gaugePer(
    'atrium_subgraph_circuit',
    'Circuits of subgraphs over HTTP: closed (0), half-open (1), open (2).',
    ['subgraph'],
    () => gateway.circuits().map(({ name, state }) => [[name], CIRCUITS[state]] as const),
  )
  metrics.gauge('atrium_response_cache_bytes', 'Bytes of answers that are kept.', () => gateway.cache.bytes())
  metrics.gauge('atrium_response_cache_entries', 'Answers that are kept.', () => gateway.cache.entries())
}
