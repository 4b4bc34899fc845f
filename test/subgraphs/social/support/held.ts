import pg from 'pg'
import type { FreshDatabase } from '../../../support/database.ts'

/** What a test's own transaction holds until `release`. */
export type Held = {
  /** Resolves when so many others wait for a lock. */
  readonly isWaitedFor: (by?: number) => Promise<void>
  /** Runs another statement in the transaction. */
  readonly run: (sql: string, values?: unknown[]) => Promise<void>
  readonly release: () => Promise<void>
}

const open = new Set<pg.Client>()

/** Ends what a test that failed has left open. */
export async function releaseAll(): Promise<void> {
  await Promise.all([...open].map((client) => client.end()))
  open.clear()
}

/** Runs a statement in a transaction that stays open, so that whoever needs what it locks waits. */
export async function held({ connection }: FreshDatabase, sql: string, values: unknown[] = []): Promise<Held> {
  const client = new pg.Client({ ...connection, options: '-c search_path=social,public', application_name: 'holder' })
  await client.connect()
  open.add(client)
  await client.query('BEGIN')
  await client.query(sql, values)
  // Locks of transactions are of no database, and other tests have theirs on the same server: whoever waits in this
  // database also holds a lock of it.
  const waiting = async () => {
    const { rows } = await client.query(
      `SELECT count(*)::int AS count FROM pg_locks AS waiting WHERE NOT granted AND EXISTS (SELECT FROM pg_locks AS own
         WHERE own.pid = waiting.pid AND own.database = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
    )
    return rows[0].count
  }
  return {
    async isWaitedFor(by = 1) {
      while ((await waiting()) < by) await new Promise((resolve) => setTimeout(resolve, 5))
    },
    run: async (text, given) => void (await client.query(text, given)),
    async release() {
      await client.query('COMMIT')
      open.delete(client)
      await client.end()
    },
  }
}
