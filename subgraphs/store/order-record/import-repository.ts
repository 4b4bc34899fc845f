import { type Kysely, sql } from 'kysely'
import type { OrderOrigin } from '../order/order.ts'
import type { Tables } from '../tables.ts'

/** The product or variant of an SKU. */
export type SkuItem = { readonly sku: string; readonly productId: number; readonly variantId: number | null }

/** What identifies an order of another shop in a store. */
export type OriginKey = Pick<OrderOrigin, 'source' | 'name'>

export const originKey = ({ source, name }: OriginKey): string => JSON.stringify([source, name])

/** What imports of orders read and write beside orders; every call is about one store. */
export const orderImportRepository = (database: Kysely<Tables>) => ({
  /** Other imports of orders into the store wait until the transaction ends. */
  async lock(storeId: number): Promise<void> {
    await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`imported orders ${storeId}`}, 0))`.execute(database)
  },

  /** Keys of those of these orders that were imported. */
  async known(storeId: number, orders: readonly OriginKey[]): Promise<ReadonlySet<string>> {
    const { rows } = await sql<OriginKey>`
      SELECT source, name FROM imported_order WHERE store_id = ${storeId} AND (source, name) IN (SELECT * FROM unnest(
        ${orders.map(({ source }) => source)}::text[], ${orders.map(({ name }) => name)}::text[]))`.execute(database)
    return new Set(rows.map(originKey))
  },

  /** Products without variants, and variants, by SKU; the oldest of several with one. */
  async itemsBySku(storeId: number, skus: readonly string[]): Promise<ReadonlyMap<string, SkuItem>> {
    if (skus.length === 0) return new Map()
    const { rows } = await sql<SkuItem>`
      SELECT variant.sku, variant.product_id AS "productId", variant.id AS "variantId" FROM product_variant AS variant
      WHERE variant.store_id = ${storeId} AND variant.sku = ANY(${skus}::text[])
      UNION ALL
      SELECT product.sku, product.id, NULL FROM product
      WHERE product.store_id = ${storeId} AND product.sku = ANY(${skus}::text[]) AND NOT EXISTS (
        SELECT 1 FROM product_variant AS variant WHERE variant.store_id = product.store_id AND variant.product_id = product.id)
      ORDER BY "productId" DESC, "variantId" DESC`.execute(database)
    return new Map(rows.map((item) => [item.sku, item]))
  },

  async insertOrigin(storeId: number, { orderId, source, name, externalId }: OrderOrigin, createdAt: Date): Promise<void> {
    await database
      .insertInto('imported_order')
      .values({ ...{ store_id: storeId, order_id: orderId, source, name }, external_id: externalId, created_at: createdAt })
      .execute()
  },
})
