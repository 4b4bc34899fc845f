/** Maximum retries. Each adds load to a failing subgraph until the circuit opens. */
export const MAX_RETRIES = 2

/**
 * Upper bound of the first delay, doubled per retry. Full jitter spreads clients best after an
 * outage (AWS, "Exponential Backoff And Jitter").
 */
const BASE_DELAY_MS = 100
/** Longest `Retry-After` for which a fetch waits. */
const MAX_RETRY_AFTER_MS = 1_000

/**
 * Delay before the next attempt in ms; null for no further attempt. `minimumMs`: from
 * `Retry-After`. `random`: 0 to 1.
 */
export function retryDelayMs(retry: number, minimumMs: number | null, random: number): number | null {
  return minimumMs === null ? null : Math.max(minimumMs, random * BASE_DELAY_MS * 2 ** retry)
}

/**
 * Transient connection errors, those of undici's RetryHandler plus DNS and timeout errors: before a
 * response has started, the request was not processed. Untrusted certificates and ports without
 * HTTP are permanent, so not listed.
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

/** undici errors caused by the request or by the size of its response. */
const REQUEST_FAULTS: ReadonlySet<unknown> = new Set([
  'UND_ERR_HEADERS_OVERFLOW',
  'UND_ERR_INVALID_ARG',
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
])

/** Whether the request alone can cause this error. All other errors count against the subgraph. */
export const isRequestFault = (error: unknown): boolean => REQUEST_FAULTS.has(codeOf(error))

/** Whether response headers, or the next part of the body, timed out. */
export const isResponseTimeout = (error: unknown): boolean =>
  codeOf(error) === 'UND_ERR_HEADERS_TIMEOUT' || codeOf(error) === 'UND_ERR_BODY_TIMEOUT'

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

const OVERLOAD_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Whether the status means that the request was rejected before processing. */
export const isOverloadStatus = (status: number): boolean => OVERLOAD_STATUSES.has(status)

/**
 * Delay after which a status allows a retry, in ms; null: no retry, or `Retry-After` is too long or
 * invalid. `now`: Unix time in ms.
 */
export function retryAfterMs(status: number, retryAfterHeader: string | string[] | undefined, now: number): number | null {
  if (!isOverloadStatus(status)) return null
  // 429 without `Retry-After` is not retried, because retries count against the rate limit.
  if (retryAfterHeader === undefined) return status === 429 ? null : 0
  const milliseconds = parseRetryAfter(String(retryAfterHeader), now)
  return milliseconds <= MAX_RETRY_AFTER_MS ? Math.max(milliseconds, 0) : null
}

/**
 * Parses seconds or an IMF-fixdate (RFC 9110 §5.6.7); NaN for other formats, which Date.parse would
 * accept.
 */
function parseRetryAfter(retryAfter: string, now: number): number {
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000
  return /^\w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT$/.test(retryAfter) ? Date.parse(retryAfter) - now : Number.NaN
}
