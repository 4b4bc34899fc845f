import { inject } from 'vitest'
import { createDatabase, type FreshDatabase } from './create-database.ts'

export type { FreshDatabase }

/**
 * A new database on the server of the test run (DATABASE_URL when that is set, an embedded one
 * otherwise), migrated.
 */
export const freshDatabase = (): Promise<FreshDatabase> => createDatabase(inject('databaseUrl'), inject('migratedDatabase'))

/** A new database on the server of the test run, without any migration. */
export const emptyDatabase = (): Promise<FreshDatabase> => createDatabase(inject('databaseUrl'))
