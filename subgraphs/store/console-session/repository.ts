import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

/** Open sessions of one store by its authtoken; one more ends the oldest of them. */
const MAX_SESSIONS_PER_STORE = 100
/** Open sessions of a user in one store; one more ends the oldest of this user. */
const MAX_SESSIONS_PER_USER = 10

/** A new session. */
type NewSession = {
  /** User who begins it; null: who has the authtoken of the store. */
  readonly userId: string | null
  readonly at: Date
  readonly expiresAt: Date
}

/**
 * Sessions of consoles, by the hash of what their browser has. `database` is the primary: a session
 * that was ended must not go on where that is not known yet.
 */
export const consoleSessionRepository = (database: Kysely<Tables>) => ({
  /** Inserts a session, and deletes expired ones, and surplus ones of the same user. */
  async insert(storeId: number, hash: Buffer, { userId, at, expiresAt }: NewSession): Promise<void> {
    await database.deleteFrom('console_session').where('expires_at', '<=', at).execute()
    await database
      .deleteFrom('console_session')
      .where('hash', 'in', (all) =>
        all
          .selectFrom('console_session')
          .select('hash')
          .where('store_id', '=', storeId)
          .where('user_id', 'is not distinct from', userId)
          .orderBy('created_at', 'desc')
          .orderBy('hash')
          .offset((userId === null ? MAX_SESSIONS_PER_STORE : MAX_SESSIONS_PER_USER) - 1),
      )
      .execute()
    await database
      .insertInto('console_session')
      .values({ hash, store_id: storeId, user_id: userId, created_at: at, expires_at: expiresAt })
      .execute()
  },

  async isOpen(storeId: number, hash: Buffer, at: Date): Promise<boolean> {
    const found = await database
      .selectFrom('console_session')
      .select('hash')
      .where('hash', '=', hash)
      .where('store_id', '=', storeId)
      .where('expires_at', '>', at)
      .executeTakeFirst()
    return found !== undefined
  },

  /** False when there was none. */
  async delete(storeId: number, hash: Buffer): Promise<boolean> {
    const { numDeletedRows } = await database
      .deleteFrom('console_session')
      .where('hash', '=', hash)
      .where('store_id', '=', storeId)
      .executeTakeFirst()
    return numDeletedRows > 0n
  },
})
