import { type Amount, amountOf, least, sumOf, textOf } from '../amount.ts'
import { ledgerRepository } from '../ledger/repository.ts'
import type { Order } from '../order/order.ts'
import { orderRepository } from '../order/repository.ts'
import { orderHistoryRepository } from '../order-history/repository.ts'
import type { UnitOfWork } from '../write.ts'
import type { OrderRefund } from './order-refund.ts'
import { orderRefundRepository } from './repository.ts'

/**
 * Records that refunds of a locked order failed at its gateway after they had succeeded. `entered` is
 * what of the payment's refunds is in the ledger: at most that is returned to it. Returns how much
 * was.
 */
export async function enterRefundFailure(unit: UnitOfWork, order: Order, failed: Amount, entered: Amount): Promise<Amount> {
  const { query, storeId, now, emit } = unit
  const refunds = orderRefundRepository(query)
  const ofOrder = await refunds.ofOrders(storeId, [order.id])
  const before = { refunded: amountOf(order.refunded), balance: amountOf(order.balanceRefunded) }
  const returned = least(failed, least(entered, before.refunded + before.balance))
  const shares = failedShares(ofOrder, returned, before)
  for (const { id, amount } of shares) await refunds.addFailure(storeId, id, textOf(amount))
  const ofBalance = least(returned - sumOf(shares.map(({ amount }) => amount)), before.balance)
  if (returned > 0n) await ledgerRepository(query).returnRefund(storeId, order, textOf(returned), now)
  await orderRepository(query).update(
    storeId,
    order.id,
    { refunded: textOf(before.refunded - (returned - ofBalance)), balanceRefunded: textOf(before.balance - ofBalance) },
    now,
  )
  const [amount, currency] = [textOf(failed), order.currency]
  await orderHistoryRepository(query).insert(storeId, {
    orderId: order.id,
    message: `A refund of ${amount} ${currency} failed at the gateway: the customer does not have the money. Try again, or pay it back otherwise.`,
    log: { event: 'refund-failure', amount, returned: textOf(returned), currency },
    at: now,
  })
  emit({ event: 'order_updated', entity: 'Order', id: order.id })
  return returned
}

/** Which refunds failed, and with how much: gateways name amounts only. What is left of `returned` was of the balance. */
function failedShares(
  refunds: readonly OrderRefund[],
  returned: Amount,
  { refunded, balance }: { readonly refunded: Amount; readonly balance: Amount },
): readonly { readonly id: number; readonly amount: Amount }[] {
  const open = refunds
    .map(({ id, amount, failedAmount }) => ({ id, amount: amountOf(amount) - amountOf(failedAmount) }))
    .filter(({ amount }) => amount > 0n)
    .toReversed()
  const same = open.find(({ amount }) => amount === returned)
  if (same) return [same]
  let left = balance === returned ? 0n : least(returned, refunded)
  return open.flatMap(({ id, amount }) => {
    const part = least(amount, left)
    left -= part
    return part > 0n ? [{ id, amount: part }] : []
  })
}
