import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { identityKey } from '../text-key.ts'
import type { ProductOption, ProductOptionValue } from './product-option.ts'

const OPTION = [
  'id',
  'product_id as productId',
  'name',
  'position',
  'option_type as optionType',
  'addon_price as addonPrice',
] as const
const VALUE = ['id', 'product_id as productId', 'option_id as optionId', 'name', 'custom', 'position'] as const

export type ProductOptionRepository = ReturnType<typeof productOptionRepository>

/** Options of products and their values in the database; every call is about one store. */
export const productOptionRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (storeId: number, ids: readonly number[]): Promise<ProductOption[]> =>
    database.selectFrom('product_option').select(OPTION).where('store_id', '=', storeId).where('id', 'in', ids).execute(),

  /** In any order, without those that do not exist. */
  findValuesByIds: (storeId: number, ids: readonly number[]): Promise<ProductOptionValue[]> =>
    database.selectFrom('product_option_value').select(VALUE).where('store_id', '=', storeId).where('id', 'in', ids).execute(),

  /** All of these products, by position. */
  ofProducts: (storeId: number, productIds: readonly number[]): Promise<ProductOption[]> =>
    database
      .selectFrom('product_option')
      .select(OPTION)
      .where('store_id', '=', storeId)
      .where('product_id', 'in', productIds)
      .orderBy('position')
      .orderBy('id')
      .execute(),

  /** All of these options, by position. */
  valuesOf: (storeId: number, optionIds: readonly number[]): Promise<ProductOptionValue[]> =>
    database
      .selectFrom('product_option_value')
      .select(VALUE)
      .where('store_id', '=', storeId)
      .where('option_id', 'in', optionIds)
      .orderBy('position')
      .orderBy('id')
      .execute(),

  async insert(storeId: number, option: Omit<ProductOption, 'id'>): Promise<number> {
    const { id } = await database
      .insertInto('product_option')
      .values({ ...rowOfOption(option), store_id: storeId, product_id: option.productId })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async insertValue(storeId: number, value: Omit<ProductOptionValue, 'id'>): Promise<number> {
    const { id } = await database
      .insertInto('product_option_value')
      .values({ ...rowOfValue(value), store_id: storeId, product_id: value.productId, option_id: value.optionId })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async update(storeId: number, { id, ...option }: ProductOption): Promise<void> {
    const row = rowOfOption(option)
    await database.updateTable('product_option').set(row).where('store_id', '=', storeId).where('id', '=', id).execute()
  },

  async updateValue(storeId: number, { id, ...value }: ProductOptionValue): Promise<void> {
    const row = rowOfValue(value)
    await database.updateTable('product_option_value').set(row).where('store_id', '=', storeId).where('id', '=', id).execute()
  },

  /** Gives options, or values, these places: 1 for the first id. */
  async arrange(storeId: number, table: 'product_option' | 'product_option_value', ids: readonly number[]): Promise<void> {
    await sql`UPDATE ${sql.table(table)} AS arranged SET position = wanted.position
      FROM unnest(${ids}::integer[]) WITH ORDINALITY AS wanted (id, position)
      WHERE arranged.store_id = ${storeId} AND arranged.id = wanted.id AND arranged.position <> wanted.position`.execute(database)
  },

  async delete(storeId: number, table: 'product_option' | 'product_option_value', id: number): Promise<void> {
    await database.deleteFrom(table).where('store_id', '=', storeId).where('id', '=', id).execute()
  },
})

const rowOfOption = ({ name, position, optionType, addonPrice }: Omit<ProductOption, 'id' | 'productId'>) => ({
  name,
  name_key: identityKey(name),
  position,
  option_type: optionType,
  addon_price: addonPrice,
})

const rowOfValue = ({ name, position, custom }: Omit<ProductOptionValue, 'id' | 'productId' | 'optionId'>) => ({
  name,
  name_key: identityKey(name),
  custom,
  position,
})
