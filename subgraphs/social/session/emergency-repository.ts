import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'

/** What an operator does when something has leaked. */
export const emergencyRepository = (database: Kysely<Tables>) => ({
  /** Ends every session of every user, with its refresh tokens; how many were alive. */
  async endAllSessions(at: Date): Promise<number> {
    // First, so that sign-ins in progress open no session.
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
