/** Attempts after the first. Each adds load to a failing subgraph until the circuit opens. */
export const MAX_RETRIES = 2

/**
 * Upper bound of the first delay, doubled per retry. Full jitter: it spreads the clients of one
 * outage best (AWS, "Exponential Backoff And Jitter").
 */
const BASE_DELAY_MS = 100
/** Maximum `Retry-After` that a retry waits for. */
const MAX_RETRY_AFTER_MS = 1_000

/**
 * Milliseconds before attempt `retry + 2`; null for no further attempt. `minimumMs`: from
 * `Retry-After`. `random`: 0 to 1.
 */
export function retryDelayMs(retry: number, minimumMs: number | null, random: number): number | null {
  return minimumMs === null ? null : Math.max(minimumMs, random * BASE_DELAY_MS * 2 ** retry)
}

/**
 * Transient connection errors: before a response has begun, they mean that no request was
 * answered. Those of undici's RetryHandler, and some of DNS and of timeouts. An untrusted
 * certificate or a port without HTTP is not transient, so not in here.
 */
const CONNECTION_FAULTS: ReadonlySet<unknown> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
])

export const isConnectionFault = (error: unknown): boolean => CONNECTION_FAULTS.has(codeOf(error))

/** undici errors about the request, or about the size of its response. */
const REQUEST_FAULTS: ReadonlySet<unknown> = new Set([
  'UND_ERR_HEADERS_OVERFLOW',
  'UND_ERR_INVALID_ARG',
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
])

/** Whether the request alone can cause this error. Every other one counts against the subgraph. */
export const isRequestFault = (error: unknown): boolean => REQUEST_FAULTS.has(codeOf(error))

/** Whether the head of a response, or the next part of its body, did not come in time. */
export const isResponseTimeout = (error: unknown): boolean =>
  codeOf(error) === 'UND_ERR_HEADERS_TIMEOUT' || codeOf(error) === 'UND_ERR_BODY_TIMEOUT'

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

const OVERLOAD_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Whether a status means that the request was rejected before any work began. */
export const isOverloadStatus = (status: number): boolean => OVERLOAD_STATUSES.has(status)

/**
 * Milliseconds after which a status permits a retry; null for never, for too late, and for a
 * `Retry-After` that cannot be parsed. `now`: Unix time in milliseconds.
 */
export function retryAfterMs(status: number, retryAfterHeader: string | string[] | undefined, now: number): number | null {
  if (!isOverloadStatus(status)) return null
  // A rate limit without `Retry-After` is not retried: retries count against it.
  if (retryAfterHeader === undefined) return status === 429 ? null : 0
  const milliseconds = parseRetryAfter(String(retryAfterHeader), now)
  return milliseconds <= MAX_RETRY_AFTER_MS ? Math.max(milliseconds, 0) : null
}

/** Seconds, or an IMF-fixdate (RFC 9110 §5.6.7); other formats that Date.parse accepts give NaN. */
function parseRetryAfter(retryAfter: string, now: number): number {
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000
  return /^\w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT$/.test(retryAfter) ? Date.parse(retryAfter) - now : Number.NaN
}
