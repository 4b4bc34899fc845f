import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../tables.ts'

/**
 * Duration of the lock after that many consecutive failures, in milliseconds, starting with one
 * failure; null is none. The last one applies to all further failures.
 */
export type LockTable = readonly (number | null)[]

/** A sign-in attempt: the e-mail address and the client's network, both as hashes. */
export type SignInAttempt = {
  readonly emailHash: Buffer
  readonly networkHash: Buffer
  /** The user of the address was here before: the bound of the address as a whole does not hold. */
  readonly isRecentNetwork: boolean
}

/**
 * What the failures until now mean: whether this attempt is refused, and until when further ones
 * are; null for no lock.
 */
export type LockState = { readonly isLocked: boolean; readonly unlockAt: Date | null }

/** How long failed log-ins count, in milliseconds: longer than the longest lock. */
const FORGET_AFTER_MS = 48 * 60 * 60 * 1000

/** Networks that are remembered of a user: home, work, telephone and some travels. */
const MAX_RECENT_NETWORKS = 10

/**
 * How long a network counts as known after the last sign-in, in milliseconds: also for users who
 * sign in once a quarter.
 */
const NETWORK_RETENTION_MS = 90 * 24 * 60 * 60 * 1000

/**
 * Failed log-ins by address, and by address and network, and the networks that users signed in
 * from.
 */
export const attemptRepository = (database: Kysely<Tables>) => ({
  /**
   * Counts a sign-in as a failure before its password is compared, so that concurrent guesses count
   * as well. Its lock applies at once. During a lock nothing changes, and `isLocked` is true.
   */
  async countAttempt(
    attempt: SignInAttempt,
    at: Date,
    locks: { readonly network: LockTable; readonly address: LockTable },
  ): Promise<LockState> {
    const { emailHash, networkHash, isRecentNetwork } = attempt
    const address = counterOf(sql`login_attempt`, { email_hash: emailHash })
    const network = counterOf(sql`login_attempt_from`, { email_hash: emailHash, network_hash: networkHash })
    // Checked first: a refused attempt must not count.
    const lockedUntil = isRecentNetwork ? null : await lockOf(database, address, at)
    if (lockedUntil) return { isLocked: true, unlockAt: lockedUntil }
    const ofNetwork = await countFailure(database, network, at, locks.network)
    if (ofNetwork.isLocked || isRecentNetwork) return ofNetwork
    const ofAddress = await countFailure(database, address, at, locks.address)
    return { isLocked: ofAddress.isLocked, unlockAt: later(ofNetwork.unlockAt, ofAddress.unlockAt) }
  },

  /**
   * Deletes failures after a successful sign-in, and expired rows. Those of the address as a whole
   * stay after one from a known network, which did not count there.
   */
  async forgetAttempts({ emailHash, networkHash, isRecentNetwork }: SignInAttempt, at: Date): Promise<void> {
    const network = database.deleteFrom('login_attempt_from').where('email_hash', '=', emailHash)
    await network.where('network_hash', '=', networkHash).execute()
    if (!isRecentNetwork) await database.deleteFrom('login_attempt').where('email_hash', '=', emailHash).execute()
    const forgotten = new Date(at.getTime() - FORGET_AFTER_MS)
    await database.deleteFrom('login_attempt').where('attempted_at', '<', forgotten).execute()
    await database.deleteFrom('login_attempt_from').where('attempted_at', '<', forgotten).execute()
    await database
      .deleteFrom('login_network')
      .where('signed_in_at', '<', new Date(at.getTime() - NETWORK_RETENTION_MS))
      .execute()
    await database.deleteFrom('session').where('expires_at', '<', at).execute()
  },

  /**
   * Whether the user with this row id gave the right password from this network, not too long ago.
   */
  isRecentNetwork: async (userId: string, networkHash: Buffer, at: Date): Promise<boolean> => {
    const found = await database
      .selectFrom('login_network')
      .select('user_id')
      .where('user_id', '=', userId)
      .where('network_hash', '=', networkHash)
      .where('signed_in_at', '>=', new Date(at.getTime() - NETWORK_RETENTION_MS))
      .executeTakeFirst()
    return found !== undefined
  },

  /**
   * Stores the network of a successful sign-in; the oldest of too many are deleted. Does nothing
   * for a deleted user.
   */
  async rememberNetwork(userId: string, networkHash: Buffer, at: Date): Promise<void> {
    await sql`
      INSERT INTO login_network AS own (user_id, network_hash, signed_in_at)
      SELECT id, ${networkHash}::bytea, ${at}::timestamptz FROM "user" WHERE id = ${userId} FOR KEY SHARE
      ON CONFLICT (user_id, network_hash) DO UPDATE SET signed_in_at = greatest(own.signed_in_at, excluded.signed_in_at)`.execute(
      database,
    )
    await sql`
      DELETE FROM login_network WHERE user_id = ${userId} AND network_hash IN (
        SELECT network_hash FROM login_network WHERE user_id = ${userId}
        ORDER BY signed_in_at DESC, network_hash OFFSET ${MAX_RECENT_NETWORKS})`.execute(database)
  },
})

export type AttemptRepository = ReturnType<typeof attemptRepository>

/** A row that counts failures: its table, its key, and the values of that. */
type Counter = { readonly table: RawBuilder<unknown>; readonly key: RawBuilder<unknown>; readonly values: RawBuilder<unknown> }

const counterOf = (table: RawBuilder<unknown>, key: Readonly<Record<string, Buffer>>): Counter => ({
  table,
  key: sql.join(Object.keys(key).map((column) => sql.ref(column))),
  values: sql.join(Object.values(key)),
})

/** Counts one more failure where no lock lasts, and nothing where one does. */
async function countFailure(database: Kysely<Tables>, counter: Counter, at: Date, locks: LockTable): Promise<LockState> {
  const { table, key, values } = counter
  const forgotten = new Date(at.getTime() - FORGET_AFTER_MS)
  const failures = sql`CASE WHEN own.attempted_at < ${forgotten} THEN 1 ELSE own.failures + 1 END`
  const lockedUntil = (count: RawBuilder<unknown>) => sql`
    ${at}::timestamptz + (${locks}::double precision[])[least(${count}, ${locks.length}::integer)] * interval '1 millisecond'`
  for (;;) {
    const { rows } = await sql<{ unlockAt: Date | null }>`
      INSERT INTO ${table} AS own (${key}, failures, locked_until, attempted_at)
      VALUES (${values}, 1, ${lockedUntil(sql`1`)}, ${at})
      ON CONFLICT (${key}) DO UPDATE
        SET failures = ${failures}, locked_until = ${lockedUntil(failures)}, attempted_at = excluded.attempted_at
        WHERE own.locked_until IS NULL OR own.locked_until <= ${at}
      RETURNING locked_until AS "unlockAt"`.execute(database)
    if (rows[0]) return { isLocked: false, unlockAt: rows[0].unlockAt }
    const unlockAt = await lockOf(database, counter, at)
    if (unlockAt) return { isLocked: true, unlockAt }
    // A right password has lifted the lock meanwhile.
  }
}

/** End of the lock of a counter; null when there is none at `at`. */
async function lockOf(database: Kysely<Tables>, { table, key, values }: Counter, at: Date): Promise<Date | null> {
  const { rows } = await sql<{ unlockAt: Date }>`
    SELECT locked_until AS "unlockAt" FROM ${table} WHERE (${key}) = (${values}) AND locked_until > ${at}`.execute(database)
  return rows[0]?.unlockAt ?? null
}

const later = (one: Date | null, other: Date | null): Date | null =>
  one === null || (other !== null && other > one) ? other : one
