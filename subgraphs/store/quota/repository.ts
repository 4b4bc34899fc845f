import { type Kysely, sql } from 'kysely'
import { type Quota, refilledQuota, sizeOf } from '../../toolkit/quota.ts'
import type { Tables } from '../tables.ts'
import { type StoreAddition, type StoreQuotas, type StoreUsage, totalOf } from './quota.ts'

/**
 * What a store has and may add, a row each, changed in the transaction of the change that it
 * counts. The row stays locked until that commits: take from it last, so that others of the store
 * wait for the commit only.
 */
export const storeQuotaRepository = (database: Kysely<Tables>, quotas: StoreQuotas) => ({
  quotas,

  /**
   * Counts an addition, written already (`isWritten`) or about to be. False, and not counted,
   * beyond the quotas.
   */
  async take(storeId: number, addition: StoreAddition, { isWritten }: { readonly isWritten: boolean }): Promise<boolean> {
    if (await count(database, quotas, storeId, addition)) return true
    const without = isWritten ? addition : { products: 0, fileBytes: 0 }
    return (await begin(database, quotas, storeId, without)) && count(database, quotas, storeId, addition)
  },

  /** Begins to count where that has not begun. */
  async usageOf(storeId: number): Promise<StoreUsage> {
    const found = await usage(database, quotas, storeId)
    if (found) return found
    await begin(database, quotas, storeId, { products: 0, fileBytes: 0 })
    return (await usage(database, quotas, storeId)) ?? { products: 0, fileBytes: 0, productsLeft: 0, fileBytesLeft: 0 }
  },
})

/**
 * Counts an addition or, below 0, a deletion, whatever the quotas are. The daily count stays, so
 * that deleting gives no further writes.
 */
export async function adjustUsage(
  database: Kysely<Tables>,
  storeId: number,
  { products, fileBytes }: StoreAddition,
): Promise<void> {
  await sql`
    UPDATE store_quota SET products = greatest(0, products + ${products}::integer),
      file_bytes = greatest(0, file_bytes + ${fileBytes}::bigint)
    WHERE store_id = ${storeId}`.execute(database)
}

const NOW = sql`clock_timestamp()`
const left = (quota: Quota, column: string) => refilledQuota(quota, sql.ref(column), sql`counted_at`, NOW)

async function count(
  database: Kysely<Tables>,
  quotas: StoreQuotas,
  storeId: number,
  { products, fileBytes }: StoreAddition,
): Promise<boolean> {
  const productsLeft = left(quotas.productsPerDay, 'products_left')
  const fileBytesLeft = left(quotas.fileBytesPerDay, 'file_bytes_left')
  const { rows } = await sql`
    UPDATE store_quota SET
      products = products + ${products}::integer, file_bytes = file_bytes + ${fileBytes}::bigint,
      products_left = ${productsLeft} - ${products}::double precision,
      file_bytes_left = ${fileBytesLeft} - ${fileBytes}::double precision,
      counted_at = greatest(counted_at, ${NOW})
    WHERE store_id = ${storeId}
      AND (${products}::integer = 0 OR (products + ${products}::integer <= ${totalOf(quotas.products)}::bigint
        AND ${productsLeft} >= ${products}::double precision))
      AND (${fileBytes}::bigint = 0 OR (file_bytes + ${fileBytes}::bigint <= ${totalOf(quotas.fileBytes)}::bigint
        AND ${fileBytesLeft} >= ${fileBytes}::double precision))
    RETURNING 1`.execute(database)
  return rows.length > 0
}

/**
 * Counts what a store has, but for `without`, which is counted after that; false when that was done
 * before.
 */
async function begin(
  database: Kysely<Tables>,
  quotas: StoreQuotas,
  storeId: number,
  { products, fileBytes }: StoreAddition,
): Promise<boolean> {
  const known = database.selectFrom('store_quota').select('store_id').where('store_id', '=', storeId)
  if (await known.executeTakeFirst()) return false
  await sql`
    INSERT INTO store_quota (store_id, products, file_bytes, products_left, file_bytes_left, counted_at)
    SELECT id, greatest(0, (SELECT count(*) FROM product WHERE store_id = store.id) - ${products}::integer),
      greatest(0, (SELECT coalesce(sum(byte_count), 0) FROM file WHERE store_id = store.id) - ${fileBytes}::bigint),
      ${sizeOf(quotas.productsPerDay)}::double precision, ${sizeOf(quotas.fileBytesPerDay)}::double precision, ${NOW}
    FROM store WHERE id = ${storeId}
    ON CONFLICT (store_id) DO NOTHING`.execute(database)
  return true
}

async function usage(database: Kysely<Tables>, quotas: StoreQuotas, storeId: number): Promise<StoreUsage | undefined> {
  const { rows } = await sql<StoreUsage>`
    SELECT products, file_bytes::double precision AS "fileBytes", ${left(quotas.productsPerDay, 'products_left')} AS "productsLeft",
      ${left(quotas.fileBytesPerDay, 'file_bytes_left')} AS "fileBytesLeft"
    FROM store_quota WHERE store_id = ${storeId}`.execute(database)
  return rows[0]
}
