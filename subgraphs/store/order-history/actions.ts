import { notFoundError, validationError } from '../../toolkit/validation.ts'
import { rowOf } from '../ids.ts'
import { orderRepository } from '../order/repository.ts'
import type { Unit } from '../write.ts'
import { historyProblems } from './order-history.ts'
import { orderHistoryRepository } from './repository.ts'

/** Notes something in the history of an order. */
export async function addOrderHistoryEntry(
  { query, storeId, now }: Unit,
  orderId: string,
  { message, log }: { readonly message: string; readonly log?: unknown },
) {
  const problems = historyProblems({ message, log })
  if (problems.length > 0) return validationError(problems)
  const [order] = await orderRepository(query).findByIds(storeId, [rowOf(orderId, 'Order') ?? 0])
  if (!order) return notFoundError('order', orderId)
  const entry = await orderHistoryRepository(query).insert(storeId, { orderId: order.id, message, log, at: now })
  return { __typename: 'AddOrderHistoryEntrySuccess' as const, entry }
}
