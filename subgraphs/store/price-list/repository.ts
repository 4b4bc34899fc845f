import { type Kysely, sql } from 'kysely'
import { anyOf } from '../../../platform/database/any-of.ts'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import { countRows, storeRows } from '../row-repository.ts'
import type { Tables } from '../tables.ts'
import type { PriceListFields, PriceListPrice, WrittenPrice } from './price-list.ts'
import { type AppliedList, reachableLists } from './rule.ts'

const COLUMNS = [
  'id',
  'name',
  'active',
  'customer_category_id as customerCategoryId',
  'currency',
  'priority',
  'starts_at as startsAt',
  'ends_at as endsAt',
  'adjustment_percent as adjustmentPercent',
  'rounding_step as roundingStep',
  'rounding_ending as roundingEnding',
  'rounding_direction as roundingDirection',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'version',
] as const

/**
 * Key of an advisory lock: any number that is the same in every process and used for nothing else.
 */
const LISTS_LOCK = 0x70726c73

export type PriceListRepository = ReturnType<typeof priceListRepository>

/** Price lists and their fixed prices in the database; every call is about one store. */
export const priceListRepository = (database: Kysely<Tables>) => ({
  ...storeRows(database, 'price_list', database.selectFrom('price_list').select(COLUMNS)),

  /** Number of lists of the store. */
  count: (storeId: number): Promise<number> => countRows(database, 'price_list', storeId),

  /** Keeps others from adding lists to the store until the transaction ends. */
  async lockLists(storeId: number): Promise<void> {
    await sql`SELECT pg_advisory_xact_lock(${LISTS_LOCK}, ${storeId})`.execute(database)
  },

  /**
   * Lists that apply to customers of these categories at a time in a currency, in their order; null:
   * to customers of none, or in the currency of the store. Without those that are never read.
   */
  async applied(
    storeId: number,
    categories: ReadonlySet<number> | null,
    { at, currency }: { readonly at: Date; readonly currency: string | null },
  ): Promise<readonly AppliedList[]> {
    return reachableLists(await APPLIED(database, storeId, [...(categories ?? [])], at, currency ?? ''))
  },

  /** Fixed prices of products in some lists; those of one unit have the minimum 1. */
  fixedOf: (
    storeId: number,
    listIds: readonly number[],
    productIds: readonly number[],
    isOfOneUnit = false,
  ): Promise<readonly PriceListPrice[]> => FIXED(database, storeId, listIds, productIds, isOfOneUnit),

  /** Prices of all variants of products. Decimals are exact text. */
  async variantsOf(storeId: number, productIds: readonly number[]): Promise<readonly VariantPrice[]> {
    return VARIANTS(database, storeId, productIds)
  },

  async insert(storeId: number, fields: PriceListFields, at: Date): Promise<number> {
    const { id } = await database
      .insertInto('price_list')
      .values({ store_id: storeId, ...columnsOf(fields), created_at: at, updated_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async update(storeId: number, id: number, fields: PriceListFields, at: Date): Promise<void> {
    await database
      .updateTable('price_list')
      .set((set) => ({ ...columnsOf(fields), updated_at: at, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /** Counts a change of the fixed prices of a list. */
  async touch(storeId: number, id: number, at: Date): Promise<void> {
    await database
      .updateTable('price_list')
      .set((set) => ({ updated_at: at, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /** Fixed prices of lists by their rows, one more of each than requested; `productId` null: of all. */
  async pricesOf(
    storeId: number,
    listIds: readonly number[],
    productId: number | null,
    { size, after, offset }: KeysetRange,
  ): Promise<readonly PriceListPrice[]> {
    const { rows } = await sql<PriceListPrice>`
      SELECT found.id, found.price_list_id AS "priceListId", found.product_id AS "productId", found.variant_id AS "variantId",
        found.minimum_quantity AS "minimumQuantity", found.price::text, found.compare_at_price::text AS "compareAtPrice"
      FROM unnest(${listIds}::integer[]) AS requested (id)
      CROSS JOIN LATERAL (
        SELECT * FROM price_list_price
        WHERE store_id = ${storeId} AND price_list_id = requested.id AND id > ${after === null ? 0 : Number(after[0])}
          AND (${productId}::integer IS NULL OR product_id = ${productId})
        ORDER BY id LIMIT ${size + 1} OFFSET ${offset}
      ) AS found
      ORDER BY found.id`.execute(database)
    return rows
  },

  /** Number of fixed prices of lists; `productId` null: of all products. */
  async countPrices(
    storeId: number,
    listIds: readonly number[],
    productId: number | null,
  ): Promise<readonly { readonly priceListId: number; readonly count: number }[]> {
    const { rows } = await sql<{ readonly priceListId: number; readonly count: number }>`
      SELECT price_list_id AS "priceListId", count(*)::integer AS count FROM price_list_price
      WHERE store_id = ${storeId} AND price_list_id = ANY (${listIds}::integer[])
        AND (${productId}::integer IS NULL OR product_id = ${productId})
      GROUP BY price_list_id`.execute(database)
    return rows
  },

  /** Those of these items that the store has, kept until the transaction ends: variants by product. */
  async keepItems(storeId: number, prices: readonly WrittenPrice[]) {
    const products = await database
      .selectFrom('product')
      .select('id')
      .where('store_id', '=', storeId)
      .where('id', '=', anyOf(prices.map(({ productId }) => productId)))
      .orderBy('id')
      .forKeyShare()
      .execute()
    const variants = await database
      .selectFrom('product_variant')
      .select(['id', 'product_id as productId'])
      .where('store_id', '=', storeId)
      .where('id', '=', anyOf(prices.flatMap(({ variantId }) => variantId ?? [])))
      .orderBy('id')
      .forKeyShare()
      .execute()
    return {
      products: new Set(products.map(({ id }) => id)),
      variants: new Map(variants.map(({ id, productId }) => [id, productId])),
    }
  },

  /** Sets fixed prices of a locked list, whose items exist. */
  async setPrices(storeId: number, priceListId: number, prices: readonly WrittenPrice[]): Promise<void> {
    await sql`
      INSERT INTO price_list_price (store_id, price_list_id, product_id, variant_id, minimum_quantity, price, compare_at_price)
      SELECT ${storeId}, ${priceListId}, product_id, variant_id, minimum_quantity, price, compare_at
      FROM unnest(${prices.map(({ productId }) => productId)}::integer[], ${prices.map(({ variantId }) => variantId)}::integer[],
        ${prices.map(({ minimumQuantity }) => minimumQuantity)}::integer[], ${prices.map(({ price }) => price)}::numeric[],
        ${prices.map(({ compareAtPrice }) => compareAtPrice)}::numeric[])
        AS row (product_id, variant_id, minimum_quantity, price, compare_at)
      ON CONFLICT (store_id, price_list_id, product_id, coalesce(variant_id, 0), minimum_quantity)
      DO UPDATE SET price = excluded.price, compare_at_price = excluded.compare_at_price`.execute(database)
  },

  /** Number of fixed prices of the item of a list that has most of them, among some products. */
  async maxBreaks(storeId: number, priceListId: number, productIds: readonly number[]): Promise<number> {
    const { rows } = await sql<{ readonly count: number }>`
      SELECT count(*)::integer AS count FROM price_list_price
      WHERE store_id = ${storeId} AND price_list_id = ${priceListId} AND product_id = ANY (${productIds}::integer[])
      GROUP BY product_id, variant_id ORDER BY 1 DESC LIMIT 1`.execute(database)
    return rows[0]?.count ?? 0
  },

  /** Removes fixed prices of items: of all minimums, where that is null. Returns their number. */
  async removePrices(
    storeId: number,
    priceListId: number,
    items: readonly (Pick<WrittenPrice, 'productId' | 'variantId'> & { readonly minimumQuantity: number | null })[],
  ): Promise<number> {
    const { numAffectedRows } = await sql`
      DELETE FROM price_list_price AS price
      USING unnest(${items.map(({ productId }) => productId)}::integer[], ${items.map(({ variantId }) => variantId)}::integer[],
        ${items.map(({ minimumQuantity }) => minimumQuantity)}::integer[]) AS item (product_id, variant_id, minimum_quantity)
      WHERE price.store_id = ${storeId} AND price.price_list_id = ${priceListId} AND price.product_id = item.product_id
        AND price.variant_id IS NOT DISTINCT FROM item.variant_id
        AND (item.minimum_quantity IS NULL OR price.minimum_quantity = item.minimum_quantity)`.execute(database)
    return Number(numAffectedRows ?? 0)
  },
})

/** Price of a variant without lists. */
export type VariantPrice = {
  readonly productId: number
  readonly variantId: number
  readonly price: string
  readonly compareAtPrice: string | null
}

const columnsOf = (fields: PriceListFields) => ({
  name: fields.name,
  active: fields.active,
  customer_category_id: fields.customerCategoryId,
  currency: fields.currency,
  priority: fields.priority,
  starts_at: fields.startsAt,
  ends_at: fields.endsAt,
  adjustment_percent: fields.adjustmentPercent,
  rounding_step: fields.roundingStep,
  rounding_ending: fields.roundingEnding,
  rounding_direction: fields.roundingDirection,
})

const APPLIED = prepared((database: Kysely<Tables>, storeId: number, categories: readonly number[], at: Date, currency: string) =>
  sql<AppliedList>`
    SELECT id, currency, adjustment_percent::text AS "adjustmentPercent", rounding_step::text AS "roundingStep",
      rounding_ending::text AS "roundingEnding", rounding_direction AS "roundingDirection"
    FROM price_list
    WHERE store_id = ${storeId} AND active AND (starts_at IS NULL OR starts_at <= ${at}) AND (ends_at IS NULL OR ends_at > ${at})
      AND (customer_category_id IS NULL OR customer_category_id = ANY (${categories}::integer[]))
      AND (currency IS NULL OR currency = ${currency})
    ORDER BY customer_category_id IS NULL, currency IS NULL, priority DESC, id`.compile(database),
)

const FIXED = prepared(
  (database: Kysely<Tables>, storeId: number, listIds: readonly number[], productIds: readonly number[], isOfOneUnit: boolean) =>
    sql<PriceListPrice>`
    SELECT id, price_list_id AS "priceListId", product_id AS "productId", variant_id AS "variantId",
      minimum_quantity AS "minimumQuantity", price::text, compare_at_price::text AS "compareAtPrice"
    FROM price_list_price
    WHERE store_id = ${storeId} AND product_id = ANY (${productIds}::integer[]) AND price_list_id = ANY (${listIds}::integer[])
      AND (NOT ${isOfOneUnit}::boolean OR minimum_quantity = 1)`.compile(database),
)

const VARIANTS = prepared((database: Kysely<Tables>, storeId: number, productIds: readonly number[]) =>
  sql<VariantPrice>`
    SELECT product_id AS "productId", id AS "variantId", price::text, compare_at_price::text AS "compareAtPrice"
    FROM product_variant WHERE store_id = ${storeId} AND product_id = ANY (${productIds}::integer[]) ORDER BY id`.compile(
    database,
  ),
)
