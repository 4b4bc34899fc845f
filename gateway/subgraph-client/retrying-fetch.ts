import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type CircuitState, circuitBreaker } from '../../platform/outbound/circuit-breaker.ts'
import { ConnectionPool } from '../../platform/outbound/undici.ts'
import { UploadError } from '../uploads/upload-error.ts'
import { SubgraphError } from './error-masking.ts'
import { createLimitedDispatcher } from './limited-dispatcher.ts'
import { MAX_RESPONSE_BYTES } from './response-body.ts'
import { isResponseTimeout, retryDelayMs } from './retries.ts'
import { createRetryBudget, type RetryBudgetOptions } from './retry-budget.ts'
import type { OpenPool, SharedConnections } from './shared-connections.ts'
import {
  type CreateMessage,
  type FetchFailure,
  fetchOnce,
  type ParsedResponse,
  type ReadResponse,
  type SendInstead,
} from './subgraph-response.ts'
import type { Connector } from './tls-connector.ts'

/**
 * Timeout of a fetch with retries: half an operation's, so that a plan of two fetches can report
 * which one was slow.
 */
export const FETCH_TIMEOUT_MS = 5_000
/**
 * Timeout of connecting. A lost first packet is retransmitted after 1 s (RFC 6298 §2), which leaves
 * time for one more loss.
 */
const CONNECT_TIMEOUT_MS = 2_000

const MAX_CONNECTIONS = 64

/** Connection limits for one subgraph; absent ones have defaults. */
export type ConnectionOptions = {
  /** Timeouts in ms: to connect, until response headers arrive, and between parts of the body. */
  readonly connectTimeoutMs?: number | undefined
  readonly headersTimeoutMs?: number | undefined
  readonly bodyTimeoutMs?: number | undefined
  /** Maximum concurrent connections. Default: 64. */
  readonly maxConnections?: number | undefined
  /** HTTP/1.1 pipelining: requests per connection before their responses. Default: 1. */
  readonly pipelining?: number | undefined
  /** Idle time after which a connection closes, in ms. */
  readonly keepAliveMs?: number | undefined
  /** Whether to use HTTP/2 when the subgraph offers it over TLS (ALPN). */
  readonly allowH2?: boolean | undefined
  /** Connects with custom TLS options. */
  readonly connector?: Connector | undefined
  readonly retryBudget?: RetryBudgetOptions | undefined
  /** Shares connections with other links of this subgraph. Default: its own. */
  readonly shared?: SharedConnections | undefined
}

/** One request to the URL of a subgraph. */
export type RetryingRequest<Result> = ReadResponse<Result> & {
  /** A stream is sent once. */
  readonly message: CreateMessage
  /** Absent: HTTP only. */
  readonly exchange?: SendInstead | undefined
  readonly signal: AbortSignal
  /** Maximum retries; 0 for requests that must not be sent twice. */
  readonly retries: number
  /** Timeout in place of that of the subgraph. */
  readonly timeoutMs?: number
}

/** Connection pool of a subgraph with retries, timeout and circuit breaker. */
export type RetryingFetch = {
  readonly connectTimeoutMs: number
  readonly circuitState: () => CircuitState
  /**
   * Sends attempts until one succeeds, or no retry is useful or fits into the timeout. Rejects with
   * SubgraphError, or with the reason of the signal.
   */
  readonly fetch: <Result>(request: RetryingRequest<Result>) => Promise<ParsedResponse<Result>>
  readonly close: () => Promise<void>
}

/** Creates a pool that connects on demand. */
export function createRetryingFetch({
  name,
  url,
  timeoutMilliseconds,
  log,
  connections = {},
}: {
  readonly name: string
  readonly url: string
  /** Timeout of a fetch including retries. */
  readonly timeoutMilliseconds: number
  /** Logs when the circuit opens and closes. */
  readonly log: Logger | undefined
  readonly connections?: ConnectionOptions
}): RetryingFetch {
  const { origin, pathname, search } = new URL(url)
  const path = `${pathname}${search}`
  const connectTimeoutMs = connections.connectTimeoutMs ?? Math.min(CONNECT_TIMEOUT_MS, timeoutMilliseconds)
  const open = () => openPool(origin, connectTimeoutMs, connections)
  const pool = connections.shared?.pool(name, origin, open) ?? open()
  const budget = connections.retryBudget ? createRetryBudget(connections.retryBudget) : null
  const breaker = circuitBreaker({
    now: () => performance.now(),
    onChange: (circuit) => log?.[circuit === 'open' ? 'warn' : 'info']({ subgraph: name, circuit }, CIRCUIT_MESSAGES[circuit]),
  })
  return { connectTimeoutMs, circuitState: breaker.state, fetch: fetchWithRetries, close: pool.close }

  async function fetchWithRetries<Result>({
    message,
    exchange,
    signal,
    retries,
    parse,
    readBody,
    timeoutMs = timeoutMilliseconds,
  }: RetryingRequest<Result>): Promise<ParsedResponse<Result>> {
    const deadline = { at: performance.now() + timeoutMs, timeoutError: () => timeoutError(timeoutMs) }
    let failure: FetchFailure<Result> = CIRCUIT_OPEN
    budget?.deposit()
    for (let retry = 0; ; retry++) {
      const leave = breaker.enter()
      if (!leave) break
      const reply = await fetchOnce(pool.current(), { path, message, exchange, signal, deadline }, { parse, readBody })
      if (reply.kind === 'response') {
        leave('answered')
        return reply.response
      }
      if (signal.aborted) leave('abandoned')
      else leave(reply.isSubgraphFault ? 'failed' : 'answered')
      signal.throwIfAborted()
      // The timeout of the fetch as a whole.
      if (reply.cause instanceof SubgraphError || reply.cause instanceof UploadError) throw reply.cause
      if (isResponseTimeout(reply.cause)) throw slowResponse(reply.cause)

      failure = reply
      const delayMs = retry < retries ? retryDelayMs(retry, failure.retryAfterMs, Math.random()) : null
      if (delayMs === null || performance.now() + delayMs >= deadline.at) break
      if (budget && !budget.withdraw()) break
      await pause(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted())
      // Timers of a busy process fire late.
      if (performance.now() >= deadline.at) throw deadline.timeoutError()
    }
    if (failure.response) return failure.response
    throw new SubgraphError('SUBGRAPH_UNAVAILABLE', `The ${name} service did not answer this part of the operation.`, {
      cause: failure.cause,
      isAlreadyLogged: failure === CIRCUIT_OPEN,
    })
  }

  function timeoutError(milliseconds: number): SubgraphError {
    return new SubgraphError('TIMEOUT', `The ${name} service did not answer within ${Math.round(milliseconds) / 1000} seconds.`)
  }

  function slowResponse(cause: unknown): SubgraphError {
    return new SubgraphError('TIMEOUT', `The ${name} service did not answer in time.`, { cause })
  }
}

function openPool(...options: Parameters<typeof createPool>): OpenPool {
  const [, , { connector, maxConnections = MAX_CONNECTIONS, pipelining = 1 }] = options
  let pool = createPool(...options)
  const forget = connector?.onReload(() => {
    const previous = pool
    pool = createPool(...options)
    // `close` waits for requests in flight.
    void previous.close()
  })
  const close = () => {
    // Pools of other addresses may go on with the connector.
    forget?.()
    return pool.destroy()
  }
  const current = () => pool
  // undici sends as many requests at once over HTTP/2: `pipelining` of each connection.
  const half = createLimitedDispatcher(current, Math.ceil((maxConnections * pipelining) / 2))
  return { current, half, isPipelined: pipelining > 1, close }
}

/**
 * Idle connections close after the subgraph's keep-alive hint, otherwise after undici's 4 s: less
 * than the 5 s of Node.js servers. `fetchWithRetries` has its own timeouts, unless options set some
 * here.
 */
const createPool = (origin: string, connectTimeout: number, options: ConnectionOptions): ConnectionPool =>
  new ConnectionPool(origin, {
    connections: options.maxConnections ?? MAX_CONNECTIONS,
    connectTimeout,
    headersTimeout: options.headersTimeoutMs ?? 0,
    bodyTimeout: options.bodyTimeoutMs ?? 0,
    maxResponseSize: MAX_RESPONSE_BYTES,
    ...(options.pipelining !== undefined && { pipelining: options.pipelining }),
    ...(options.keepAliveMs !== undefined && { keepAliveTimeout: options.keepAliveMs }),
    ...(options.allowH2 !== undefined && { allowH2: options.allowH2 }),
    ...(options.connector && { connect: options.connector.connect }),
  })

const CIRCUIT_MESSAGES: Readonly<Record<CircuitState, string>> = {
  open: 'the circuit of a subgraph has opened: its fetches fail at once for a while',
  'half-open': 'the circuit of a subgraph is half-open: one fetch is sent as a probe',
  closed: 'the circuit of a subgraph has closed',
}

/** Failure without any attempt. */
const CIRCUIT_OPEN: FetchFailure<never> = {
  kind: 'fault',
  cause: new Error('The circuit is open.'),
  isSubgraphFault: true,
  retryAfterMs: null,
  response: null,
}
