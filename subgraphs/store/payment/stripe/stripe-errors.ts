import { Fault } from '../../../../platform/outbound/fault.ts'
import { PaymentRefused } from '../gateway.ts'

/** What the library throws, as far as it is read. */
type StripeError = {
  readonly type: string
  readonly code?: unknown
  readonly decline_code?: unknown
  readonly detail?: unknown
  readonly headers?: unknown
}

/** Errors that the same request may not have later, by their class in the library. */
const PASSING: ReadonlySet<string> = new Set([
  'StripeAPIError',
  // The merchant's key: it may be replaced.
  'StripeAuthenticationError',
  'StripePermissionError',
  'StripeConnectionError',
])
/** Refusals that another attempt under the same key does not meet. */
const PASSING_CODES: ReadonlySet<string> = new Set(['idempotency_key_in_use', 'lock_timeout', 'rate_limit'])

/**
 * The error of a request to Stripe in our terms: a `Fault` when the same request may be sent again,
 * PaymentRefused when Stripe decided. Their messages have codes only: texts of Stripe can repeat
 * what it was sent. Anything else stays as it is.
 */
export function paymentError(error: unknown): unknown {
  if (!isStripeError(error)) return error
  if (error.detail instanceof Fault) return error.detail
  const { type } = error
  const codes = [error.code, error.decline_code].filter((code) => typeof code === 'string' && /^[a-z_]{1,100}$/.test(code))
  const message = `Stripe: ${[type, ...codes].join(', ')}`
  if (type === 'StripeRateLimitError')
    return new Fault('rate_limited', message, { cause: error, retryAfter: retryAfterIn(error.headers) })
  const isPassing = PASSING.has(type) || codes.some((code) => PASSING_CODES.has(String(code)))
  return isPassing ? new Fault('unavailable', message, { cause: error }) : new PaymentRefused(message, { cause: error })
}

const isStripeError = (error: unknown): error is Error & StripeError =>
  error instanceof Error && 'type' in error && typeof error.type === 'string' && error.type.startsWith('Stripe')

/** Seconds; null without a readable number. */
function retryAfterIn(headers: unknown): number | null {
  const text = typeof headers === 'object' && headers !== null && 'retry-after' in headers ? String(headers['retry-after']) : ''
  return /^\d{1,5}$/.test(text) ? Number(text) : null
}
