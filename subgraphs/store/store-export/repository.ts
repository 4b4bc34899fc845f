import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'

/** Tables of what is exported. */
export type ExportedTable = 'product' | 'customer' | 'order'

/** Ids of a store's objects behind one, oldest first; abandoned carts are no orders. */
export async function idsAfter(
  database: Kysely<Tables>,
  table: ExportedTable,
  { storeId, after, size }: { readonly storeId: number; readonly after: number; readonly size: number },
): Promise<readonly number[]> {
  const isExported = table === 'order' ? sql`status <> 'ABANDONED'` : sql`true`
  const { rows } = await sql<{ readonly id: number }>`
    SELECT id FROM ${sql.table(table)}
    WHERE store_id = ${storeId} AND id > ${after} AND ${isExported} ORDER BY id LIMIT ${size}`.execute(database)
  return rows.map(({ id }) => id)
}
