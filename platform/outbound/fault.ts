import { type LookupTable, lookupTable } from '../collections/lookup-table.ts'

/**
 * What a server outside did instead of answering. `rate_limited`: it asks us to wait; `unavailable`: a broken connection or a status that is no answer;
 * `malformed`: an answer that does not parse; `too_large`: one with more bytes than we take; `blocked`: our own guard does not connect there;
 * `refused`: nobody listens there; `no_tls`: another protocol does; `no_capacity`: all places were taken.
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

/** A server outside that did not answer. Everything else that is thrown while one is asked is a mistake of ours. */
export class Fault extends Error {
  override readonly name = 'Fault'
  readonly reason: FaultReason
  /** Seconds that the server asked us to wait, or null. */
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

/** Reads what sockets, undici and abort signals throw. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error
  if (!(error instanceof Error)) return new Fault('unavailable', String(error))
  // undici wraps what a connector throws.
  if (error.cause instanceof Fault) return error.cause
  if (error.name === 'TimeoutError' || error.name === 'AbortError')
    return new Fault('timeout', 'no answer in time', { cause: error })
  const code = 'code' in error ? String(error.code) : ''
  return new Fault(ERRORS[code] ?? 'unavailable', code || error.message, { cause: error })
}
