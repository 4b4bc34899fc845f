import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Subgraph } from '../../platform/graphql/subgraph.ts'
import { isLoopbackHost, listen } from '../../platform/http/listen.ts'
import { operatorTokenCheck } from '../../platform/http/operator-token.ts'
import { createHttpServer } from '../../platform/http/server.ts'
import type { CircuitState } from '../../platform/outbound/circuit-breaker.ts'
import type { Defer } from '../../platform/process/lifecycle.ts'
import { localRateLimitStore, type RateLimitStore } from '../../platform/rate-limit/rate-limit-store.ts'
import type { Gateway } from '../gateway.ts'
import type { Metrics } from './metrics.ts'

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

/** Where figures are served, and to whom. */
type Scraping = {
  /** What the server of `app` listens on. */
  readonly host: string
  /** A port for figures alone, on the same host; undefined: they are on that of `app`. */
  readonly port: number | undefined
  /** Expected of everybody; undefined: of nobody. */
  readonly token?: string | undefined
  /** Where wrong tokens are counted. */
  readonly rateLimits?: RateLimitStore
  readonly log: Logger
  readonly defer: Defer
}

/** What who asks is told where figures are not served; the log says it at the start. */
const NOT_SERVED = 'Figures are served here only with METRICS_TOKEN set, or on a port of their own with METRICS_PORT.\n'

/** The settings of an environment that `serveMetrics` needs. */
export const scrapingOf = (config: {
  readonly HOST: string
  readonly METRICS_PORT: number | undefined
  readonly METRICS_TOKEN: string | undefined
}): Pick<Scraping, 'host' | 'port' | 'token'> => ({ host: config.HOST, port: config.METRICS_PORT, token: config.METRICS_TOKEN })

/**
 * Serves `GET /metrics` with what is counted and what is `open`: on `app`, or on a port of its own where `port` names one. With a
 * token, to who has it. Without one, not on a port for everything else that other machines reach: 404.
 */
export async function serveMetrics(
  app: FastifyInstance,
  metrics: Metrics,
  open: Open,
  { host, port, token, rateLimits = localRateLimitStore(), log, defer }: Scraping,
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
  const isRefused = token === undefined && port === undefined && !isLoopbackHost(host)
  if (isRefused) {
    log.warn({ host }, 'GET /metrics is refused, because HOST is not loopback: set METRICS_TOKEN, METRICS_PORT or METRICS=0')
  }
  const check =
    token === undefined
      ? null
      : operatorTokenCheck({ token, variable: 'METRICS_TOKEN', name: 'metrics', takesBearer: true, rateLimits })
  own.get('/metrics', async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('cache-control', 'no-store')
    if (isRefused) return reply.code(404).type('text/plain; charset=utf-8').send(NOT_SERVED)
    const refusal = (await check?.(request)) ?? null
    if (refusal) return reply.code(refusal.status).headers(refusal.headers).type('text/plain; charset=utf-8').send(refusal.text)
    return reply.type(metrics.contentType).send(await metrics.text())
  })
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
