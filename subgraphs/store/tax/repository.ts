import type { Kysely } from 'kysely'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import { countRows, storeRows } from '../row-repository.ts'
import type { Tables } from '../tables.ts'
import type { Tax, TaxFields, TaxSettings } from './tax.ts'

const COLUMNS = [
  'id',
  'name',
  'country',
  'region',
  'category_id as categoryId',
  'rate',
  'fixed',
  'shipping',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'version',
] as const

const SETTINGS = ['prices_include_tax as pricesIncludeTax', 'taxed_address as taxedAddress', 'version'] as const
/** Defaults of a store. */
const DEFAULTS: TaxSettings = { pricesIncludeTax: false, taxedAddress: 'SHIPPING', version: 1 }

/** Every order reads both. */
const LIST = prepared((database: Kysely<Tables>, storeId: number) =>
  database.selectFrom('tax').select(COLUMNS).where('store_id', '=', storeId).orderBy('id').compile(),
)
const SETTINGS_OF = prepared((database: Kysely<Tables>, storeId: number) =>
  database.selectFrom('tax_settings').select(SETTINGS).where('store_id', '=', storeId).compile(),
)

type Written = TaxFields & { readonly categoryId: number | null; readonly at: Date }

export type TaxRepository = ReturnType<typeof taxRepository>

/** Taxes in the database; every call is about one store. */
export const taxRepository = (database: Kysely<Tables>) => ({
  ...storeRows(database, 'tax', database.selectFrom('tax').select(COLUMNS)),

  /** All, oldest first. */
  list: (storeId: number): Promise<Tax[]> => LIST(database, storeId),

  count: (storeId: number): Promise<number> => countRows(database, 'tax', storeId),

  async insert(storeId: number, { categoryId, at, name, country, region, rate, fixed, shipping }: Written): Promise<number> {
    const row = { name, country, region, rate, fixed, shipping, category_id: categoryId, created_at: at, updated_at: at }
    const { id } = await database
      .insertInto('tax')
      .values({ store_id: storeId, ...row })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async update(
    storeId: number,
    id: number,
    { categoryId, at, name, country, region, rate, fixed, shipping }: Written,
  ): Promise<void> {
    const row = { name, country, region, rate, fixed, shipping, category_id: categoryId, updated_at: at }
    await database
      .updateTable('tax')
      .set((set) => ({ ...row, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  async settings(storeId: number): Promise<TaxSettings> {
    const [found] = await SETTINGS_OF(database, storeId)
    return found ?? DEFAULTS
  },

  /** The settings until the transaction ends. */
  async lockSettings(storeId: number): Promise<TaxSettings> {
    await database
      .insertInto('tax_settings')
      .values({ store_id: storeId })
      .onConflict((conflict) => conflict.column('store_id').doNothing())
      .execute()
    return database
      .selectFrom('tax_settings')
      .select(SETTINGS)
      .where('store_id', '=', storeId)
      .forUpdate()
      .executeTakeFirstOrThrow()
  },

  async updateSettings(
    storeId: number,
    { pricesIncludeTax, taxedAddress }: Pick<TaxSettings, 'pricesIncludeTax' | 'taxedAddress'>,
  ): Promise<void> {
    await database
      .updateTable('tax_settings')
      .set((set) => ({
        prices_include_tax: pricesIncludeTax,
        taxed_address: taxedAddress,
        version: set('version', '+', 1),
      }))
      .where('store_id', '=', storeId)
      .execute()
  },
})
