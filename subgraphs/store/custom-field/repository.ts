import { type Kysely, sql } from 'kysely'
import { countRows, storeRows } from '../row-repository.ts'
import type { Tables } from '../tables.ts'
import { identityKey } from '../text-key.ts'
import type { CustomField } from './custom-field.ts'

const COLUMNS = [
  'id',
  'label',
  'type',
  'product_visibility as productVisibility',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'version',
] as const

/**
 * Key of an advisory lock: any number that is the same in every process and used for nothing else.
 */
const LABELS_LOCK = 0x6c61626c

export type CustomFieldRepository = ReturnType<typeof customFieldRepository>

/** Custom fields in the database; every call is about one store. */
export const customFieldRepository = (database: Kysely<Tables>) => ({
  ...storeRows(database, 'custom_field', database.selectFrom('custom_field').select(COLUMNS)),

  count: (storeId: number): Promise<number> => countRows(database, 'custom_field', storeId),

  /**
   * Whether another field has the label; locked against use of the label until the transaction
   * ends.
   */
  async isTaken(storeId: number, label: string, own: number | null): Promise<boolean> {
    await sql`SELECT pg_advisory_xact_lock(${LABELS_LOCK}, ${storeId})`.execute(database)
    const found = await database
      .selectFrom('custom_field')
      .select('id')
      .where('store_id', '=', storeId)
      .where('label_key', '=', identityKey(label))
      .where('id', '<>', own ?? 0)
      .executeTakeFirst()
    return found !== undefined
  },

  /** Whether a product has a value of it. */
  async isUsed(storeId: number, id: number): Promise<boolean> {
    const found = await database
      .selectFrom('product_custom_field_value')
      .select('id')
      .where('store_id', '=', storeId)
      .where('custom_field_id', '=', id)
      .limit(1)
      .executeTakeFirst()
    return found !== undefined
  },

  async insert(
    storeId: number,
    { label, type, productVisibility, at }: Pick<CustomField, 'label' | 'type' | 'productVisibility'> & { readonly at: Date },
  ): Promise<number> {
    const { id } = await database
      .insertInto('custom_field')
      .values({
        store_id: storeId,
        label,
        label_key: identityKey(label),
        type,
        product_visibility: productVisibility,
        created_at: at,
        updated_at: at,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async update(storeId: number, { id, label, type, productVisibility, at }: CustomField & { readonly at: Date }): Promise<void> {
    await database
      .updateTable('custom_field')
      .set((set) => ({
        label,
        label_key: identityKey(label),
        type,
        product_visibility: productVisibility,
        updated_at: at,
        version: set('version', '+', 1),
      }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /** One of its select options changed. */
  async touch(storeId: number, id: number, at: Date): Promise<void> {
    await database
      .updateTable('custom_field')
      .set((set) => ({ updated_at: at, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /**
   * Makes these the options of a field, in this order: those with the same text stay, others come
   * and go.
   */
  async replaceSelectOptions(storeId: number, customFieldId: number, values: readonly string[]): Promise<void> {
    const keys = values.map(identityKey)
    await sql`
      DELETE FROM custom_field_select_option
      WHERE store_id = ${storeId} AND custom_field_id = ${customFieldId} AND value_key <> ALL(${keys}::text[])`.execute(database)
    await sql`
      INSERT INTO custom_field_select_option (store_id, custom_field_id, value, value_key, position)
      SELECT ${storeId}, ${customFieldId}, wanted.value, wanted.key, wanted.position
      FROM unnest(${values}::text[], ${keys}::text[]) WITH ORDINALITY AS wanted (value, key, position)
      ON CONFLICT (store_id, custom_field_id, value_key) DO UPDATE SET value = excluded.value, position = excluded.position
    `.execute(database)
  },

  /** The products with a value of a field, or with this option. */
  async productsWith(storeId: number, customFieldId: number, selectOptionId?: number): Promise<number[]> {
    let query = database
      .selectFrom('product_custom_field_value')
      .select('product_id as productId')
      .distinct()
      .where('store_id', '=', storeId)
      .where('custom_field_id', '=', customFieldId)
    if (selectOptionId !== undefined) query = query.where('select_option_id', '=', selectOptionId)
    return (await query.execute()).map(({ productId }) => productId)
  },
})
