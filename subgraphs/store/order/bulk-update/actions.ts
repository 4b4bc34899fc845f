import { problem, validationError } from '../../../toolkit/validation.ts'
import { decodeId } from '../../ids.ts'
import { inventoryRepository } from '../../inventory/repository.ts'
import { withSavepoint } from '../../savepoint.ts'
import type { UnitOfWork } from '../../write.ts'
import { type OrderUpdate, updateOrder } from '../actions.ts'
import { orderLineRepository } from '../line/repository.ts'
import { orderRepository } from '../repository.ts'

type Change = { readonly id: string; readonly input: OrderUpdate & { readonly idempotencyKey?: string | null | undefined } }
type ErrorPolicy = 'ALL_OR_NOTHING' | 'SKIP'

const MAX_ROWS = 100

type Failure = Exclude<Awaited<ReturnType<typeof updateOrder>>, { readonly __typename: 'UpdateOrderSuccess' }>

/** What became of one row: the order's, or why it was refused. */
export type BulkOrderRow = { readonly index: number; readonly order: number | null; readonly failure: Failure | null }

/** Changes orders, in their order. */
export async function bulkUpdateOrders(
  unit: UnitOfWork,
  { orders, onError }: { readonly orders: readonly Change[]; readonly onError: ErrorPolicy },
) {
  if (orders.length === 0 || orders.length > MAX_ROWS) {
    return validationError([problem('orders', `1 to ${MAX_ROWS} orders`, orders.length)])
  }
  const rows = orders.map(({ id }) => decodeId(id, 'Order') ?? 0)
  const twice = rows.findIndex((row, index) => row !== 0 && rows.indexOf(row) !== index)
  if (twice !== -1) return validationError([problem(`orders.${twice}.id`, 'of an order that is named once', orders[twice]?.id)])
  await lockAll(unit, rows)

  const done: BulkOrderRow[] = []
  for (const [index, { id, input }] of orders.entries()) {
    const result = await withSavepoint(unit, async (within) =>
      // One key is for the whole: rows that are done again alone would be done twice.
      input.idempotencyKey == null
        ? updateOrder(within, id, input)
        : validationError([problem('idempotencyKey', 'absent in a row', input.idempotencyKey)]),
    )
    done.push('order' in result ? { index, order: result.order, failure: null } : { index, order: null, failure: result })
  }
  const refused = done.filter(({ failure }) => failure !== null).length
  if (refused === 0 || onError === 'SKIP') return { __typename: 'BulkOrdersSuccess' as const, rows: done }
  return {
    __typename: 'BulkOrdersRefused' as const,
    message: `${refused} of ${orders.length} changes were refused, so nothing was changed.`,
    rows: done.map((row) => ({ ...row, order: null })),
  }
}

/** Locks orders and then their products, each by id, to avoid deadlocks. */
async function lockAll({ query, storeId }: UnitOfWork, rows: readonly number[]): Promise<void> {
  await orderRepository(query).lockAll(storeId, rows)
  const lines = await orderLineRepository(query).ofOrders(storeId, rows)
  const products = new Set(lines.map(({ productNumber }) => productNumber))
  await inventoryRepository(query).lock(storeId, [...products])
}
