import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../../platform/database/embedded/embedded-server.ts'
import { migrate } from '../../platform/database/migrate.ts'
import { createDatabase, run } from './create-database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL server of this test run, as a URL of a database on it; the user may create databases. */
    databaseUrl: string
    /** Name of a migrated database on it that others are copied from: twenty times as fast as to migrate each. */
    migratedDatabase: string
  }
}

/** Runs once around all test files: one database server for the whole run, DATABASE_URL's or one of our own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await databaseServer()
  const migrated = await createDatabase(server.url)
  await migrate(migrated.connection)
  project.provide('databaseUrl', server.url)
  project.provide('migratedDatabase', migrated.name)
  return async () => {
    await migrated.drop()
    await server.stop()
  }
}

async function databaseServer(): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const configured = process.env.DATABASE_URL
  if (configured) return { url: configured, stop: async () => {} }
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-test-'))
  const { connection, stop } = await startEmbedded({ dataDir, log: pino({ level: 'silent' }) })
  // The tests of crashes kill processes of their own, and nobody pulls the plug.
  await run(connection.connectionString, 'ALTER SYSTEM SET fsync = off')
  await run(connection.connectionString, 'SELECT pg_reload_conf()')
  return {
    url: connection.connectionString,
    stop: async () => {
      await stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
