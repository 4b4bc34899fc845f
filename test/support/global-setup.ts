import { accessSync, constants, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import type { TestProject } from 'vitest/node'
import { PARTITION_COLUMN, PARTITIONABLE_TABLES } from '../../cli/partition.ts'
import type { Connection } from '../../platform/database/database.ts'
import { startEmbedded } from '../../platform/database/embedded/embedded-server.ts'
import { migrate } from '../../platform/database/migrate.ts'
import { partitionTable } from '../../platform/database/partitioning/partition-table.ts'
import { createDatabase } from './create-database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * The PostgreSQL server of this test run, as a URL of a database on it; the user may create
     * databases.
     */
    databaseUrl: string
    /**
     * Name of a migrated database on it that others are copied from: twenty times as fast as to
     * migrate each.
     */
    migratedDatabase: string
    /** Process id of the server; null where the run did not start it. */
    databasePid: number | null
  }
}

/**
 * Runs once around all test files: one database server for the whole run, DATABASE_URL's or one of
 * our own.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  forgetCompiled()
  const server = await databaseServer()
  const migrated = await createDatabase(server.url)
  await migrate(migrated.connection)
  if (process.env.TEST_PARTITIONS) await partitionTables(migrated.connection, Number(process.env.TEST_PARTITIONS))
  project.provide('databaseUrl', server.url)
  project.provide('migratedDatabase', migrated.name)
  project.provide('databasePid', server.pid)
  return async () => {
    await migrated.drop()
    await server.stop()
  }
}

/** Everything that is tested holds for a database whose tables have partitions as well. */
async function partitionTables(connection: Connection, partitions: number): Promise<void> {
  const { signal } = new AbortController()
  for (const name of PARTITIONABLE_TABLES)
    await partitionTable({
      ...{ connection, partitions, signal, maxLockMs: 1_000, column: PARTITION_COLUMN, progress: () => {} },
      table: { schema: 'store', name },
    })
}

async function databaseServer(): Promise<{
  readonly url: string
  readonly pid: number | null
  readonly stop: () => Promise<void>
}> {
  const configured = process.env.DATABASE_URL
  if (configured) return { url: configured, pid: null, stop: async () => {} }
  const dataDir = mkdtempSync(join(fastestFolder(), 'atrium-test-'))
  // The tests of crashes kill processes of their own, and nobody pulls the plug.
  // Three workers at once may each run several copies of everything, with ten connections a part.
  const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '300' }
  const { connection, pid, stop } = await startEmbedded({ dataDir, settings, log: pino({ level: 'silent' }) })
  return {
    url: connection.connectionString,
    pid,
    stop: async () => {
      await stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/**
 * Where Linux keeps files in memory, if there is room: a test run creates hundreds of databases,
 * each of a thousand files, ten times as fast there.
 */
const MEMORY_FOLDER = '/dev/shm'
const MIN_FREE_BYTES = 4 * 1024 ** 3

function fastestFolder(): string {
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
    return bavail * bsize >= MIN_FREE_BYTES ? MEMORY_FOLDER : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** Where the configuration has compiled code kept, unless the environment names another folder. */
const COMPILED = join(import.meta.dirname, '../../node_modules/.cache/compiled')
/** A run of all tests writes half as many where there are none, and a thousand each time after that. */
const MAX_COMPILED_FILES = 20_000

/** Vitest loads a test file by an address that it never had before, and Node keeps its code by that. */
function forgetCompiled(): void {
  if (!existsSync(COMPILED)) return
  const count = readdirSync(COMPILED, { recursive: true }).length
  if (count > MAX_COMPILED_FILES) rmSync(COMPILED, { recursive: true, force: true })
}
