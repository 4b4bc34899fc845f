import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import { storeRows } from '../row-repository.ts'
import type { Tables } from '../tables.ts'
import type { CouponFields, PromotionFields } from './problems.ts'
import type { Promotion, PromotionCoupon } from './promotion.ts'
import { couponKey } from './rule.ts'

const rows = (table: string, column: string, isX: boolean | null): RawBuilder<readonly number[]> => sql`ARRAY(
  SELECT ${sql.ref(`member.${column}`)} FROM ${sql.table(table)} member
  WHERE member.store_id = promotion.store_id AND member.promotion_id = promotion.id
  ${isX === null ? sql`` : sql`AND member.is_x = ${sql.lit(isX)}`} ORDER BY 1)`

const COLUMNS = [
  'id',
  'name',
  'enabled',
  'discount_target as discountTarget',
  'buys_at_least as buysAtLeast',
  'condition_price as conditionPrice',
  'condition_qty as conditionQty',
  'quantity_x as quantityX',
  'type',
  'discount_amount_fix as discountAmountFix',
  'discount_amount_percent as discountAmountPercent',
  'lasts',
  'begins_at as beginsAt',
  'expires_at as expiresAt',
  'times_used as timesUsed',
  'max_times_used as maxTimesUsed',
  'cumulative',
  'customers',
  'countries',
  'regions',
  'municipalities',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'version',
  rows('promotion_customer_category', 'category_id', null).as('customerCategories'),
  rows('promotion_category', 'category_id', false).as('categories'),
  rows('promotion_category', 'category_id', true).as('categoriesX'),
  rows('promotion_product', 'product_id', false).as('products'),
  rows('promotion_product', 'product_id', true).as('productsX'),
] as const

const COUPONS = ['id', 'promotion_id as promotionId', 'code', 'usage_limit as usageLimit', 'times_used as timesUsed'] as const

/** What a promotion refers to. */
type Referred = 'product' | 'product_category' | 'customer_category'

export type PromotionRepository = ReturnType<typeof promotionRepository>

/** Promotions and their coupons in the database; every call is about one store. */
export const promotionRepository = (database: Kysely<Tables>) => ({
  ...storeRows(database, 'promotion', database.selectFrom('promotion').select(COLUMNS)),

  /** Oldest first, one more than requested; `enabled` null: all. */
  list(storeId: number, { size, after, offset }: KeysetRange, enabled: boolean | null): Promise<Promotion[]> {
    let query = database.selectFrom('promotion').select(COLUMNS).where('store_id', '=', storeId)
    if (enabled !== null) query = query.where('enabled', '=', enabled)
    if (after) query = query.where('id', '>', Number(after[0]))
    return query
      .orderBy('id')
      .limit(size + 1)
      .offset(offset)
      .execute()
  },

  async count(storeId: number, enabled: boolean | null): Promise<number> {
    const query = database
      .selectFrom('promotion')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('store_id', '=', storeId)
    const { count } = await (enabled === null ? query : query.where('enabled', '=', enabled)).executeTakeFirstOrThrow()
    return Number(count)
  },

  /**
   * Candidates for an order: promotions without coupons that are enabled and not past, and,
   * whatever their state, those of the coupons with these keys.
   */
  candidates: (storeId: number, keys: readonly string[], now: Date): Promise<Promotion[]> =>
    database
      .selectFrom('promotion')
      .select(COLUMNS)
      .where('store_id', '=', storeId)
      .where(
        sql<boolean>`enabled AND NOT (lasts IN ('DATE', 'BOTH') AND coalesce(expires_at <= ${now}, false))
            AND NOT EXISTS (SELECT FROM coupon WHERE coupon.store_id = promotion.store_id AND coupon.promotion_id = promotion.id)
          OR id IN (SELECT promotion_id FROM coupon WHERE store_id = ${storeId} AND code_key = ANY (${keys}::text[]))`,
      )
      .orderBy('id')
      .execute(),

  /** In any order. */
  couponsByKeys: (storeId: number, keys: readonly string[]): Promise<PromotionCoupon[]> =>
    database
      .selectFrom('coupon')
      .select(COUPONS)
      .where('store_id', '=', storeId)
      .where(sql<boolean>`code_key = ANY (${keys}::text[])`)
      .execute(),

  /** Oldest first. */
  couponsOf: (storeId: number, promotionIds: readonly number[]): Promise<PromotionCoupon[]> =>
    database
      .selectFrom('coupon')
      .select(COUPONS)
      .where('store_id', '=', storeId)
      .where('promotion_id', 'in', promotionIds)
      .orderBy('id')
      .execute(),

  /** Which of these rows the store does not have. */
  async missing(storeId: number, table: Referred, ids: readonly number[]): Promise<readonly number[]> {
    if (ids.length === 0) return []
    const found = await sql<{ id: number }>`
      SELECT id FROM unnest(${ids}::integer[]) AS requested (id)
      WHERE NOT EXISTS (SELECT FROM ${sql.table(table)} there WHERE there.store_id = ${storeId} AND there.id = requested.id)`.execute(
      database,
    )
    return found.rows.map(({ id }) => id)
  },

  async insert(storeId: number, fields: PromotionFields, at: Date): Promise<number> {
    const { id } = await database
      .insertInto('promotion')
      .values({ store_id: storeId, created_at: at, updated_at: at, ...columnsOf(fields) })
      .returning('id')
      .executeTakeFirstOrThrow()
    await setMembers(database, storeId, id, fields)
    return id
  },

  async update(storeId: number, id: number, fields: PromotionFields, at: Date): Promise<void> {
    await database
      .updateTable('promotion')
      .set((set) => ({ ...columnsOf(fields), updated_at: at, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
    await setMembers(database, storeId, id, fields)
  },

  /** The coupons of a promotion until the transaction ends. */
  lockCoupons: (storeId: number, promotionId: number): Promise<PromotionCoupon[]> =>
    database
      .selectFrom('coupon')
      .select(COUPONS)
      .where('store_id', '=', storeId)
      .where('promotion_id', '=', promotionId)
      .orderBy('id')
      .forUpdate()
      .execute(),

  /**
   * Sets the coupons of a promotion; those that stay keep their uses. Returns the keys of other
   * promotions.
   */
  async setCoupons(storeId: number, promotionId: number, coupons: readonly CouponFields[]): Promise<ReadonlySet<string>> {
    const keys = coupons.map(({ code }) => couponKey(code))
    const codes = coupons.map(({ code }) => code)
    const limits = coupons.map(({ usageLimit }) => usageLimit)
    await sql`DELETE FROM coupon
      WHERE store_id = ${storeId} AND promotion_id = ${promotionId} AND code_key <> ALL (${keys}::text[])`.execute(database)
    const { rows: set } = await sql<{ key: string }>`
      INSERT INTO coupon AS had (store_id, promotion_id, code, code_key, usage_limit)
      SELECT ${storeId}, ${promotionId}, code, key, usage_limit
      FROM unnest(${codes}::text[], ${keys}::text[], ${limits}::integer[]) WITH ORDINALITY AS told (code, key, usage_limit, place)
      ORDER BY place
      ON CONFLICT (store_id, code_key) DO UPDATE SET code = excluded.code, usage_limit = excluded.usage_limit
        WHERE had.promotion_id = ${promotionId}
      RETURNING code_key AS key`.execute(database)
    return new Set(keys).difference(new Set(set.map(({ key }) => key)))
  },
})

const columnsOf = (fields: PromotionFields) => ({
  name: fields.name,
  enabled: fields.enabled,
  discount_target: fields.discountTarget,
  buys_at_least: fields.buysAtLeast,
  condition_price: fields.conditionPrice,
  condition_qty: fields.conditionQty,
  quantity_x: fields.quantityX,
  type: fields.type,
  discount_amount_fix: fields.discountAmountFix,
  discount_amount_percent: fields.discountAmountPercent,
  lasts: fields.lasts,
  begins_at: fields.beginsAt,
  expires_at: fields.expiresAt,
  max_times_used: fields.maxTimesUsed,
  cumulative: fields.cumulative,
  customers: fields.customers,
  countries: [...fields.countries],
  regions: [...fields.regions],
  municipalities: [...fields.municipalities],
})

/** Makes what a promotion refers to these rows, which exist. */
async function setMembers(database: Kysely<Tables>, storeId: number, id: number, fields: PromotionFields): Promise<void> {
  const ofStore = { store_id: storeId, promotion_id: id }
  const categories = [
    ...fields.categories.map((category_id) => ({ ...ofStore, category_id, is_x: false })),
    ...fields.categoriesX.map((category_id) => ({ ...ofStore, category_id, is_x: true })),
  ]
  const products = [
    ...fields.products.map((product_id) => ({ ...ofStore, product_id, is_x: false })),
    ...fields.productsX.map((product_id) => ({ ...ofStore, product_id, is_x: true })),
  ]
  const customers = fields.customerCategories.map((category_id) => ({ ...ofStore, category_id }))
  for (const table of ['promotion_category', 'promotion_product', 'promotion_customer_category'] as const) {
    await database.deleteFrom(table).where('store_id', '=', storeId).where('promotion_id', '=', id).execute()
  }
  if (categories.length > 0) await database.insertInto('promotion_category').values(categories).execute()
  if (products.length > 0) await database.insertInto('promotion_product').values(products).execute()
  if (customers.length > 0) await database.insertInto('promotion_customer_category').values(customers).execute()
}
