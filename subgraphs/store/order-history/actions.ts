import { notFoundError, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import type { UnitOfWork } from '../write.ts'
import { historyProblems } from './order-history.ts'
import { orderHistoryRepository } from './repository.ts'

/** Notes something in the history of an order. */
export async function addOrderHistoryEntry(
  { query, storeId, now }: UnitOfWork,
  orderId: string,
  { message, log }: { readonly message: string; readonly log?: unknown },
) {
  const problems = historyProblems({ message, log })
  if (problems.length > 0) return validationError(problems)
  const history = orderHistoryRepository(query)
  const order = decodeId(orderId, 'Order') ?? 0
  if (!(await history.hasOrder(storeId, order))) return notFoundError('order', orderId)
  const entry = await history.insert(storeId, { orderId: order, message, log, at: now })
  return { __typename: 'AddOrderHistoryEntrySuccess' as const, entry }
}
