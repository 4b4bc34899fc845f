import { type Kysely, sql } from 'kysely'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import { countRows, storeRows } from '../row-repository.ts'
import type { Tables } from '../tables.ts'
import type { CheckoutCustomField, CheckoutCustomFieldFields } from './checkout-custom-field.ts'

const COLUMNS = [
  'id',
  'label',
  'type',
  'area',
  'required',
  'position',
  'deletable',
  'select_options as selectOptions',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'version',
] as const

/**
 * Key of an advisory lock: any number that is the same in every process and used for nothing else.
 */
const FIELDS_LOCK = 0x63636669

export type CheckoutCustomFieldRepository = ReturnType<typeof checkoutCustomFieldRepository>

/** Questions of checkouts in the database; every call is about one store. */
export const checkoutCustomFieldRepository = (database: Kysely<Tables>) => ({
  ...storeRows(database, 'checkout_custom_field', database.selectFrom('checkout_custom_field').select(COLUMNS)),

  /** Sorted by position, one more than requested. */
  list(storeId: number, { size, after, offset }: KeysetRange): Promise<CheckoutCustomField[]> {
    let query = database.selectFrom('checkout_custom_field').select(COLUMNS).where('store_id', '=', storeId)
    if (after) {
      const [position, id] = [Number(after[0]), Number(after[1])]
      query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('position', 'id'), '>', tuple(position, id)))
    }
    return query
      .orderBy('position')
      .orderBy('id')
      .limit(size + 1)
      .offset(offset)
      .execute()
  },

  /** All, by position. */
  all: (storeId: number): Promise<CheckoutCustomField[]> =>
    database
      .selectFrom('checkout_custom_field')
      .select(COLUMNS)
      .where('store_id', '=', storeId)
      .orderBy('position')
      .orderBy('id')
      .execute(),

  count: (storeId: number): Promise<number> => countRows(database, 'checkout_custom_field', storeId),

  /**
   * Number of fields and position of the last; locked against additions until the transaction ends.
   */
  async lockEnd(storeId: number): Promise<{ readonly count: number; readonly last: number }> {
    await sql`SELECT pg_advisory_xact_lock(${FIELDS_LOCK}, ${storeId})`.execute(database)
    const { count, last } = await database
      .selectFrom('checkout_custom_field')
      .select(({ fn }) => [fn.countAll<string>().as('count'), fn.max('position').as('last')])
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
    return { count: Number(count), last: last ?? 0 }
  },

  async insert(storeId: number, fields: CheckoutCustomFieldFields, at: Date): Promise<number> {
    const { id } = await database
      .insertInto('checkout_custom_field')
      .values({ ...rowOf(fields), store_id: storeId, created_at: at, updated_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async update(storeId: number, id: number, fields: CheckoutCustomFieldFields, at: Date): Promise<void> {
    await database
      .updateTable('checkout_custom_field')
      .set((set) => ({ ...rowOf(fields), updated_at: at, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },
})

const rowOf = ({ label, type, area, required, position, deletable, selectOptions }: CheckoutCustomFieldFields) => ({
  label,
  type,
  area,
  required,
  position,
  deletable,
  select_options: [...selectOptions],
})
