import { encodeId } from '../../toolkit/ids.ts'
import { problem, validationError } from '../../toolkit/validation.ts'
import type { Actor } from '../access/actor.ts'
import { type Amount, amountOf, least, textOf } from '../amount.ts'
import type { Versioned } from '../input.ts'
import type { LineInput } from '../order/calculation/draft.ts'
import { orderLineRepository } from '../order/line/repository.ts'
import { orderRepository } from '../order/repository.ts'
import { applyEdit } from '../order-edit/actions.ts'
import { refundOrder } from '../order-refund/actions.ts'
import { payBalance } from '../order-refund/balance.ts'
import { orderRefundRepository } from '../order-refund/repository.ts'
import { refundThroughGateway } from '../payment/actions.ts'
import type { UnitOfWork } from '../write.ts'
import { lockReturn, moved } from './actions.ts'
import { orderReturnRepository } from './repository.ts'

/** Amounts of the refund of a return, as a caller gives them. */
export type ReturnRefundInput = Versioned & {
  readonly amount?: string | null | undefined
  readonly toGiftCards?: string | null | undefined
  readonly throughGateway?: boolean | null | undefined
  readonly exchangeLines?: readonly LineInput[] | null | undefined
}

/**
 * Refunds the units of a return that arrived, and closes it. Its status and its order are locked, so
 * that it is refunded once, however often it is requested. Exchange lines are added to the order:
 * the money of the refund pays for them, and the difference is due or paid back.
 */
export async function refundOrderReturn(unit: UnitOfWork, id: string, input: ReturnRefundInput, actor: Actor) {
  const { query, storeId } = unit
  const found = await lockReturn(unit, id, 'CLOSED', input)
  if ('failure' in found) return found.failure
  const { order, orderReturn } = found
  const lines = await orderLineRepository(query).ofOrders(storeId, [order.id])
  const refunds = orderRefundRepository(query)
  const refunded = await refunds.unitsOf(storeId, order.id)
  const arrived = await orderReturnRepository(query).linesOf(storeId, [orderReturn.id])
  // Units that were refunded before, without this return, are not refunded again.
  const units = arrived.flatMap(({ lineNumber, received }) => {
    const line = lines.find(({ id: row }) => row === lineNumber)
    const quantity = Math.min(received ?? 0, (line?.quantity ?? 0) - (refunded.get(lineNumber) ?? 0))
    return quantity > 0 ? [{ lineId: encodeId('OrderLine', String(lineNumber)), quantity }] : []
  })
  if (units.length === 0) return validationError([problem('id', 'a return with units that were not refunded before', id)])
  const { amount, toGiftCards } = input
  const result = await refundOrder(unit, String(order.id), {
    ...{ amount, toGiftCards, lines: units, reason: `Return ${orderReturn.id}` },
  })
  if (result.__typename !== 'RefundOrderSuccess') return result
  const [refund] = await refunds.findByIds(storeId, [result.refund])
  const money = amountOf(refund?.amount ?? '0')
  const exchanged = await exchange(unit, order.id, { lines: input.exchangeLines ?? [], money, actor })
  if ('failure' in exchanged) return exchanged.failure
  const rest = money - exchanged.spent
  let payments: readonly number[] = []
  if (input.throughGateway === true && rest > 0n) {
    const requested = await refundThroughGateway(unit, order.id, textOf(rest))
    if ('failure' in requested) return requested.failure
    payments = requested.payments
  }
  await moved(unit, orderReturn, { to: 'CLOSED', reason: null, refundId: result.refund, actor })
  return { __typename: 'OrderReturnSuccess' as const, orderReturn: orderReturn.id, payments }
}

/** Adds lines to a locked order, and pays for them with money that was just refunded. */
async function exchange(
  unit: UnitOfWork,
  orderId: number,
  { lines, money, actor }: { readonly lines: readonly LineInput[]; readonly money: Amount; readonly actor: Actor },
) {
  if (lines.length === 0) return { spent: 0n }
  const orders = orderRepository(unit.query)
  const before = await orders.lock(unit.storeId, orderId)
  const edited = before && (await applyEdit(unit, before, { addLines: lines }, actor))
  if (!edited) throw new Error('Expected the order that is locked.')
  if (edited.failure) return { failure: edited.failure }
  const dearer = amountOf(edited.total) - amountOf(before.total)
  // Taxes of today can make the order cheaper: that is `Order.refundDue`, and no part of this refund.
  const spent = dearer > 0n ? least(money, dearer) : 0n
  const after = await orders.lock(unit.storeId, orderId)
  if (after && spent > 0n) await payBalance(unit, after, spent, actor)
  return { spent }
}
