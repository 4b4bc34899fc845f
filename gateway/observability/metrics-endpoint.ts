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

/** Gauges of a process, read per scrape. `gateway` is null in a subgraph process. */
type GaugeSources = {
  readonly sockets: () => number
  readonly listeners: () => number
  readonly gateway: Gateway | null
  /** Must not reject. Absent: no jobs. */
  readonly jobs?: Subgraph['jobs']
  readonly feeds?: Subgraph['feeds']
}

const JOB_STATES = ['waiting', 'later', 'active', 'failed'] as const

/** Gauge value of each circuit state; higher is worse. */
const CIRCUIT_VALUES: Readonly<Record<CircuitState, number>> = { closed: 0, 'half-open': 1, open: 2 }

/** Listening address and access control of the metrics endpoint. */
type ScrapingConfig = {
  /** Listening host of `app`. */
  readonly host: string
  /** A separate port on the same host; undefined: the port of `app`. */
  readonly port: number | undefined
  /** Bearer token of scrapes; undefined: no authentication. */
  readonly token?: string | undefined
  /** Rate limit store for wrong tokens. */
  readonly rateLimits?: RateLimitStore
  readonly log: Logger
  readonly defer: Defer
}

/** Body of the 404 when metrics are not served; also logged at start. */
const NOT_SERVED = 'Metrics are served here only with METRICS_TOKEN set, or on a port of their own with METRICS_PORT.\n'

/** Settings of `serveMetrics` from the configuration. */
export const scrapingConfig = (config: {
  readonly HOST: string
  readonly METRICS_PORT: number | undefined
  readonly METRICS_TOKEN: string | undefined
}): Pick<ScrapingConfig, 'host' | 'port' | 'token'> => ({
  host: config.HOST,
  port: config.METRICS_PORT,
  token: config.METRICS_TOKEN,
})

/**
 * Serves `GET /metrics` on `app`, or on a separate `port`, with the token if there is one. On the
 * port of `app` without a token: 404, unless the host is loopback.
 */
export async function serveMetrics(
  app: FastifyInstance,
  metrics: Metrics,
  sources: GaugeSources,
  { host, port, token, rateLimits = localRateLimitStore(), log, defer }: ScrapingConfig,
): Promise<void> {
  metrics.gauge('atrium_outbox_listeners', 'Listeners to events of subgraphs in this process.', sources.listeners)
  const { jobs = async () => [] } = sources
  metrics.gaugePer(
    'atrium_jobs',
    'Jobs of all processes together: waiting (due), later, active or failed (they run again).',
    ['queue', 'state'],
    async () => (await jobs()).flatMap((each) => JOB_STATES.map((state) => [[each.queue, state], each[state]] as const)),
  )
  metrics.gaugePer('atrium_jobs_oldest_seconds', 'Age of the oldest due job.', ['queue'], async () =>
    (await jobs()).map(({ queue, oldestSeconds }) => [[queue], oldestSeconds] as const),
  )
  addFeedGauges(metrics, sources.feeds ?? (async () => []), log)
  metrics.gauge('atrium_requests_running', 'Requests and WebSocket operations that are running.', app.load.inFlight)
  metrics.gauge(
    'atrium_requests_most',
    'Their bound at this moment (LOAD_LIMIT, or less while the processor is short).',
    app.load.limit,
  )
  if (sources.gateway) addGatewayGauges(sources.gateway, metrics, sources.sockets)

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
  // No grace period, because the next scrape follows within seconds.
  if (port !== undefined) await listen(own, { host, port, graceSeconds: 0 }, defer)
}

function addFeedGauges(metrics: Metrics, read: NonNullable<Subgraph['feeds']>, log: Logger): void {
  // A scrape without them is better than none.
  const feeds = () =>
    read().catch(({ message }: Error) => {
      log.warn({ reason: message }, 'feeds could not be read for metrics')
      return []
    })
  metrics.gaugePer('atrium_feed_lag_seconds', 'Time since the last success of a feed; none yet: no value.', ['feed'], async () =>
    (await feeds()).flatMap(({ name, lagSeconds }) => (lagSeconds === null ? [] : [[[name], lagSeconds] as const])),
  )
  metrics.gaugePer('atrium_feed_failing', 'Whether the last attempt of a feed failed: 1 or 0.', ['feed'], async () =>
    (await feeds()).map(({ name, isFailing }) => [[name], Number(isFailing)] as const),
  )
}

function addGatewayGauges(gateway: Gateway, metrics: Metrics, sockets: () => number): void {
  metrics.gauge('atrium_websockets_open', 'Open WebSockets.', sockets)
  metrics.gauge('atrium_subscriptions_running', 'Running subscriptions.', gateway.subscriptions)
  const { memory } = gateway.slots
  metrics.gauge('atrium_subscription_memory_bytes', 'Memory counted for running subscriptions.', () => memory().usedBytes)
  metrics.gauge('atrium_subscription_memory_bytes_limit', 'Its bound (SUBSCRIPTION_MEMORY_PERCENT).', () => memory().limitBytes)
  metrics.gaugePer(
    'atrium_subgraph_circuit',
    'Circuits of subgraphs over HTTP: 0 closed, 1 half-open (one probe), 2 open (fetches fail at once).',
    ['subgraph'],
    () => gateway.circuits().map(({ name, state }) => [[name], CIRCUIT_VALUES[state]] as const),
  )
  metrics.gauge('atrium_response_cache_bytes', 'Bytes in the response cache.', () => gateway.cache.bytes())
  metrics.gauge('atrium_response_cache_entries', 'Entries in the response cache.', () => gateway.cache.entries())
}
