import { type Kysely, sql } from 'kysely'
import type { Tables } from './tables.ts'

/**
 * Objects with a permalink of their own within the store; or products, within one other language.
 */
type Addressed = 'page' | 'product' | 'product_category' | { readonly locale: string }

/**
 * The wanted permalink, or, where another row has that, the wanted one with the next number: `-1`,
 * `-2` … `own` is the row that may keep its. Requests for the same one wait until the transaction
 * ends; a numbered one may still collide, and `write` retries.
 */
export async function freePermalink(
  database: Kysely<Tables>,
  things: Addressed,
  storeId: number,
  { wanted, own }: { readonly wanted: string; readonly own: number | null },
): Promise<string> {
  const name = typeof things === 'string' ? things : `product ${things.locale}`
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${name} ${storeId} ${wanted}`}, 0))`.execute(database)
  const others =
    typeof things === 'string'
      ? sql`FROM ${sql.table(things)} WHERE store_id = ${storeId} AND id <> ${own ?? 0}`
      : sql`FROM product_translation WHERE store_id = ${storeId} AND locale = ${things.locale} AND product_id <> ${own ?? 0}`
  const { rows: same } = await sql`SELECT 1 ${others} AND permalink = ${wanted}`.execute(database)
  if (same.length === 0) return wanted
  const numbered = `${wanted.replace(/[\\%_]/g, '\\$&')}-%`
  const { rows } = await sql<{ readonly last: number | null }>`
    SELECT max(suffix::integer) AS last
    FROM (SELECT substr(permalink, ${wanted.length + 2}) AS suffix ${others} AND permalink LIKE ${numbered}) AS numbered
    WHERE suffix ~ '^[1-9][0-9]{0,8}$'`.execute(database)
  return `${wanted}-${(rows[0]?.last ?? 0) + 1}`
}
