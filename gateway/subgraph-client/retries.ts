/** Attempts after the first. Each multiplies what a subgraph in trouble is asked, until the circuit opens. */
export const MOST_RETRIES = 2

/** The first wait is up to this long, the next up to twice: full jitter spreads the clients of one outage best (AWS, "Exponential Backoff And Jitter"). */
const FIRST_WAIT = 100
/** The longest `Retry-After` that is waited for. */
const LONGEST_WAIT = 1_000

/** Milliseconds to wait before attempt `retry + 2`, or null when it makes no sense. `random` is from 0 to 1. */
export function waitBefore(retry: number, again: number | null, random: number): number | null {
  return again === null ? null : Math.max(again, random * FIRST_WAIT * 2 ** retry)
}

/**
 * Failures of a connection that may be over in a moment: before an answer has begun they say that nobody answered. Those of undici's RetryHandler, and some of
 * names and of time. A certificate that is not believed, or a port that speaks something else than HTTP, is that in a moment, too.
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

/** What undici says of the question, or of how much there is to say to it. */
const FAULTS_OF_QUESTIONS: ReadonlySet<unknown> = new Set([
  'UND_ERR_HEADERS_OVERFLOW',
  'UND_ERR_INVALID_ARG',
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
])

/** Whether a client could bring it about alone. Everything else that a connection can end with says something of the subgraph, or of the way to it. */
export const isFaultOfQuestion = (error: unknown): boolean => FAULTS_OF_QUESTIONS.has(codeOf(error))

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

const OVERLOADS: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Whether a status says that something in front of the work turned the request away. */
export const isOverload = (status: number): boolean => OVERLOADS.has(status)

/** Milliseconds after which a status allows to ask again; null for never, too late, and what nobody understands. `now` counts from 1970. */
export function againAfter(status: number, retryAfter: string | string[] | undefined, now: number): number | null {
  if (!isOverload(status)) return null
  // Who counts requests wants fewer of them, unless it says when.
  if (retryAfter === undefined) return status === 429 ? null : 0
  const milliseconds = millisecondsIn(String(retryAfter), now)
  return milliseconds <= LONGEST_WAIT ? Math.max(milliseconds, 0) : null
}

/** Seconds, or a date as RFC 9110 §5.6.7 spells it; what else Date.parse takes for one is none. */
function millisecondsIn(retryAfter: string, now: number): number {
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000
  return /^\w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT$/.test(retryAfter) ? Date.parse(retryAfter) - now : Number.NaN
}
