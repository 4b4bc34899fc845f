import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import type { LocationStockValue } from './stock-value.ts'

/** Sums over stock in the database; every call is about one store. */
export const stockValueRepository = (database: Kysely<Tables>) => ({
  /**
   * By location, the items that are not tracked per location last. A product with variants has the
   * stock of these; the discount of a product takes off the price of each variant.
   */
  async byLocation(storeId: number): Promise<LocationStockValue[]> {
    const { rows } = await sql<LocationStockValue>`
      WITH item AS (
        SELECT product.id AS product_id, variant.id AS variant_id, coalesce(variant.stock, product.stock) AS stock,
          CASE WHEN variant.id IS NULL THEN product.cost_per_item ELSE variant.cost_per_item END AS cost,
          greatest(coalesce(variant.price, product.price) - product.discount, 0) AS price
        FROM product
        LEFT JOIN product_variant AS variant ON variant.store_id = ${storeId} AND variant.product_id = product.id
        WHERE product.store_id = ${storeId} AND NOT coalesce(variant.stock_unlimited, product.stock_unlimited)
      ), placed AS (
        SELECT level.location_id, coalesce(level.stock, item.stock)::bigint AS units, item.cost, item.price
        FROM item
        LEFT JOIN inventory_level AS level ON level.store_id = ${storeId} AND level.product_id = item.product_id
          AND level.variant_id IS NOT DISTINCT FROM item.variant_id
      )
      SELECT location_id AS "locationNumber", sum(units) AS units,
        coalesce(sum(units) FILTER (WHERE cost IS NULL), 0) AS "unitsWithoutCost",
        sum(units * cost) FILTER (WHERE units > 0) AS cost, sum(units * price) AS price
      FROM placed GROUP BY location_id HAVING sum(units) > 0 ORDER BY location_id NULLS LAST`.execute(database)
    return rows
  },
})
