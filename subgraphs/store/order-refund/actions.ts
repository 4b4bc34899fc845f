import { notFoundError, problem, textProblem, validationError } from '../../toolkit/validation.ts'
import { amountOf, textOf } from '../amount.ts'
import { returnGiftCards, unreturnedGiftCards } from '../gift-card/redeem.ts'
import { decodeId } from '../ids.ts'
import type { Versioned } from '../input.ts'
import { releaseStock } from '../inventory/stock.ts'
import { ledgerRepository } from '../ledger/repository.ts'
import { orderLineRepository } from '../order/line/repository.ts'
import { MAX_LINES } from '../order/order.ts'
import { orderRepository } from '../order/repository.ts'
import { orderHistoryRepository } from '../order-history/repository.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import { MAX_REFUNDS, type RefundInput, refundOf, type WrittenRefund } from './order-refund.ts'
import { orderRefundRepository } from './repository.ts'

const MAX_REASON_LENGTH = 2_000

/** Pays back some of an order that was paid, or all that is left of it. */
export async function refundOrder(
  unit: UnitOfWork,
  id: string,
  input: RefundInput & Versioned & { readonly restock?: boolean | null | undefined; readonly reason?: string | null | undefined },
) {
  const { query, storeId, now, emit } = unit
  const reasonProblem = input.reason == null ? null : textProblem('reason', input.reason, MAX_REASON_LENGTH)
  if (reasonProblem) return validationError([reasonProblem])
  if ((input.lines?.length ?? 0) > MAX_LINES) {
    return validationError([problem('lines', `at most ${MAX_LINES} lines`, input.lines?.length)])
  }
  const orders = orderRepository(query)
  const order = await orders.lock(storeId, decodeId(id, 'Order') ?? 0)
  if (!order) return notFoundError('order', id)
  const stale = staleVersion(input.expectedVersion, order.version)
  if (stale) return stale
  const ledger = ledgerRepository(query)
  if (!(await ledger.isPaid(storeId, order.id))) {
    return validationError([problem('id', 'an order that was paid', `one that is ${order.status}`)])
  }
  const refunds = orderRefundRepository(query)
  if ((await refunds.ofOrders(storeId, [order.id])).length >= MAX_REFUNDS) {
    return validationError([problem('id', `an order with fewer than ${MAX_REFUNDS} refunds`, id)])
  }

  const lines = await orderLineRepository(query).ofOrders(storeId, [order.id])
  const written = refundOf(
    order,
    lines,
    {
      refunded: await refunds.unitsOf(storeId, order.id),
      unreturned: await unreturnedGiftCards(unit, order.id),
      net: await ledger.netOf(storeId, order.id),
    },
    input,
  )
  if ('problems' in written) return validationError(written.problems)
  const restocked = input.restock === true
  const reason = input.reason ?? null
  const refund = await refunds.insert(storeId, order.id, { ...written, reason, restocked, at: now })
  await returnGiftCards(unit, order.id, amountOf(written.toGiftCards))
  if (amountOf(written.amount) > 0n) await ledger.payBack(storeId, order, written.amount, now)
  const refunded = textOf(amountOf(order.refunded) + amountOf(written.amount))
  await orders.update(storeId, order.id, { refunded }, now)
  await orderHistoryRepository(query).insert(storeId, {
    orderId: order.id,
    message: refundMessage(written, order.currency),
    log: {
      event: 'refund',
      amount: written.amount,
      toGiftCards: written.toGiftCards,
      currency: order.currency,
      reason,
      restocked,
    },
    at: now,
  })
  if (restocked) {
    const named = written.lines.map(({ lineNumber, quantity }) => ({ orderLineId: lineNumber, quantity }))
    await releaseStock(unit, named.length > 0 ? named : lines.map((line) => ({ orderLineId: line.id, quantity: null })))
  }
  emit({ event: 'order_updated', entity: 'Order', id: order.id })
  return { __typename: 'RefundOrderSuccess' as const, order: order.id, refund }
}

/** For the history of the order. */
function refundMessage({ amount, toGiftCards }: WrittenRefund, currency: string): string {
  const money = amountOf(amount) > 0n ? [`${amount} ${currency} were paid back.`] : []
  return [...money, ...(amountOf(toGiftCards) > 0n ? [`${toGiftCards} ${currency} went back to gift cards.`] : [])].join(' ')
}
