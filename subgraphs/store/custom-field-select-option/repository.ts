import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { identityKey } from '../text-key.ts'
import type { CustomFieldSelectOption } from './custom-field-select-option.ts'

const COLUMNS = ['id', 'custom_field_id as customFieldId', 'value'] as const

export type CustomFieldSelectOptionRepository = ReturnType<typeof customFieldSelectOptionRepository>

/**
 * Select options in the database; every call is about one store. Writers hold the lock of their
 * field.
 */
export const customFieldSelectOptionRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (storeId: number, ids: readonly number[]): Promise<CustomFieldSelectOption[]> =>
    database
      .selectFrom('custom_field_select_option')
      .select(COLUMNS)
      .where('store_id', '=', storeId)
      .where('id', 'in', ids)
      .execute(),

  /** Of several fields, in their order. */
  ofFields: (storeId: number, fieldIds: readonly number[]): Promise<CustomFieldSelectOption[]> =>
    database
      .selectFrom('custom_field_select_option')
      .select(COLUMNS)
      .where('store_id', '=', storeId)
      .where('custom_field_id', 'in', fieldIds)
      .orderBy('position')
      .orderBy('id')
      .execute(),

  /** The last of its field. */
  async insert(storeId: number, { customFieldId, value }: Omit<CustomFieldSelectOption, 'id'>): Promise<number> {
    const { rows } = await sql<{ id: number }>`
      INSERT INTO custom_field_select_option (store_id, custom_field_id, value, value_key, position)
      SELECT ${storeId}, ${customFieldId}, ${value}, ${identityKey(value)}, coalesce(max(position), 0) + 1
      FROM custom_field_select_option WHERE store_id = ${storeId} AND custom_field_id = ${customFieldId}
      RETURNING id`.execute(database)
    return rows[0]?.id ?? 0
  },

  async update(storeId: number, { id, value }: Pick<CustomFieldSelectOption, 'id' | 'value'>): Promise<void> {
    await database
      .updateTable('custom_field_select_option')
      .set({ value, value_key: identityKey(value) })
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  async delete(storeId: number, id: number): Promise<void> {
    await database.deleteFrom('custom_field_select_option').where('store_id', '=', storeId).where('id', '=', id).execute()
  },
})
