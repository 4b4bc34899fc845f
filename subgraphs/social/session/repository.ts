import { type Kysely, sql, type Transaction } from 'kysely'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import type { Tables } from '../tables.ts'
import type { User } from '../user/user.ts'

/** A session that begins: row ids. */
export type NewSession = {
  readonly id: string
  readonly userId: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/**
 * What a password was compared with, and how often all sessions of the user had been ended by then.
 */
export type PasswordCredentials = { readonly userId: string; readonly passwordHash: string | null; readonly signOuts: number }

/** More than a person has devices; who signs in by program ends the session or lets it expire. */
const MAX_LISTED_SESSIONS = 100

/** A living session: row id and times. */
export type ListedSession = Pick<NewSession, 'id' | 'createdAt' | 'expiresAt'>

/** Sessions, and what ends them. */
export const sessionRepository = (database: Kysely<Tables>) => ({
  /** The user of a living session at `at`; null when it has ended or there is none. */
  async userOfLiving(sessionId: string, at: Date): Promise<User | null> {
    const [user] = await USER_OF_LIVING(database, sessionId, at)
    return user ?? null
  },

  /** Those of these sessions that are alive at `at`. */
  living: (sessionIds: readonly string[], at: Date): Promise<string[]> =>
    LIVING(database, sessionIds, at).then((rows) => rows.map(({ id }) => id)),

  /** A user by the key of the e-mail address, with the password hash; null when there is none. */
  async credentialsOf(emailKey: string): Promise<PasswordCredentials | null> {
    const row = await database
      .selectFrom('user')
      .select(['id as userId', 'password_hash as passwordHash', 'sign_outs as signOuts'])
      .where('email_key', '=', emailKey)
      .executeTakeFirst()
    return row ?? null
  },

  /**
   * A new session, with the token that refreshes it; false, and no session, when the password is
   * not the one any more that was compared, or all sessions of the user have been ended since.
   */
  open: (session: NewSession, refreshHash: Buffer, checked: PasswordCredentials): Promise<boolean> =>
    database.transaction().execute(async (transaction) => {
      if (!(await isUnchanged(transaction, checked))) return false
      const { id, userId, createdAt, expiresAt } = session
      await transaction
        .insertInto('session')
        .values({ id, user_id: userId, created_at: createdAt, expires_at: expiresAt, ended_at: null })
        .execute()
      await transaction
        .insertInto('refresh_token')
        .values({ hash: refreshHash, session_id: id, expires_at: expiresAt, used_at: null })
        .execute()
      return true
    }),

  /**
   * Puts a new refresh token in the place of one, and prolongs the session; null when that one is
   * not good. One that was used before ends its session: two have it, and one of them is not its
   * owner.
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

  /** Living sessions of a user at `at`, last begun first, at most `MAX_LISTED_SESSIONS`. */
  list: (userId: string, at: Date): Promise<readonly ListedSession[]> =>
    database
      .selectFrom('session')
      .select(['id', 'created_at as createdAt', 'expires_at as expiresAt'])
      .where('user_id', '=', userId)
      .where('ended_at', 'is', null)
      .where('expires_at', '>', at)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(MAX_LISTED_SESSIONS)
      .execute(),

  /** Ends one living session of a user; how many there were. */
  endOf: (userId: string, sessionId: string, at: Date): Promise<number> =>
    database
      .updateTable('session')
      .set({ ended_at: at })
      .where('id', '=', sessionId)
      .where('user_id', '=', userId)
      .where('ended_at', 'is', null)
      .where('expires_at', '>', at)
      .executeTakeFirst()
      .then(({ numUpdatedRows }) => Number(numUpdatedRows)),

  /** Ends every session of a user but `exceptId`; how many were alive. */
  endAll: (userId: string, at: Date, exceptId: string | null = null): Promise<number> =>
    database.transaction().execute(async (transaction) => {
      await endingAll(transaction, userId).execute()
      let ending = transaction
        .updateTable('session')
        .set({ ended_at: at })
        .where('user_id', '=', userId)
        .where('ended_at', 'is', null)
        .where('expires_at', '>', at)
      if (exceptId !== null) ending = ending.where('id', '<>', exceptId)
      const { numUpdatedRows } = await ending.executeTakeFirst()
      return Number(numUpdatedRows)
    }),

  /**
   * Sets a password, and ends every session of the user but one, or all for null. With `checked`,
   * the caller gave the current password: false, and nothing is changed, when it has changed since.
   */
  setPassword: (
    userId: string,
    passwordHash: string,
    {
      sessionId,
      at,
      checked,
    }: { readonly sessionId: string | null; readonly at: Date; readonly checked: PasswordCredentials | null },
  ): Promise<boolean> =>
    database.transaction().execute(async (transaction) => {
      if (checked && !(await isUnchanged(transaction, checked))) return false
      await endingAll(transaction, userId).set({ password_hash: passwordHash }).execute()
      let others = transaction.updateTable('session').set({ ended_at: at }).where('user_id', '=', userId)
      if (sessionId !== null) others = others.where('id', '<>', sessionId)
      await others.where('ended_at', 'is', null).execute()
      return true
    }),
})

/**
 * Whether the compared password is still the current one, without a sign-out in between; locked
 * until the transaction ends.
 */
const isUnchanged = (
  transaction: Transaction<Tables>,
  { userId, passwordHash, signOuts }: PasswordCredentials,
): Promise<boolean> =>
  transaction
    .selectFrom('user')
    .select('id')
    .where('id', '=', userId)
    .where('password_hash', '=', passwordHash)
    .where('sign_outs', '=', signOuts)
    .forNoKeyUpdate()
    .executeTakeFirst()
    .then((found) => found !== undefined)

/**
 * Keeps sign-ins in progress from opening sessions. Before the sessions are ended, so that none is
 * missed.
 */
const endingAll = (transaction: Transaction<Tables>, userId: string) =>
  transaction
    .updateTable('user')
    .set(({ eb }) => ({ sign_outs: eb('sign_outs', '+', 1) }))
    .where('id', '=', userId)

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

const LIVING = prepared((database: Kysely<Tables>, sessionIds: readonly string[], at: Date) =>
  database
    .selectFrom('session')
    .select('id')
    .where('id', '=', sql<string>`any(${sessionIds}::uuid[])`)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', at)
    .compile(),
)

export type SessionRepository = ReturnType<typeof sessionRepository>
