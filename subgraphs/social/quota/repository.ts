import { type Kysely, type RawBuilder, sql } from 'kysely'
import { refilledQuota, sizeOf } from '../../toolkit/quota.ts'
import type { Tables } from '../tables.ts'
import { exceeded, type WriteAllowance, type WriteCost, type WriteQuotas } from './quota.ts'

/**
 * Remaining write quotas of users, a row each. It is updated in the transaction, and where possible
 * in the statement, of the counted write: processes count together through the database, concurrent
 * writes wait for the row, and a rollback costs nothing. The time is that of the database.
 */
export const quotaRepository = (database: Kysely<Tables>, quotas: WriteQuotas) => ({
  quotas,

  /**
   * A statement that takes `cost` out of the quotas of an author, for each row of `from`, which has
   * one at most; it returns a row if there was enough, and changes nothing otherwise. Locks the
   * author's row: rooms and posts are locked before it, users after it.
   */
  taking: (authorId: string, cost: WriteCost, from?: RawBuilder<unknown>) => reserveStatement(quotas, authorId, cost, from),

  /** Takes `cost` out of the quotas of an author; false when there is not enough. */
  async take(transaction: Kysely<Tables>, authorId: string, cost: WriteCost): Promise<boolean> {
    const { rows } = await reserveStatement(quotas, authorId, cost).execute(transaction)
    return rows.length > 0
  },

  remaining: (userId: string): Promise<WriteAllowance> => remainingOf(database, quotas, userId),

  /** Why a write was refused, as a `QuotaExceededError`. */
  refusal: async (userId: string, cost: WriteCost) => exceeded(quotas, await remainingOf(database, quotas, userId), cost),
})

export type QuotaRepository = ReturnType<typeof quotaRepository>

function reserveStatement(
  { writes, bytes }: WriteQuotas,
  authorId: string,
  cost: WriteCost,
  from?: RawBuilder<unknown>,
): RawBuilder<{ readonly isTaken: true }> {
  // In the statement, so that a cost may be a placeholder of a prepared one.
  const takenOf = (quota: WriteQuotas['writes'], amount: number) =>
    sql`least(${amount}::double precision, ${sizeOf(quota)}::double precision)`
  const [writesTaken, bytesTaken] = [takenOf(writes, cost.writes), takenOf(bytes, cost.bytes)]
  const remaining = (quota: WriteQuotas['writes'], column: RawBuilder<unknown>) =>
    refilledQuota(quota, column, sql`own.counted_at`, sql`excluded.counted_at`)
  const remainingWrites = remaining(writes, sql`own.writes_left`)
  const remainingBytes = remaining(bytes, sql`own.bytes_left`)
  return sql`
    INSERT INTO write_quota AS own (author_id, writes_left, bytes_left, counted_at)
    SELECT ${authorId}::bigint, ${sizeOf(writes)}::double precision - ${writesTaken}, ${sizeOf(bytes)}::double precision - ${bytesTaken},
      clock_timestamp() ${from === undefined ? sql`` : sql`FROM ${from}`}
    ON CONFLICT (author_id) DO UPDATE SET
      writes_left = ${remainingWrites} - ${writesTaken},
      bytes_left = ${remainingBytes} - ${bytesTaken},
      counted_at = greatest(own.counted_at, excluded.counted_at)
    WHERE ${remainingWrites} >= ${writesTaken} AND ${remainingBytes} >= ${bytesTaken}
    RETURNING true AS "isTaken"`
}

async function remainingOf(database: Kysely<Tables>, { writes, bytes }: WriteQuotas, userId: string): Promise<WriteAllowance> {
  const remaining = (quota: WriteQuotas['writes'], column: string) =>
    refilledQuota(quota, sql.ref(column), sql`counted_at`, sql`clock_timestamp()`)
  const { rows } = await sql<WriteAllowance>`
    SELECT ${remaining(writes, 'writes_left')} AS "remainingWrites", ${remaining(bytes, 'bytes_left')} AS "remainingBytes"
    FROM write_quota WHERE author_id = ${userId}`.execute(database)
  return rows[0] ?? { remainingWrites: sizeOf(writes), remainingBytes: sizeOf(bytes) }
}
