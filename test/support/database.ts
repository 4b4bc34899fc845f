import { inject } from 'vitest'
import type { Connection } from '../../platform/database/database.ts'
import { createDatabase, type FreshDatabase, run } from './create-database.ts'

export type { FreshDatabase }

/**
 * A new database on the server of the test run (DATABASE_URL when that is set, an embedded one
 * otherwise), migrated. `hasStore`: with a store in it, so that a process that starts on it sets up
 * no demo store, which takes longer than the start.
 */
export async function freshDatabase({ hasStore = false } = {}): Promise<FreshDatabase> {
  const database = await createDatabase(inject('databaseUrl'), inject('migratedDatabase'))
  if (hasStore) await insertStore(database.connection)
  return database
}

/** Adds a store to a migrated database. */
export const insertStore = (connection: Connection): Promise<void> =>
  // Those of tests are URLs.
  run((connection as { readonly connectionString: string }).connectionString, STORE)

const STORE = `INSERT INTO store.store (code, name, currency, country, timezone, hooks_token, created_at, updated_at)
  VALUES ('first', 'First', 'EUR', 'PT', 'Europe/Lisbon', repeat('x', 32), now(), now())`

/** A new database on the server of the test run, without any migration. */
export const emptyDatabase = (): Promise<FreshDatabase> => createDatabase(inject('databaseUrl'))
