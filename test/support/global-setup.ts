import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../../database/embedded.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL server of this test run, as a URL of a database on it; the user may create databases. */
    databaseUrl: string
  }
}

/** Runs once around all test files: one database server for the whole run, DATABASE_URL's or one of our own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const configured = process.env.DATABASE_URL
  if (configured) {
    project.provide('databaseUrl', configured)
    return async () => {}
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-test-'))
  const server = await startEmbedded({ dataDir, log: pino({ level: 'silent' }) })
  project.provide('databaseUrl', server.connection.connectionString)
  return async () => {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
