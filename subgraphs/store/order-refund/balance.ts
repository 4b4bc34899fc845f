import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import type { Actor } from '../access/actor.ts'
import { type Amount, amountOf, least, minorUnitOf, textOf } from '../amount.ts'
import { decodeId } from '../ids.ts'
import type { Versioned } from '../input.ts'
import { ledgerRepository } from '../ledger/repository.ts'
import type { Order } from '../order/order.ts'
import { orderRepository } from '../order/repository.ts'
import { orderHistoryRepository } from '../order-history/repository.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'

/** What is due of an order whose payments sum to `paid`; below 0: to be paid back. */
export function balanceOf(
  { status, total, balanceRefunded }: Pick<Order, 'status' | 'total' | 'balanceRefunded'>,
  paid: Amount,
): Amount {
  if (status === 'PENDING_PAYMENT') return amountOf(total)
  const balance = amountOf(total) - paid + amountOf(balanceRefunded)
  // Nobody pays for a canceled order any more; what was paid too much of it is owed all the same.
  return status === 'PAID' || (status === 'CANCELED' && balance < 0n) ? balance : 0n
}

export type OrderBalanceInput = Versioned & { readonly amount?: string | null | undefined }

/** Records that the balance due of a paid order was paid. */
export const payOrderBalance = (unit: UnitOfWork, id: string, input: OrderBalanceInput, actor: Actor) =>
  bookBalance(unit, id, 'PAYMENT', input, actor)

/** Records that what is due to the customer, also of a canceled order, was paid back. */
export const refundOrderBalance = (unit: UnitOfWork, id: string, input: OrderBalanceInput, actor: Actor) =>
  bookBalance(unit, id, 'REFUND', input, actor)

async function bookBalance(unit: UnitOfWork, id: string, kind: 'PAYMENT' | 'REFUND', input: OrderBalanceInput, actor: Actor) {
  const { query, storeId } = unit
  const order = await orderRepository(query).lock(storeId, decodeId(id, 'Order') ?? 0)
  if (!order) return notFoundError('order', id)
  const stale = staleVersion(input.expectedVersion, order.version)
  if (stale) return stale
  if (order.status !== 'PAID' && !(kind === 'REFUND' && order.status === 'CANCELED'))
    return validationError([problem('id', 'an order that is PAID', `one that is ${order.status}`)])
  const balance = balanceOf(order, await ledgerRepository(query).paidOf(storeId, order.id))
  const due = kind === 'PAYMENT' ? balance : -balance
  const amount = input.amount == null ? due : amountOf(input.amount)
  const step = minorUnitOf(order.currency)
  if (amount <= 0n || amount > due || amount % step !== 0n) {
    const expectation =
      due > 0n ? `above 0 and at most ${textOf(due)}, in steps of ${textOf(step)}` : 'of an order with something due'
    return validationError([problem('amount', expectation, input.amount ?? textOf(amount))])
  }
  if (kind === 'PAYMENT') await payBalance(unit, order, amount, actor)
  else await refundBalance(unit, order, amount, actor)
  return { __typename: 'OrderBalanceSuccess' as const, order: order.id, amount: textOf(amount) }
}

/** Enters a payment of a locked order beside that of its first total. */
export async function payBalance(
  { query, storeId, now, emit }: UnitOfWork,
  order: Order,
  amount: Amount,
  actor: Actor | 'gateway',
): Promise<void> {
  await ledgerRepository(query).pay(storeId, { ...order, total: textOf(amount) }, now)
  await orderRepository(query).update(storeId, order.id, {}, now)
  await orderHistoryRepository(query).insert(storeId, {
    orderId: order.id,
    message: `${textOf(amount)} ${order.currency} of its balance were paid, by ${actor}.`,
    log: { event: 'balance', paid: textOf(amount), currency: order.currency, by: actor },
    at: now,
  })
  emit({ event: 'order_updated', entity: 'Order', id: order.id })
}

/** Enters that some of what is due to the customer of a locked order was paid back. */
async function refundBalance(
  { query, storeId, now, emit }: UnitOfWork,
  order: Order,
  amount: Amount,
  actor: Actor | 'gateway',
): Promise<void> {
  await ledgerRepository(query).payBack(storeId, order, textOf(amount), now)
  const balanceRefunded = textOf(amountOf(order.balanceRefunded) + amount)
  await orderRepository(query).update(storeId, order.id, { balanceRefunded }, now)
  await orderHistoryRepository(query).insert(storeId, {
    orderId: order.id,
    message: `${textOf(amount)} ${order.currency} of its balance were paid back, by ${actor}.`,
    log: { event: 'balance', paidBack: textOf(amount), currency: order.currency, by: actor },
    at: now,
  })
  emit({ event: 'order_updated', entity: 'Order', id: order.id })
}

/**
 * Takes what a gateway paid back of a locked order as a refund of its balance, as far as one is due;
 * returns the rest.
 */
export async function takeRefundDue(unit: UnitOfWork, order: Order, amount: Amount): Promise<Amount> {
  const due = -balanceOf(order, await ledgerRepository(unit.query).paidOf(unit.storeId, order.id))
  const part = least(amount, due > 0n ? due : 0n)
  if (part > 0n) await refundBalance(unit, order, part, 'gateway')
  return amount - part
}
