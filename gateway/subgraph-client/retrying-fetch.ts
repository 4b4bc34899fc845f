import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
// The file, not the package: under Bun that is a module of its own, without pools.
import { Pool } from 'undici/index.js'
import { type CircuitState, circuitBreaker } from '../../platform/outbound/circuit-breaker.ts'
import { SubgraphError } from './error-masking.ts'
import { MAX_RESPONSE_BYTES } from './http-messages.ts'
import { retryDelayMs } from './retries.ts'
import { type FetchFailure, fetchOnce, type ParsedResponse } from './subgraph-response.ts'

/**
 * Timeout of one fetch with its retries. Half of an operation's, so that a plan of two fetches can
 * still report which one was slow.
 */
export const FETCH_TIMEOUT_MS = 5_000
/**
 * Timeout to connect. A lost first packet is sent again after one second (RFC 6298 §2); this leaves
 * time for one more loss.
 */
const CONNECT_TIMEOUT_MS = 2_000

/** One request to the URL of a subgraph. */
export type RetryingRequest = {
  readonly body: string
  readonly headers: Record<string, string>
  readonly signal: AbortSignal
  /** Maximum retries; 0 for what must not be sent twice. */
  readonly retries: number
}

/** Connections to one subgraph, with retries, a timeout and a circuit breaker. */
export type RetryingFetch = {
  readonly pool: Pool
  readonly connectTimeoutMs: number
  readonly circuitState: () => CircuitState
  /**
   * Sends attempts until there is a response, or no retry makes sense or fits into the timeout.
   * Rejects with SubgraphError, or with the reason of the signal.
   */
  readonly fetch: (request: RetryingRequest) => Promise<ParsedResponse>
  readonly close: () => Promise<void>
}

/** Opens connections to a subgraph on demand. */
export function createRetryingFetch({
  name,
  url,
  timeoutMilliseconds,
  log,
}: {
  readonly name: string
  readonly url: string
  /** Timeout of one fetch with all its attempts. */
  readonly timeoutMilliseconds: number
  /** Logs when the circuit opens and closes. */
  readonly log: Logger | undefined
}): RetryingFetch {
  const { origin, pathname, search } = new URL(url)
  const path = `${pathname}${search}`
  const connectTimeoutMs = Math.min(CONNECT_TIMEOUT_MS, timeoutMilliseconds)
  const pool = createPool(origin, connectTimeoutMs)
  const breaker = circuitBreaker({
    now: () => performance.now(),
    onChange: (circuit) => log?.[circuit === 'open' ? 'warn' : 'info']({ subgraph: name, circuit }, CIRCUIT_MESSAGES[circuit]),
  })
  return { pool, connectTimeoutMs, circuitState: breaker.state, fetch: fetchWithRetries, close: () => pool.destroy() }

  async function fetchWithRetries({ body, headers, signal, retries }: RetryingRequest): Promise<ParsedResponse> {
    const deadline = { at: performance.now() + timeoutMilliseconds, timeoutError }
    let failure: FetchFailure = CIRCUIT_OPEN
    for (let retry = 0; ; retry++) {
      const leave = breaker.enter()
      if (!leave) break
      const reply = await fetchOnce(pool, { path, headers, body, signal, deadline })
      if (reply.kind === 'response') {
        leave('answered')
        return reply.response
      }
      if (signal.aborted) leave('abandoned')
      else leave(reply.isSubgraphFault ? 'failed' : 'answered')
      signal.throwIfAborted()
      // The timeout of the fetch as a whole.
      if (reply.cause instanceof SubgraphError) throw reply.cause

      failure = reply
      const delayMs = retry < retries ? retryDelayMs(retry, failure.retryAfterMs, Math.random()) : null
      if (delayMs === null || performance.now() + delayMs >= deadline.at) break
      await pause(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted())
      // Timers of a busy process fire late.
      if (performance.now() >= deadline.at) throw timeoutError()
    }
    if (failure.response) return failure.response
    throw new SubgraphError('SUBGRAPH_UNAVAILABLE', `The ${name} service did not answer this part of the operation.`, {
      cause: failure.cause,
      isAlreadyLogged: failure === CIRCUIT_OPEN,
    })
  }

  function timeoutError(): SubgraphError {
    return new SubgraphError('TIMEOUT', `The ${name} service did not answer within ${timeoutMilliseconds / 1000} seconds.`)
  }
}

/**
 * Idle connections close when the subgraph says so, otherwise after undici's four seconds: less
 * than the five of Node's servers. Timeouts of requests are those of `fetchWithRetries`.
 */
const createPool = (origin: string, connectTimeout: number): Pool =>
  new Pool(origin, {
    connections: 64,
    connectTimeout,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_RESPONSE_BYTES,
  })

const CIRCUIT_MESSAGES: Readonly<Record<CircuitState, string>> = {
  open: 'the circuit of a subgraph has opened: its fetches fail at once for a while',
  'half-open': 'the circuit of a subgraph is half-open: one fetch is sent as a probe',
  closed: 'the circuit of a subgraph has closed',
}

/** No attempt was made. */
const CIRCUIT_OPEN: FetchFailure = {
  kind: 'fault',
  cause: new Error('The circuit is open.'),
  isSubgraphFault: true,
  retryAfterMs: null,
  response: null,
}
