import { type LookupTable, lookupTable } from '../collections/lookup-table.ts'

/**
 * Why an external server gave no usable response. `rate_limited`: it sent 429; `unavailable`:
 * broken connection or error status; `malformed`: unparseable; `too_large`: over our byte limit;
 * `blocked`: our address policy; `refused`: nothing listens; `no_tls`: another protocol;
 * `no_capacity`: all slots in use.
 */
export type FaultReason =
  | 'rate_limited'
  | 'unavailable'
  | 'malformed'
  | 'too_large'
  | 'blocked'
  | 'timeout'
  | 'refused'
  | 'no_tls'
  | 'no_capacity'

/** A failed exchange with an external server. Anything else thrown there is our bug. */
export class Fault extends Error {
  override readonly name = 'Fault'
  readonly reason: FaultReason
  /** Retry-After in seconds, or null. */
  readonly retryAfter: number | null
  constructor(
    reason: FaultReason,
    message: string,
    { cause, retryAfter = null }: { readonly cause?: unknown; readonly retryAfter?: number | null } = {},
  ) {
    super(message, { cause })
    this.reason = reason
    this.retryAfter = retryAfter
  }
}

const ERRORS: LookupTable<FaultReason> = lookupTable({
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
})

/** Converts errors of sockets, undici and abort signals. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error
  if (!(error instanceof Error)) return new Fault('unavailable', String(error))
  // undici wraps errors of its connector.
  if (error.cause instanceof Fault) return error.cause
  if (error.name === 'TimeoutError' || error.name === 'AbortError')
    return new Fault('timeout', 'no answer in time', { cause: error })
  const code = 'code' in error ? String(error.code) : ''
  return new Fault(ERRORS[code] ?? 'unavailable', code || error.message, { cause: error })
}
