import { z } from 'zod'
import { urlProblem } from '../../input.ts'
import type { GatewayPayment, PaymentStatus } from '../payment.ts'
import { decimalOf } from './minor-units.ts'

const minorUnits = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

/** A payment intent, as far as it is read. */
export const INTENT = z.object({
  id: z.string().regex(/^pi_\w{1,190}$/),
  status: z.enum([
    'canceled',
    'processing',
    'requires_action',
    'requires_capture',
    'requires_confirmation',
    'requires_payment_method',
    'succeeded',
  ]),
  amount: minorUnits,
  amount_received: minorUnits,
  latest_charge: z.string().nullable(),
})

/** A checkout session with its payment intent, as far as they are read. */
export const SESSION = z.object({
  id: z.string().regex(/^cs_\w{1,190}$/),
  status: z.enum(['open', 'complete', 'expired']),
  url: z
    .string()
    .refine((url) => urlProblem('url', url) === null)
    .nullable(),
  currency: z.string().regex(/^[a-z]{3}$/),
  payment_intent: INTENT.nullable(),
})

/** A refund, as far as it is read. */
export const REFUND = z.object({
  amount: minorUnits,
  status: z.string().nullable(),
  metadata: z.record(z.string(), z.string()).nullable(),
})

export type PaymentIntent = z.infer<typeof INTENT>
export type Session = z.infer<typeof SESSION>
export type Refund = z.infer<typeof REFUND>

/** Metadata of a refund: the key of the operation that asked for it. */
export const OPERATION = 'atriumOperation'

/**
 * The payment that a session is. `refunds`: all of its payment intent, newest first.
 * A capture of a part releases the rest, which counts as voided.
 */
export function paymentOf(
  { id, status, url, currency, payment_intent: intent }: Session,
  refunds: readonly Refund[],
): GatewayPayment {
  const state = stateOf(status, intent)
  const isAuthorized = intent !== null && state === 'AUTHORIZED'
  const authorized = isAuthorized ? intent.amount : 0
  const captured = isAuthorized && intent.status === 'succeeded' ? intent.amount_received : 0
  const voided = isAuthorized && intent.status !== 'requires_capture' ? authorized - captured : 0
  const failed = isAuthorized ? sumOf(refunds.filter(isFailed)) : 0
  const refunded = failed + Math.min(captured, refundedOf(refunds, voided))
  const text = (amount: number) => decimalOf(amount, currency)
  return {
    reference: id,
    status: state,
    redirectUrl: state === 'REQUIRES_ACTION' ? url : null,
    ...{ authorized: text(authorized), captured: text(captured), voided: text(voided) },
    ...{ refunded: text(refunded), refundsFailed: text(failed) },
  }
}

function stateOf(session: Session['status'], intent: PaymentIntent | null): PaymentStatus {
  if (intent?.status === 'requires_capture' || intent?.status === 'succeeded') return 'AUTHORIZED'
  if (session === 'open') return 'REQUIRES_ACTION'
  if (session === 'expired' || intent === null) return session === 'expired' ? 'FAILED' : 'PENDING'
  if (intent.status === 'processing' || intent.status === 'requires_action') return 'PENDING'
  // Of a completed session: it was authorized before, and the hold ended.
  return intent.status === 'canceled' && intent.latest_charge !== null ? 'AUTHORIZED' : 'FAILED'
}

/**
 * What of the refunds is money that was captured. Stripe can show what a capture of a part released
 * as a refund of its own, which nobody asked for: the oldest of all, of just that amount.
 */
function refundedOf(refunds: readonly Refund[], released: number): number {
  const counted = refunds.filter((refund) => !isFailed(refund))
  const oldest = counted.at(-1)
  const isRelease = released > 0 && oldest?.amount === released && oldest.metadata?.[OPERATION] === undefined
  return sumOf(counted) - (isRelease ? released : 0)
}

/** A bank may send a refund back weeks after it succeeded (docs.stripe.com/refunds); both are final. */
const isFailed = ({ status }: Refund): boolean => status === 'failed' || status === 'canceled'

const sumOf = (refunds: readonly Refund[]): number => refunds.reduce((sum, { amount }) => sum + amount, 0)
