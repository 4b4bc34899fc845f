import { type Kysely, sql } from 'kysely'
import type { Tables } from './tables.ts'

/** How many rows of a table belong to a store. */
export async function countRows(database: Kysely<Tables>, table: keyof Tables & string, storeId: number): Promise<number> {
  const { rows } = await sql<{ readonly count: number }>`
    SELECT count(*)::integer AS count FROM ${sql.table(table)} WHERE store_id = ${storeId}`.execute(database)
  return rows[0]?.count ?? 0
}
