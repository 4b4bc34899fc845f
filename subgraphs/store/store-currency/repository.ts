import { type Kysely, sql } from 'kysely'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import { countRows, storeRows } from '../row-repository.ts'
import type { Tables } from '../tables.ts'
import type { StoreCurrency, StoreCurrencyFields } from './store-currency.ts'

const COLUMNS = [
  'id',
  'code',
  'rate',
  'rate_base as rateBase',
  'rounding_step as roundingStep',
  'rounding_ending as roundingEnding',
  'rounding_direction as roundingDirection',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'version',
] as const

export type StoreCurrencyRepository = ReturnType<typeof storeCurrencyRepository>

/** Currencies of stores beside their own in the database; every call is about one store. */
export const storeCurrencyRepository = (database: Kysely<Tables>) => ({
  ...storeRows(database, 'store_currency', database.selectFrom('store_currency').select(COLUMNS)),

  /** Number of currencies beside that of the store. */
  count: (storeId: number): Promise<number> => countRows(database, 'store_currency', storeId),

  /** All of them, oldest first: at most 20. */
  all: (storeId: number): Promise<readonly StoreCurrency[]> => ALL(database, storeId),

  /** The currency with this code; null when the store does not have it. */
  byCode: async (storeId: number, code: string): Promise<StoreCurrency | null> =>
    (await ALL(database, storeId)).find((currency) => currency.code === code) ?? null,

  /** Keeps the currency with this code until the transaction ends; false when there is none. */
  async lockCode(storeId: number, code: string): Promise<boolean> {
    const found = await database
      .selectFrom('store_currency')
      .select('id')
      .where('store_id', '=', storeId)
      .where('code', '=', code)
      .forShare()
      .executeTakeFirst()
    return found !== undefined
  },

  /** Adds a currency to a locked store; null when it has it already. */
  async insert(storeId: number, fields: StoreCurrencyFields, at: Date): Promise<number | null> {
    const row = await database
      .insertInto('store_currency')
      .values({ store_id: storeId, code: fields.code, ...columnsOf(fields), created_at: at, updated_at: at })
      .onConflict((conflict) => conflict.columns(['store_id', 'code']).doNothing())
      .returning('id')
      .executeTakeFirst()
    return row?.id ?? null
  },

  async update(storeId: number, id: number, fields: StoreCurrencyFields, at: Date): Promise<void> {
    await database
      .updateTable('store_currency')
      .set((set) => ({ ...columnsOf(fields), updated_at: at, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /** Whether price lists of the store are in a currency. */
  async hasPriceLists(storeId: number, code: string): Promise<boolean> {
    const found = await database
      .selectFrom('price_list')
      .select('id')
      .where('store_id', '=', storeId)
      .where('currency', '=', code)
      .limit(1)
      .executeTakeFirst()
    return found !== undefined
  },
})

const columnsOf = (fields: StoreCurrencyFields) => ({
  rate: fields.rate,
  rate_base: fields.rateBase,
  rounding_step: fields.roundingStep,
  rounding_ending: fields.roundingEnding,
  rounding_direction: fields.roundingDirection,
})

const ALL = prepared((database: Kysely<Tables>, storeId: number) =>
  sql<StoreCurrency>`
    SELECT id, code, rate::text, rate_base::text AS "rateBase", rounding_step::text AS "roundingStep",
      rounding_ending::text AS "roundingEnding", rounding_direction AS "roundingDirection",
      created_at AS "createdAt", updated_at AS "updatedAt", version
    FROM store_currency WHERE store_id = ${storeId} ORDER BY id`.compile(database),
)
