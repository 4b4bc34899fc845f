import { type Kysely, sql } from 'kysely'
import { anyOf } from '../../../platform/database/any-of.ts'
import { productCategoryRepository } from '../product-category/repository.ts'
import type { Tables } from '../tables.ts'
import { taxRepository } from '../tax/repository.ts'
import type { PriceRules } from './price.ts'

/** Summary of the variants of a product. Prices are exact text, as listed. */
export type VariantSummary = {
  readonly productId: number
  readonly minPrice: string
  readonly maxPrice: string
  readonly isInStock: boolean
}

/** A review without its author. */
export type PublishedReview = {
  readonly productId: number
  readonly rating: number
  readonly text: string | null
  readonly verified: boolean
  readonly createdAt: Date
}

/** Most products of a category that are candidates for related ones. */
const MAX_RELATED_CANDIDATES = 200

export type StorefrontProductRepository = ReturnType<typeof storefrontProductRepository>

/** What shoppers see of products in the database; every call is about one store. */
export const storefrontProductRepository = (database: Kysely<Tables>) => ({
  /** How the store prices and taxes. */
  async priceRules(storeId: number): Promise<PriceRules> {
    const taxes = taxRepository(database)
    const [store, settings, rates] = await Promise.all([
      database.selectFrom('store').select('country').where('id', '=', storeId).executeTakeFirstOrThrow(),
      taxes.settings(storeId),
      taxes.list(storeId),
    ])
    return { ...store, pricesIncludeTax: settings.pricesIncludeTax, taxes: rates }
  },

  /** Without products that have no variants. */
  async variantSummaries(storeId: number, productIds: readonly number[]): Promise<VariantSummary[]> {
    const { rows } = await sql<VariantSummary>`
      SELECT product_id AS "productId", min(price)::text AS "minPrice", max(price)::text AS "maxPrice",
        bool_or(stock_unlimited OR stock > 0) AS "isInStock"
      FROM product_variant WHERE store_id = ${storeId} AND product_id = ANY (${productIds}::integer[])
      GROUP BY product_id`.execute(database)
    return rows
  },

  /** Without products that are in no category. */
  async categoriesAbove(storeId: number, productIds: readonly number[]) {
    const categories = await productCategoryRepository(database).ofProducts(storeId, productIds)
    return [...categories].map(([productId, ids]) => ({ productId, ids }))
  },

  /** Without products that have no published reviews. */
  ratings: (storeId: number, productIds: readonly number[]) =>
    database
      .selectFrom('product_rating')
      .select(['product_id as productId', 'count', 'sum'])
      .where('store_id', '=', storeId)
      .where('product_id', '=', anyOf(productIds))
      .execute(),

  /** Published ones, newest first, at most `size` of each product. */
  async reviews(storeId: number, productIds: readonly number[], size: number): Promise<PublishedReview[]> {
    const { rows } = await sql<PublishedReview>`
      SELECT found.product_id AS "productId", found.rating, found.review AS text, found.order_id IS NOT NULL AS verified,
        found.created_at AS "createdAt"
      FROM unnest(${productIds}::integer[]) AS wanted (id)
      CROSS JOIN LATERAL (
        SELECT * FROM product_review
        WHERE store_id = ${storeId} AND product_id = wanted.id AND status = 'PUBLISHED' ORDER BY id DESC LIMIT ${size}
      ) AS found
      ORDER BY found.id DESC`.execute(database)
    return rows
  },

  /** Published products with most categories in common, then the newest, at most `size` of each. */
  async related(storeId: number, productIds: readonly number[], size: number) {
    const { rows } = await sql<{ readonly productId: number; readonly id: number }>`
      SELECT wanted.id AS "productId", found.id
      FROM unnest(${productIds}::integer[]) AS wanted (id)
      CROSS JOIN LATERAL (
        SELECT near.id, count(*) AS shared
        FROM product_category_member own
        CROSS JOIN LATERAL (
          SELECT product.id FROM product_category_member other
          JOIN product ON product.store_id = other.store_id AND product.id = other.product_id
          WHERE other.store_id = ${storeId} AND other.category_id = own.category_id AND other.product_id <> wanted.id
            AND product.status <> 'DISABLED'
          ORDER BY other.product_id DESC LIMIT ${MAX_RELATED_CANDIDATES}
        ) AS near
        WHERE own.store_id = ${storeId} AND own.product_id = wanted.id
        GROUP BY near.id ORDER BY shared DESC, near.id DESC LIMIT ${size}
      ) AS found
      ORDER BY found.shared DESC, found.id DESC`.execute(database)
    return rows
  },
})
