import { inject } from 'vitest'
import { createDatabase, type FreshDatabase, run } from './create-database.ts'

export type { FreshDatabase }

/**
 * A new database on the server of the test run (DATABASE_URL when that is set, an embedded one
 * otherwise), migrated. `hasStore`: with a store in it, so that a process that starts on it sets up
 * no demo store, which takes longer than the start.
 */
export async function freshDatabase({ hasStore = false } = {}): Promise<FreshDatabase> {
  const database = await createDatabase(inject('databaseUrl'), inject('migratedDatabase'))
  if (hasStore) await run((database.connection as { connectionString: string }).connectionString, STORE)
  return database
}

const STORE = `INSERT INTO store.store (code, name, currency, country, timezone, hooks_token, created_at, updated_at)
  VALUES ('first', 'First', 'EUR', 'PT', 'Europe/Lisbon', repeat('x', 32), now(), now())`

/** A new database on the server of the test run, without any migration. */
export const emptyDatabase = (): Promise<FreshDatabase> => createDatabase(inject('databaseUrl'))
