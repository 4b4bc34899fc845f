import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'

export type EmergencyRepository = ReturnType<typeof emergencyRepository>

/** What an operator does when something has leaked. */
export const emergencyRepository = (database: Kysely<Tables>) => ({
  /** When all sessions were last ended at once; null: never. */
  async sessionsEndedAt(): Promise<Date | null> {
    const found = await database.selectFrom('sessions_ended').select('ended_at').executeTakeFirst()
    return found?.ended_at ?? null
  },

  /**
   * Ends every session of every user, with its refresh tokens, and those of pages; how many of
   * users were alive.
   */
  async endAllSessions(at: Date): Promise<number> {
    await database
      .insertInto('sessions_ended')
      .values({ ended_at: at })
      .onConflict((conflict) => conflict.column('only_row').doUpdateSet({ ended_at: at }))
      .execute()
    // First, so that log-ins that are under way open no session.
    await sql`UPDATE "user" SET sign_outs = sign_outs + 1`.execute(database)
    const { numUpdatedRows } = await database
      .updateTable('session')
      .set({ ended_at: at })
      .where('ended_at', 'is', null)
      .where('expires_at', '>', at)
      .executeTakeFirst()
    return Number(numUpdatedRows)
  },
})
