import { type Kysely, sql } from 'kysely'
import { keysOf } from '../../../platform/collections/keys-of.ts'
import { anyOf } from '../../../platform/database/any-of.ts'
import { prepared, preparedPer } from '../../../platform/database/prepared-statements.ts'
import type { Columns } from '../../toolkit/selected-columns.ts'
import type { Tables } from '../tables.ts'
import { combinationOf, type ProductVariant, type VariantFields, type VariantOption } from './product-variant.ts'

const COLUMN = {
  id: 'id',
  productId: 'product_id as productId',
  price: 'price',
  costPerItem: 'cost_per_item as costPerItem',
  compareAtPrice: 'compare_at_price as compareAtPrice',
  sku: 'sku',
  barcode: 'barcode',
  stock: 'stock',
  stockUnlimited: 'stock_unlimited as stockUnlimited',
  stockThreshold: 'stock_threshold as stockThreshold',
  stockNotification: 'stock_notification as stockNotification',
  imageId: 'image_id as imageId',
  createdAt: 'created_at as createdAt',
  updatedAt: 'updated_at as updatedAt',
  version: 'version',
} as const satisfies Record<keyof ProductVariant, string>

const COLUMNS = Object.values(COLUMN)

/** The columns of a whole variant. */
export const VARIANT_COLUMNS = keysOf(COLUMN)

/** A variant to write: its own fields and its references. */
export type WrittenVariant = VariantFields & { readonly imageId: number | null; readonly valueIds: readonly number[] }

export type ProductVariantRepository = ReturnType<typeof productVariantRepository>

/** Variants of products in the database; every call is about one store. */
export const productVariantRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (storeId: number, ids: readonly number[]): Promise<ProductVariant[]> =>
    database.selectFrom('product_variant').select(COLUMNS).where('store_id', '=', storeId).where('id', '=', anyOf(ids)).execute(),

  /** All of these products, oldest first, with these columns. */
  ofProducts: (
    storeId: number,
    productIds: readonly number[],
    columns: Columns<ProductVariant> = VARIANT_COLUMNS,
  ): Promise<ProductVariant[]> => OF_PRODUCTS(database, columns, storeId, productIds),

  /** The variants that have these values, oldest first. */
  async withValues(storeId: number, valueIds: readonly number[]): Promise<(ProductVariant & { readonly valueId: number })[]> {
    return database
      .selectFrom('product_variant_value as held')
      .innerJoin('product_variant as variant', (join) =>
        join.onRef('variant.store_id', '=', 'held.store_id').onRef('variant.id', '=', 'held.variant_id'),
      )
      .select(COLUMNS.map((column) => `variant.${column}` as const))
      .select('held.value_id as valueId')
      .where('held.store_id', '=', storeId)
      .where('held.value_id', 'in', valueIds)
      .orderBy('variant.id')
      .execute()
  },

  /** The values of these variants, by the places of their options. */
  optionsOf: (storeId: number, variantIds: readonly number[]): Promise<VariantOption[]> =>
    OPTIONS_OF(database, storeId, variantIds),

  /** Ids of the values that a variant has. */
  async valueIdsOf(storeId: number, id: number): Promise<readonly number[]> {
    const rows = await database
      .selectFrom('product_variant_value')
      .select('value_id as valueId')
      .where('store_id', '=', storeId)
      .where('variant_id', '=', id)
      .execute()
    return rows.map(({ valueId }) => valueId)
  },

  /** Another variant of the product with the same values; null when there is none. */
  async withCombination(storeId: number, productId: number, valueIds: readonly number[]): Promise<number | null> {
    const found = await database
      .selectFrom('product_variant')
      .select('id')
      .where('store_id', '=', storeId)
      .where('product_id', '=', productId)
      .where('combination', '=', combinationOf(valueIds))
      .executeTakeFirst()
    return found?.id ?? null
  },

  /** Whether the product has an image with this id. */
  async hasImage(storeId: number, productId: number, imageId: number): Promise<boolean> {
    const found = await database
      .selectFrom('product_image')
      .select('id')
      .where('store_id', '=', storeId)
      .where('product_id', '=', productId)
      .where('id', '=', imageId)
      .executeTakeFirst()
    return found !== undefined
  },

  async insert(storeId: number, productId: number, variant: WrittenVariant, at: Date): Promise<number> {
    const { id } = await database
      .insertInto('product_variant')
      .values({ ...rowOf(variant), store_id: storeId, product_id: productId, created_at: at, updated_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    await hold(database, { storeId, productId, id }, variant.valueIds)
    return id
  },

  async update(storeId: number, { id, productId }: ProductVariant, variant: WrittenVariant, at: Date): Promise<void> {
    await database
      .updateTable('product_variant')
      .set((set) => ({ ...rowOf(variant), updated_at: at, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
    await database.deleteFrom('product_variant_value').where('store_id', '=', storeId).where('variant_id', '=', id).execute()
    await hold(database, { storeId, productId, id }, variant.valueIds)
  },

  async delete(storeId: number, id: number): Promise<void> {
    await database.deleteFrom('product_variant').where('store_id', '=', storeId).where('id', '=', id).execute()
  },

  /**
   * Writes the combinations of a product's variants anew, after an option has gone. Throws a unique
   * violation when two are the same.
   */
  async recombine(storeId: number, productId: number): Promise<void> {
    await sql`
      UPDATE product_variant AS variant
      SET combination = coalesce((SELECT string_agg(value_id::text, ',' ORDER BY value_id) FROM product_variant_value
        WHERE store_id = variant.store_id AND variant_id = variant.id), '')
      WHERE store_id = ${storeId} AND product_id = ${productId}`.execute(database)
  },

  /** Deletes the variants that have this value. */
  async deleteWithValue(storeId: number, valueId: number): Promise<void> {
    await database
      .deleteFrom('product_variant')
      .where('store_id', '=', storeId)
      .where('id', 'in', (inner) =>
        inner
          .selectFrom('product_variant_value')
          .select('variant_id')
          .where('store_id', '=', storeId)
          .where('value_id', '=', valueId),
      )
      .execute()
  },
})

const OF_PRODUCTS = preparedPer(
  (database: Kysely<Tables>, columns: Columns<ProductVariant>, storeId: number, productIds: readonly number[]) =>
    database
      .selectFrom('product_variant')
      .select(columns.map((field) => COLUMN[field]))
      .where('store_id', '=', storeId)
      .where('product_id', '=', anyOf(productIds))
      .orderBy('id')
      .compile(),
)

const OPTIONS_OF = prepared((database: Kysely<Tables>, storeId: number, variantIds: readonly number[]) =>
  sql<VariantOption>`
    SELECT held.variant_id AS "variantId", option.name, option.option_type AS "optionType", value.name AS value, value.custom,
      option.position AS "optionPosition", value.position AS "valuePosition"
    FROM product_variant_value held
    JOIN product_option_value value ON value.store_id = held.store_id AND value.id = held.value_id
    JOIN product_option option ON option.store_id = value.store_id AND option.id = value.option_id
    WHERE held.store_id = ${storeId} AND held.variant_id = ${anyOf(variantIds)}
    ORDER BY option.position, option.id`.compile(database),
)

const rowOf = (variant: WrittenVariant) => ({
  price: variant.price,
  cost_per_item: variant.costPerItem,
  compare_at_price: variant.compareAtPrice,
  sku: variant.sku,
  barcode: variant.barcode,
  stock: variant.stock,
  stock_unlimited: variant.stockUnlimited,
  stock_threshold: variant.stockThreshold,
  stock_notification: variant.stockNotification,
  image_id: variant.imageId,
  combination: combinationOf(variant.valueIds),
})

async function hold(
  database: Kysely<Tables>,
  { storeId, productId, id }: { readonly storeId: number; readonly productId: number; readonly id: number },
  valueIds: readonly number[],
): Promise<void> {
  if (valueIds.length === 0) return
  await database
    .insertInto('product_variant_value')
    .values(valueIds.map((value) => ({ store_id: storeId, product_id: productId, variant_id: id, value_id: value })))
    .execute()
}
