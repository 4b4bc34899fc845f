import { type Amount, amountOf, textOf } from '../amount.ts'

/** State of a payment. AUTHORIZED and FAILED are final; the amounts say the rest. */
export type PaymentStatus = 'PENDING' | 'REQUIRES_ACTION' | 'AUTHORIZED' | 'FAILED'

/** Amounts of a payment so far, exact decimal text; none ever decreases. */
export type PaymentAmounts = {
  readonly authorized: string
  readonly captured: string
  readonly voided: string
  /** With refunds that failed later. */
  readonly refunded: string
  /** Part of `refunded` that failed later. */
  readonly refundsFailed: string
}

/** State of a payment at the gateway. */
export type GatewayPayment = PaymentAmounts & {
  /** Id of the payment at the gateway. */
  readonly reference: string
  readonly status: PaymentStatus
  /** URL for authentication by the shopper (3-D Secure); null: not needed. */
  readonly redirectUrl: string | null
}

/** A payment of an order through a gateway. */
export type Payment = Omit<GatewayPayment, 'reference'> & {
  readonly id: number
  readonly storeId: number
  readonly orderId: number
  readonly paymentMethodId: number
  readonly currency: string
  /** To be authorized. */
  readonly amount: string
  /**
   * What was paid back (`paidBack`) and needs no entry in the ledger any more; above it while the
   * gateway has not answered.
   */
  readonly refundsBooked: string
  /** What of `refundsBooked` has entries in the ledger. */
  readonly refundsEntered: string
  /** Null until the gateway answered for the first time. */
  readonly reference: string | null
  readonly createdAt: Date
}

export type PaymentOperationKind = 'AUTHORIZE' | 'CAPTURE' | 'VOID' | 'REFUND'

/** A pending request to a gateway. */
export type PaymentOperation = {
  readonly id: number
  readonly storeId: number
  readonly paymentId: number
  readonly kind: PaymentOperationKind
  readonly amount: string
  /** The same in every attempt, so that the gateway does it once. */
  readonly key: string
}

const STATUS_RANK: Readonly<Record<PaymentStatus, number>> = { PENDING: 0, REQUIRES_ACTION: 1, AUTHORIZED: 2, FAILED: 2 }

/**
 * A payment after an answer of the gateway. Answers can arrive out of order, so amounts only grow
 * and a final status stays.
 */
export function mergedPayment<Known extends Omit<GatewayPayment, 'reference'>>(known: Known, said: GatewayPayment): Known {
  const isLater = STATUS_RANK[said.status] > STATUS_RANK[known.status]
  return {
    ...known,
    reference: said.reference,
    status: isLater ? said.status : known.status,
    redirectUrl: said.redirectUrl ?? known.redirectUrl,
    authorized: larger(known.authorized, said.authorized),
    captured: larger(known.captured, said.captured),
    voided: larger(known.voided, said.voided),
    refunded: larger(known.refunded, said.refunded),
    refundsFailed: larger(known.refundsFailed, said.refundsFailed),
  }
}

/** Authorized amount, neither captured nor voided. */
export const openAmount = ({ authorized, captured, voided }: PaymentAmounts): string =>
  textOf(amountOf(authorized) - amountOf(captured) - amountOf(voided))

/** Refunded amount that the customer has. */
export const paidBack = ({ refunded, refundsFailed }: Pick<PaymentAmounts, 'refunded' | 'refundsFailed'>): Amount =>
  amountOf(refunded) - amountOf(refundsFailed)

/** Captured amount, not refunded. */
export const refundableAmount = (payment: PaymentAmounts): string => textOf(amountOf(payment.captured) - paidBack(payment))

/** Whether the amounts of a gateway can be: nothing is voided, captured or refunded that was not there. */
export const isBalanced = (amounts: PaymentAmounts): boolean =>
  !openAmount(amounts).startsWith('-') && !refundableAmount(amounts).startsWith('-') && paidBack(amounts) >= 0n

const larger = (one: string, other: string): string => (amountOf(one) >= amountOf(other) ? one : other)
