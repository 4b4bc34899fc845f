import type { JWK } from 'jose'
import type { Kysely } from 'kysely'
import { prepared } from '../../runtime/prepared.ts'
import type { Tables } from '../tables.ts'
import type { User } from '../user/user.ts'

/** A key pair that signs tokens. */
export type SigningKey = {
  readonly kid: string
  readonly publicKey: JWK
  readonly privateKey: JWK
  readonly createdAt: Date
  /** It signs nothing from then on. */
  readonly retiresAt: Date
}

/** A session that begins: row ids. */
export type NewSession = {
  readonly id: string
  readonly userId: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** How long failed log-ins of an address count, in milliseconds: longer than the longest lock. */
const FORGOTTEN_AFTER = 48 * 60 * 60 * 1000

/** Sessions, what ends them, and the keys that sign their tokens. */
export const sessionRepository = (database: Kysely<Tables>) => ({
  /** The user of a session that is alive at `at`; null when it has ended or there is none. */
  async userOfLiving(sessionId: string, at: Date): Promise<User | null> {
    const [user] = await USER_OF_LIVING(database, sessionId, at)
    return user ?? null
  },

  /** A user by the key of the address, with what the password is compared with; null when there is none. */
  async credentialsOf(emailKey: string): Promise<{ readonly userId: string; readonly passwordHash: string | null } | null> {
    const row = await database
      .selectFrom('user')
      .select(['id as userId', 'password_hash as passwordHash'])
      .where('email_key', '=', emailKey)
      .executeTakeFirst()
    return row ?? null
  },

  /**
   * Counts a log-in as a failure before its password is looked at, so that guesses at the same time count as well. The lock that `lockAfter` gives for this failure
   * is there at once. While a lock lasts nothing changes, and `isLocked` says so.
   */
  countAttempt: (
    emailHash: Buffer,
    at: Date,
    lockAfter: (failures: number) => Date | null,
  ): Promise<{ readonly isLocked: boolean; readonly unlockAt: Date | null }> =>
    database.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('login_attempt')
        .values({ email_hash: emailHash, failures: 0, locked_until: null, attempted_at: at })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      const own = transaction.selectFrom('login_attempt').selectAll().where('email_hash', '=', emailHash).forUpdate()
      const { failures, locked_until, attempted_at } = await own.executeTakeFirstOrThrow()
      if (locked_until !== null && locked_until > at) return { isLocked: true, unlockAt: locked_until }
      const isForgotten = attempted_at.getTime() + FORGOTTEN_AFTER < at.getTime()
      const counted = isForgotten ? 1 : failures + 1
      const unlockAt = lockAfter(counted)
      await transaction
        .updateTable('login_attempt')
        .set({ failures: counted, locked_until: unlockAt, attempted_at: at })
        .where('email_hash', '=', emailHash)
        .execute()
      return { isLocked: false, unlockAt }
    }),

  /** Forgets failed log-ins after a right one, and what nobody needs any more. */
  async forgetAttempts(emailHash: Buffer, at: Date): Promise<void> {
    await database.deleteFrom('login_attempt').where('email_hash', '=', emailHash).execute()
    const forgotten = new Date(at.getTime() - FORGOTTEN_AFTER)
    await database.deleteFrom('login_attempt').where('attempted_at', '<', forgotten).execute()
    await database.deleteFrom('session').where('expires_at', '<', at).execute()
  },

  /** A new session, with the token that refreshes it. */
  open: (session: NewSession, refreshHash?: Buffer): Promise<void> =>
    database.transaction().execute(async (transaction) => {
      const { id, userId, createdAt, expiresAt } = session
      await transaction
        .insertInto('session')
        .values({ id, user_id: userId, created_at: createdAt, expires_at: expiresAt, ended_at: null })
        .execute()
      if (!refreshHash) return
      await transaction
        .insertInto('refresh_token')
        .values({ hash: refreshHash, session_id: id, expires_at: expiresAt, used_at: null })
        .execute()
    }),

  /**
   * Puts a new refresh token in the place of one, and prolongs the session; null when that one is not good. One that was used before ends its session: two have it, and
   * one of them is not its owner.
   */
  rotate: (
    hash: Buffer,
    next: { readonly hash: Buffer; readonly at: Date; readonly expiresAt: Date },
  ): Promise<{ readonly sessionId: string; readonly userId: string } | null> =>
    database.transaction().execute(async (transaction) => {
      const found = await transaction
        .selectFrom('refresh_token')
        .innerJoin('session', 'session.id', 'refresh_token.session_id')
        .select([
          'session.id as sessionId',
          'session.user_id as userId',
          'session.ended_at',
          'used_at',
          'refresh_token.expires_at',
        ])
        .where('hash', '=', hash)
        .forUpdate(['refresh_token', 'session'])
        .executeTakeFirst()
      if (!found || found.ended_at !== null || found.expires_at <= next.at) return null
      const { sessionId, userId } = found
      const session = transaction.updateTable('session').where('id', '=', sessionId)
      if (found.used_at !== null) {
        await session.set({ ended_at: next.at }).execute()
        return null
      }
      await session.set({ expires_at: next.expiresAt }).execute()
      await transaction.updateTable('refresh_token').set({ used_at: next.at }).where('hash', '=', hash).execute()
      await transaction
        .insertInto('refresh_token')
        .values({ hash: next.hash, session_id: sessionId, expires_at: next.expiresAt, used_at: null })
        .execute()
      return { sessionId, userId }
    }),

  /** Ends one session; how many were alive. */
  end: (sessionId: string, at: Date): Promise<number> =>
    database
      .updateTable('session')
      .set({ ended_at: at })
      .where('id', '=', sessionId)
      .where('ended_at', 'is', null)
      .executeTakeFirst()
      .then(({ numUpdatedRows }) => Number(numUpdatedRows)),

  /** Ends every session of a user; how many were alive. */
  endAll: (userId: string, at: Date): Promise<number> =>
    database
      .updateTable('session')
      .set({ ended_at: at })
      .where('user_id', '=', userId)
      .where('ended_at', 'is', null)
      .where('expires_at', '>', at)
      .executeTakeFirst()
      .then(({ numUpdatedRows }) => Number(numUpdatedRows)),

  /** Sets a password, and ends every session of the user but one, or all for null. */
  setPassword: (
    userId: string,
    passwordHash: string,
    kept: { readonly sessionId: string | null; readonly at: Date },
  ): Promise<void> =>
    database.transaction().execute(async (transaction) => {
      await transaction.updateTable('user').set({ password_hash: passwordHash }).where('id', '=', userId).execute()
      let others = transaction.updateTable('session').set({ ended_at: kept.at }).where('user_id', '=', userId)
      if (kept.sessionId !== null) others = others.where('id', '<>', kept.sessionId)
      await others.where('ended_at', 'is', null).execute()
    }),

  /** Newest first. */
  async keys(): Promise<SigningKey[]> {
    const rows = await database.selectFrom('signing_key').selectAll().orderBy('created_at', 'desc').orderBy('kid').execute()
    return rows.map(({ kid, public_key, private_key, created_at, retires_at }) => ({
      kid,
      publicKey: public_key as JWK,
      privateKey: private_key as JWK,
      createdAt: created_at,
      retiresAt: retires_at,
    }))
  },

  async addKey({ kid, publicKey, privateKey, createdAt, retiresAt }: SigningKey): Promise<void> {
    await database
      .insertInto('signing_key')
      .values({
        kid,
        public_key: JSON.stringify(publicKey),
        private_key: JSON.stringify(privateKey),
        created_at: createdAt,
        retires_at: retiresAt,
      })
      .execute()
  },
})

const USER_OF_LIVING = prepared((database: Kysely<Tables>, sessionId: string, at: Date) =>
  database
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.user_id')
    .select([
      'user.id',
      'user.email',
      'user.name',
      'user.role',
      'user.phone_number as phoneNumber',
      'user.created_at as createdAt',
    ])
    .where('session.id', '=', sessionId)
    .where('session.ended_at', 'is', null)
    .where('session.expires_at', '>', at)
    .compile(),
)

export type SessionRepository = ReturnType<typeof sessionRepository>
