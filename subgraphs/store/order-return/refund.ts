import { encodeId } from '../../toolkit/ids.ts'
import { problem, validationError } from '../../toolkit/validation.ts'
import type { Actor } from '../access/actor.ts'
import { amountOf } from '../amount.ts'
import type { Versioned } from '../input.ts'
import { orderLineRepository } from '../order/line-repository.ts'
import { refundOrder } from '../order-refund/actions.ts'
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
}

/**
 * Refunds the units of a return that arrived, and closes it. Its status and its order are locked, so
 * that it is refunded once, however often it is requested.
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
  let payments: readonly number[] = []
  if (input.throughGateway === true && refund && amountOf(refund.amount) > 0n) {
    const requested = await refundThroughGateway(unit, order.id, refund.amount)
    if ('failure' in requested) return requested.failure
    payments = requested.payments
  }
  await moved(unit, orderReturn, { to: 'CLOSED', reason: null, refundId: result.refund, actor })
  return { __typename: 'OrderReturnSuccess' as const, orderReturn: orderReturn.id, payments }
}
