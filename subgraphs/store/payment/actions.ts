import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { type Amount, amountOf, least, sumOf, textOf } from '../amount.ts'
import { decodeId } from '../ids.ts'
import { ledgerRepository } from '../ledger/repository.ts'
import type { Order } from '../order/order.ts'
import { orderRepository } from '../order/repository.ts'
import type { OrderStatus } from '../order/status/states.ts'
import { changeStatus } from '../order/status/status-change.ts'
import { refundOrder } from '../order-refund/actions.ts'
import { balanceOf, payBalance, takeRefundDue } from '../order-refund/balance.ts'
import { enterRefundFailure } from '../order-refund/failure.ts'
import { refundableMoney } from '../order-refund/order-refund.ts'
import type { PaymentMethodType } from '../payment-method/payment-method.ts'
import { paymentMethodRepository } from '../payment-method/repository.ts'
import { withSavepoint } from '../savepoint.ts'
import { conflictError, type UnitOfWork } from '../write.ts'
import {
  type GatewayPayment,
  mergedPayment,
  openAmount,
  type Payment,
  type PaymentOperation,
  type PaymentOperationKind,
  paidBack,
  refundableAmount,
} from './payment.ts'
import { paymentRepository } from './repository.ts'

/** Each try is a request to the gateway, by whoever has the link of the order. */
const MAX_PAYMENTS_PER_ORDER = 10

/** Starts the payment of an order through a gateway; the request follows after the transaction. */
export async function startPayment({ query, storeId, now }: UnitOfWork, order: Order, paymentMethodId: number): Promise<number> {
  const payments = paymentRepository(query)
  const { id: orderId, currency, total: amount } = order
  const paymentId = await payments.insert(storeId, { orderId, paymentMethodId, currency, amount }, now)
  await payments.insertOperation(storeId, { paymentId, kind: 'AUTHORIZE', amount }, now)
  return paymentId
}

/**
 * Starts another payment of an order after one that failed, or one of what an edit made due of a paid
 * order, through the payment method with this row. The lock of the order makes a second retry wait,
 * and then find a payment that has not failed.
 */
export async function retryPayment(unit: UnitOfWork, orderId: number, gatewayMethodId: number | null) {
  const order = await orderRepository(unit.query).lock(unit.storeId, orderId)
  if (!order) return notFoundError('order', String(orderId))
  if (order.status === 'PAID') return startBalancePayment(unit, order, gatewayMethodId)
  if (order.status !== 'PENDING_PAYMENT') return conflictError('Expected an order that waits for its payment.')
  const before = await paymentRepository(unit.query).ofOrders(unit.storeId, [orderId])
  const last = before.at(-1)
  if (last?.status !== 'FAILED') return conflictError('Expected an order whose last payment failed.')
  if (before.length >= MAX_PAYMENTS_PER_ORDER)
    return conflictError(`Expected fewer than ${MAX_PAYMENTS_PER_ORDER} payments of the order that failed.`)
  const payment = await startPayment(unit, order, last.paymentMethodId)
  return { __typename: 'RetryStorefrontPaymentSuccess' as const, storeId: unit.storeId, order: orderId, payment }
}

/** Starts the payment of what is due of a locked order that was paid before. */
async function startBalancePayment(unit: UnitOfWork, order: Order, gatewayMethodId: number | null) {
  const due = await balanceDueOf(unit, order)
  if (due <= 0n) return conflictError('Expected an order that waits for its payment, or of which a balance is due.')
  if (gatewayMethodId === null) return conflictError('Expected an order whose payment method has a gateway.')
  const payments = paymentRepository(unit.query)
  const before = await payments.ofOrders(unit.storeId, [order.id])
  if (before.length >= MAX_PAYMENTS_PER_ORDER)
    return conflictError(`Expected fewer than ${MAX_PAYMENTS_PER_ORDER} payments of the order.`)
  for (const payment of before) {
    const isPending = (await payments.pendingOperations(unit.storeId, payment.id)).length > 0
    if (isPending || payment.status === 'PENDING' || payment.status === 'REQUIRES_ACTION' || amountOf(openAmount(payment)) > 0n)
      return conflictError('Expected an order without a payment under way.')
  }
  const payment = await startPayment(unit, { ...order, total: textOf(due) }, gatewayMethodId)
  return { __typename: 'RetryStorefrontPaymentSuccess' as const, storeId: unit.storeId, order: order.id, payment }
}

/** What is due of a locked order. */
const balanceDueOf = async ({ query, storeId }: UnitOfWork, order: Order): Promise<Amount> =>
  balanceOf(order, await ledgerRepository(query).paidOf(storeId, order.id))

/**
 * Stores the gateway's state of a payment, and its effects: captures an authorized amount while the
 * order is available, voids it otherwise, and marks the order as paid once all is captured.
 * `operation` is the one that this answers; null: a query of the state.
 */
export async function applyPayment(
  unit: UnitOfWork,
  paymentId: number,
  said: GatewayPayment,
  operation: PaymentOperation | null,
) {
  const { query, storeId, now } = unit
  const payments = paymentRepository(query)
  const locked = await lockWithOrder(unit, paymentId)
  if (!locked) return DONE
  const { order, payment: before } = locked
  const payment = await withRefunds(unit, order, before, mergedPayment(before, said))
  await payments.update(storeId, payment, now)
  if (operation) await payments.closeOperation(storeId, operation.id, 'DONE', null, now)
  const isPending = (await payments.pendingOperations(storeId, paymentId)).length > 0
  const captured = amountOf(payment.captured) - amountOf(before.captured)
  if (captured > 0n && !(await isTaken(unit, order, payment, captured))) {
    const left = await remainingAmount(unit, payment, 'REFUND')
    // Of a paid order, what was captured before may be what paid for it.
    const back = (await ledgerRepository(query).isPaid(storeId, order.id)) ? least(left, captured) : left
    // The ledger never had it.
    await payments.update(storeId, { ...payment, refundsBooked: textOf(amountOf(payment.refundsBooked) + back) }, now)
    if (back > 0n) await ask(unit, payment, 'REFUND', textOf(back))
  } else if (amountOf(openAmount(payment)) > 0n && !isPending) {
    const due = await dueOf(unit, order, payment)
    const isWanted = due > 0n && (order.status === 'PAID' || (await canBeHad(unit, order)))
    await ask(unit, payment, isWanted ? 'CAPTURE' : 'VOID', isWanted ? textOf(due) : openAmount(payment))
  }
  return DONE
}

/**
 * Enters into the ledger what the gateway paid back since, or what failed of it. What failed before
 * it was booked is no news: it is neither.
 */
async function withRefunds(unit: UnitOfWork, order: Order, before: Payment, merged: Payment): Promise<Payment> {
  const [booked, entered] = [amountOf(before.refundsBooked), amountOf(before.refundsEntered)]
  const news = paidBack(merged) - booked
  // Also of what is booked and not answered for yet.
  const failed = least(amountOf(merged.refundsFailed) - amountOf(before.refundsFailed), -news)
  if (failed > 0n) {
    const returned = await enterRefundFailure(unit, order, failed, entered)
    return { ...merged, refundsBooked: textOf(booked - failed), refundsEntered: textOf(entered - returned) }
  }
  if (news <= 0n) return merged
  const more = await bookRefund(unit, order, news)
  return { ...merged, refundsBooked: textOf(booked + news), refundsEntered: textOf(entered + more) }
}

/**
 * Records a definite refusal of the gateway. An order whose payment cannot be captured is
 * abandoned.
 */
export async function refusePayment(unit: UnitOfWork, operation: PaymentOperation, message: string) {
  const { query, storeId, now } = unit
  const payments = paymentRepository(query)
  const locked = await lockWithOrder(unit, operation.paymentId)
  await payments.closeOperation(storeId, operation.id, 'FAILED', message, now)
  if (!locked) return DONE
  const { order, payment } = locked
  if (operation.kind === 'AUTHORIZE' && payment.status !== 'AUTHORIZED')
    await payments.update(storeId, { ...payment, status: 'FAILED' }, now)
  if (operation.kind === 'CAPTURE' && order.status === 'PENDING_PAYMENT')
    await moved(unit, order, 'ABANDONED', 'its payment could not be captured')
  return DONE
}

/**
 * Has gateways pay back `amount` of a locked order, which is in the ledger already. A refusal stays
 * with the operation; `refundPayment` tries again.
 */
export async function refundThroughGateway(unit: UnitOfWork, orderId: number, amount: string) {
  const { query, storeId, now } = unit
  const payments = paymentRepository(query)
  const requested: number[] = []
  let left = amountOf(amount)
  for (const { id } of await payments.ofOrders(storeId, [orderId])) {
    const payment = await payments.lock(storeId, id)
    const part = payment ? least(left, await remainingAmount(unit, payment, 'REFUND')) : 0n
    if (!payment || part <= 0n) continue
    const [booked, entered] = [amountOf(payment.refundsBooked) + part, amountOf(payment.refundsEntered) + part]
    await payments.update(storeId, { ...payment, refundsBooked: textOf(booked), refundsEntered: textOf(entered) }, now)
    await ask(unit, payment, 'REFUND', textOf(part))
    requested.push(id)
    left -= part
  }
  if (left === 0n) return { payments: requested }
  const covered = textOf(amountOf(amount) - left)
  return { failure: validationError([problem('throughGateway', `false, because gateways have ${covered} of it`, amount)]) }
}

/** Requests a capture, void or refund of a payment; absent amounts are the remaining ones. */
export async function requestPaymentOperation(
  unit: UnitOfWork,
  kind: Exclude<PaymentOperationKind, 'AUTHORIZE'>,
  id: string,
  input: { readonly amount?: string | null | undefined },
) {
  const locked = await lockWithOrder(unit, decodeId(id, 'Payment') ?? 0)
  if (!locked) return notFoundError('payment', id)
  const { payment } = locked
  const left = await remainingAmount(unit, payment, kind)
  const amount = input.amount == null ? left : amountOf(input.amount)
  if (amount <= 0n || amount > left) {
    return validationError([
      problem('amount', left > 0n ? `above 0, at most ${textOf(left)}` : 'of a payment with something left', input.amount),
    ])
  }
  if (kind === 'VOID' && amount < left && (await typeOf(unit, payment)) === 'STRIPE')
    return validationError([problem('amount', `${textOf(left)}, because Stripe voids whole authorizations only`, input.amount)])
  await ask(unit, payment, kind, textOf(amount))
  return { __typename: 'PaymentOperationSuccess' as const, payment: payment.id }
}

/** Type of a payment's method; null when that is deleted. */
const typeOf = async ({ query, storeId }: UnitOfWork, { paymentMethodId }: Payment): Promise<PaymentMethodType | null> =>
  (await paymentMethodRepository(query).findByIds(storeId, [paymentMethodId]))[0]?.type ?? null

/** What an operation of this kind can be about at most: pending ones will take their part. */
async function remainingAmount(
  { query, storeId }: UnitOfWork,
  payment: Payment,
  kind: Exclude<PaymentOperationKind, 'AUTHORIZE'>,
): Promise<Amount> {
  const pending = await paymentRepository(query).pendingOperations(storeId, payment.id)
  const taken = pending.filter((each) => (each.kind === 'REFUND') === (kind === 'REFUND')).map(({ amount }) => amountOf(amount))
  return amountOf(kind === 'REFUND' ? refundableAmount(payment) : openAmount(payment)) - sumOf(taken)
}

const DONE = { __typename: 'PaymentSuccess' as const }

/** Orders are locked before their payments, here and everywhere. */
async function lockWithOrder(
  { query, storeId }: UnitOfWork,
  paymentId: number,
): Promise<{ readonly order: Order; readonly payment: Payment } | null> {
  const payments = paymentRepository(query)
  const [found] = await payments.findByIds(storeId, [paymentId])
  const order = found ? await orderRepository(query).lock(storeId, found.orderId) : null
  const payment = order ? await payments.lock(storeId, paymentId) : null
  return order && payment ? { order, payment } : null
}

const ask = ({ query, storeId, now }: UnitOfWork, { id }: Payment, kind: PaymentOperationKind, amount: string) =>
  paymentRepository(query).insertOperation(storeId, { paymentId: id, kind, amount }, now)

/**
 * What of an authorized amount pays for an order: its rest, at most what is open. An edit may have
 * changed the total since: a payment of less than that pays for nothing. Of a paid order, a payment
 * is of its balance. What another payment is being captured for is paid by that one.
 */
async function dueOf(unit: UnitOfWork, order: Order, payment: Payment): Promise<Amount> {
  const { total } = order
  const elsewhere = amountOf(await paymentRepository(unit.query).pendingCaptures(unit.storeId, order.id, payment.id))
  if (order.status === 'PAID')
    return amountOf(payment.amount) <= (await balanceDueOf(unit, order)) - elsewhere ? amountOf(openAmount(payment)) : 0n
  if (elsewhere > 0n || amountOf(payment.amount) < amountOf(total)) return 0n
  const rest = amountOf(total) - amountOf(payment.captured)
  return rest > 0n ? least(rest, amountOf(openAmount(payment))) : 0n
}

/** Whether the order waits for its payment; one that was left comes back while its stock is there. */
async function canBeHad(unit: UnitOfWork, order: Order): Promise<boolean> {
  if (order.status === 'ABANDONED') return moved(unit, order, 'PENDING_PAYMENT', 'its payment arrived late')
  return order.status === 'PENDING_PAYMENT'
}

/**
 * Whether the captured amount pays for the order: not when the order was paid otherwise, or
 * abandoned.
 */
async function isTaken(unit: UnitOfWork, order: Order, payment: Payment, captured: Amount): Promise<boolean> {
  if (order.status === 'PAID' && captured <= (await balanceDueOf(unit, order))) {
    await payBalance(unit, order, captured, 'gateway')
    return true
  }
  if (order.status === 'PAID' || order.status === 'CANCELED') return false
  if (amountOf(payment.captured) < amountOf(order.total)) return true
  return moved(unit, order, 'PAID', 'its payment was captured')
}

/** Whether an order could go on to a status; nothing changed when it could not. */
async function moved(unit: UnitOfWork, order: Order, to: OrderStatus, reason: string): Promise<boolean> {
  const result = await withSavepoint(unit, async (within) => {
    const change = await changeStatus(within, order, { to, restock: true, reason })
    if ('failure' in change) return { __typename: 'NotMoved' as const }
    await orderRepository(within.query).update(within.storeId, order.id, change.change, within.now)
    within.emit({ event: 'order_updated', entity: 'Order', id: order.id })
    return { __typename: 'MovedSuccess' as const }
  })
  return result.__typename === 'MovedSuccess'
}

/** Enters into the ledger what a gateway paid back of an order that was paid; returns how much of it. */
async function bookRefund(unit: UnitOfWork, order: Order, amount: Amount): Promise<Amount> {
  const rest = await takeRefundDue(unit, order, amount)
  const left = refundableMoney(order, await ledgerRepository(unit.query).netOf(unit.storeId, order.id))
  // What is more than left was paid back in another way before, and is in the ledger.
  const part = least(rest, left)
  if (part === 0n) return amount - rest
  const result = await withSavepoint(unit, (within) =>
    refundOrder(within, String(order.id), { amount: textOf(part), reason: 'Refunded by the payment gateway.' }),
  )
  return amount - rest + (result.__typename === 'RefundOrderSuccess' ? part : 0n)
}
