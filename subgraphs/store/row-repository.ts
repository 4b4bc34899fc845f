import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { KeysetRange } from '../toolkit/keyset.ts'
import type { Tables } from './tables.ts'

/** Tables whose rows belong to a store and have a number of their own. */
type StoreTable = {
  [Name in keyof Tables]: Tables[Name] extends Pick<Tables['custom_field'], 'id' | 'store_id'> ? Name : never
}[keyof Tables]

/** How many rows of a table belong to a store. */
export async function countRows(database: Kysely<Tables>, table: keyof Tables & string, storeId: number): Promise<number> {
  const { rows } = await sql<{ readonly count: number }>`
    SELECT count(*)::integer AS count FROM ${sql.table(table)} WHERE store_id = ${storeId}`.execute(database)
  return rows[0]?.count ?? 0
}

/**
 * Statements that are the same for every table of a store: read, lock and delete rows by id.
 *
 * `selected`: the table's rows with the columns that a reader gets.
 */
export function storeRows<Table extends StoreTable, Row>(
  database: Kysely<Tables>,
  table: Table,
  selected: SelectQueryBuilder<Tables, Table, Row>,
) {
  // Kysely cannot type columns of a table that is a parameter: custom_field stands for each, which
  // all have the two columns named here.
  const rows = selected as unknown as SelectQueryBuilder<Tables, 'custom_field', Row>
  const byId = (storeId: number, id: number) => rows.where('store_id', '=', storeId).where('id', '=', id)
  return {
    /** In any order, without those that do not exist. */
    findByIds: (storeId: number, ids: readonly number[]): Promise<Row[]> =>
      rows.where('store_id', '=', storeId).where('id', 'in', ids).execute(),

    /** Oldest first, one more than requested. */
    list(storeId: number, { size, after, offset }: KeysetRange): Promise<Row[]> {
      const ofStore = rows.where('store_id', '=', storeId)
      return (after ? ofStore.where('id', '>', Number(after[0])) : ofStore)
        .orderBy('id')
        .limit(size + 1)
        .offset(offset)
        .execute()
    },

    /** Locks the row until the transaction ends; null when there is none. */
    lock: async (storeId: number, id: number): Promise<Row | null> =>
      (await byId(storeId, id).forUpdate().executeTakeFirst()) ?? null,

    /** Locks the row against changes until the transaction ends; null when there is none. */
    lockShared: async (storeId: number, id: number): Promise<Row | null> =>
      (await byId(storeId, id).forShare().executeTakeFirst()) ?? null,

    /** With the rows that belong to it, by the foreign keys of the database. */
    async delete(storeId: number, id: number): Promise<void> {
      // As above.
      const name = table as 'custom_field'
      await database.deleteFrom(name).where('store_id', '=', storeId).where('id', '=', id).execute()
    },
  }
}
