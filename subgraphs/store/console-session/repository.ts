import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

/** Open sessions of one store; one more ends the oldest. */
const MAX_SESSIONS_PER_STORE = 100

export type ConsoleSessionRepository = ReturnType<typeof consoleSessionRepository>

/**
 * Sessions of consoles, by the hash of what their browser has. `database` is the primary: a session
 * that was ended must not go on where that is not known yet.
 */
export const consoleSessionRepository = (database: Kysely<Tables>) => ({
  /** Inserts a session, and deletes expired and surplus ones. */
  async insert(storeId: number, hash: Buffer, { at, expiresAt }: { readonly at: Date; readonly expiresAt: Date }): Promise<void> {
    await database.deleteFrom('console_session').where('expires_at', '<=', at).execute()
    await database
      .deleteFrom('console_session')
      .where('hash', 'in', (all) =>
        all
          .selectFrom('console_session')
          .select('hash')
          .where('store_id', '=', storeId)
          .orderBy('created_at', 'desc')
          .orderBy('hash')
          .offset(MAX_SESSIONS_PER_STORE - 1),
      )
      .execute()
    await database
      .insertInto('console_session')
      .values({ hash, store_id: storeId, created_at: at, expires_at: expiresAt })
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
