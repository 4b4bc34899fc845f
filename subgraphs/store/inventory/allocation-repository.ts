import { type Kysely, sql } from 'kysely'
import { anyOf } from '../../../platform/database/any-of.ts'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import type { Tables } from '../tables.ts'
import type { StockItem } from './inventory.ts'

/** What an order holds of an item. */
export type HeldAllocation = StockItem & {
  readonly locationId: number | null
  readonly orderLineId: number
  readonly quantity: number
}

/** The same with its row. */
export type StoredAllocation = HeldAllocation & { readonly id: number }

export type AllocationRepository = ReturnType<typeof allocationRepository>

/** What lines of orders hold of the stock, in the database; every call is about one store. */
export const allocationRepository = (database: Kysely<Tables>) => ({
  async reserve(storeId: number, allocations: readonly HeldAllocation[]): Promise<void> {
    if (allocations.length === 0) return
    await database
      .insertInto('stock_allocation')
      .values(
        allocations.map(({ orderLineId, locationId, productId, variantId, quantity }) => ({
          store_id: storeId,
          order_line_id: orderLineId,
          location_id: locationId,
          product_id: productId,
          variant_id: variantId,
          quantity,
        })),
      )
      .execute()
  },

  /** Reservations of order lines, in the order in which they were made. */
  heldBy: (storeId: number, orderLineIds: readonly number[]): Promise<StoredAllocation[]> =>
    HELD_BY(database, storeId, orderLineIds),

  /** Lines hold so many pieces less; an allocation that none is left of goes. */
  async release(storeId: number, parts: readonly Pick<StoredAllocation, 'id' | 'quantity'>[]): Promise<void> {
    const [ids, quantities] = [parts.map(({ id }) => id), parts.map(({ quantity }) => quantity)]
    await sql`
      WITH part AS (SELECT * FROM unnest(${ids}::integer[], ${quantities}::integer[]) AS part (id, quantity)),
        gone AS (
          DELETE FROM stock_allocation USING part
          WHERE store_id = ${storeId} AND stock_allocation.id = part.id AND stock_allocation.quantity = part.quantity
        )
      UPDATE stock_allocation SET quantity = stock_allocation.quantity - part.quantity FROM part
      WHERE store_id = ${storeId} AND stock_allocation.id = part.id AND stock_allocation.quantity > part.quantity`.execute(
      database,
    )
  },
})

const HELD_BY = prepared((database: Kysely<Tables>, storeId: number, orderLineIds: readonly number[]) =>
  database
    .selectFrom('stock_allocation')
    .select([
      'id',
      'order_line_id as orderLineId',
      'location_id as locationId',
      'product_id as productId',
      'variant_id as variantId',
      'quantity',
    ])
    .where('store_id', '=', storeId)
    .where('order_line_id', '=', anyOf(orderLineIds))
    .orderBy('id')
    .compile(),
)
