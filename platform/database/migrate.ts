import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { OperatorError } from '../process/operator-error.ts'
import { blockingIndex, buildIndexConcurrently, concurrentIndexOf } from './concurrent-index.ts'
import type { Connection } from './database.ts'
import { convertRecords, type MigrationRecord, readRecords, recordMigration } from './migration-records.ts'
import { retryAfterDeadlock } from './transaction-retry.ts'

/** The folder with every subgraph's migrations. */
const MIGRATIONS_FOLDER = join(import.meta.dirname, '../../prisma')

/** A migration file: `prisma/<subgraph>/migrations/<name>/migration.sql`. */
export type Migration = { readonly subgraph: string; readonly name: string; readonly sql: string; readonly checksum: string }

/**
 * applied: file and record agree; pending: no record; unknown: no file, so the database is newer
 * than this code; changed: the file was edited after being applied; failed: begun by Prisma's CLI
 * and not finished.
 */
export type MigrationState = 'applied' | 'pending' | 'unknown' | 'changed' | 'failed'

/** Status of one migration; `appliedAt` is null while pending and after a failure. */
export type MigrationStatus = {
  readonly subgraph: string
  readonly name: string
  readonly state: MigrationState
  readonly appliedAt: Date | null
}

/** Result of `migrate`, in order; both lists together are all migrations. */
export type MigrationReport = { readonly applied: readonly string[]; readonly unchanged: readonly string[] }

/** Folder of the migrations, and how long to wait for another process that migrates, for tests. */
type Options = { readonly folder?: string; readonly lockTimeoutMs?: number }

/** Advisory lock key, the same in every version: "atrium" as ASCII in hexadecimal. */
const ADVISORY_LOCK_KEY = 0x61747269756d

/** Migrations take seconds, but for indexes that are being built: a lock held longer is stuck. */
const LOCK_TIMEOUT_MS = 60_000
/** Between two attempts to take the lock. */
const LOCK_INTERVAL_MS = 100

/** Oldest supported PostgreSQL, as `server_version_num`. */
const MIN_SERVER_VERSION = 150_000

/** Error per state, naming the migration. */
const REFUSALS: Partial<Record<MigrationState, (name: string) => string>> = {
  unknown: (name) =>
    `The database is newer than this program: it has migration ${name}, which this version does not know. Start the newer version, or restore a backup.`,
  changed: (name) =>
    `Migration ${name} was edited after it had been applied to this database. Restore its file, and put the change into a new migration.`,
  failed: (name) =>
    `Migration ${name} was begun by Prisma and did not finish: repair the database, then record with \`prisma migrate resolve\` whether it is applied or rolled back.`,
}

/**
 * Applies all pending migrations, each in a transaction, except those that build an index
 * concurrently; creates a schema per subgraph. Idempotent, and safe to run concurrently. Throws an
 * `OperatorError` for a database that is newer, edited or too old.
 */
export async function migrate(
  connection: Connection,
  { folder = MIGRATIONS_FOLDER, lockTimeoutMs = LOCK_TIMEOUT_MS }: Options = {},
): Promise<MigrationReport> {
  return withClient(connection, async (client) => {
    await assertSupportedServer(client)
    // Lock first: concurrent CREATE SCHEMA fail even with IF NOT EXISTS.
    await lockMigrations(client, lockTimeoutMs)
    const migrations = readMigrations(folder)
    const status = await statusOf(client, migrations)
    for (const { subgraph, name, state } of status) {
      const refusal = REFUSALS[state]
      if (refusal) throw new OperatorError(refusal(`${subgraph}/${name}`))
    }
    for (const subgraph of subgraphsOf(migrations)) await convertRecords(client, subgraph)
    const pending = migrations.filter((_, index) => status[index]?.state === 'pending')
    for (const migration of pending) await apply(client, migration)
    return { applied: pending.map(label), unchanged: migrations.filter((migration) => !pending.includes(migration)).map(label) }
  })
}

/** Status of all migrations: files in order, then records without a file. Read-only. */
export async function migrationStatus(
  connection: Connection,
  { folder = MIGRATIONS_FOLDER }: Options = {},
): Promise<readonly MigrationStatus[]> {
  return withClient(connection, (client) => statusOf(client, readMigrations(folder)))
}

const label = ({ subgraph, name }: Migration): string => `${subgraph}/${name}`

/** All migrations of this version, in order. */
export function readMigrations(folder = MIGRATIONS_FOLDER): Migration[] {
  return foldersIn(folder).flatMap((subgraph) => {
    const migrations = join(folder, subgraph, 'migrations')
    if (!existsSync(migrations)) return []
    return foldersIn(migrations).map((name) => {
      const sql = readFileSync(join(migrations, name, 'migration.sql'), 'utf8')
      return { subgraph, name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    })
  })
}

/** Names start with a date, so they sort by time. */
function foldersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

const subgraphsOf = (migrations: readonly Migration[]): readonly string[] => [
  ...new Set(migrations.map(({ subgraph }) => subgraph)),
]

async function statusOf(client: pg.Client, migrations: readonly Migration[]): Promise<MigrationStatus[]> {
  const subgraphs = subgraphsOf(migrations)
  const recorded = new Map<string, readonly MigrationRecord[]>()
  for (const subgraph of subgraphs) recorded.set(subgraph, await readRecords(client, subgraph))

  const known = migrations.map(({ subgraph, name, checksum }): MigrationStatus => {
    const record = recorded.get(subgraph)?.find((candidate) => candidate.name === name)
    if (!record) return { subgraph, name, state: 'pending', appliedAt: null }
    if (!record.finishedAt) return { subgraph, name, state: 'failed', appliedAt: null }
    return { subgraph, name, state: record.checksum === checksum ? 'applied' : 'changed', appliedAt: record.finishedAt }
  })
  const unknown = subgraphs.flatMap((subgraph) =>
    (recorded.get(subgraph) ?? [])
      .filter(({ name }) => !migrations.some((migration) => migration.subgraph === subgraph && migration.name === name))
      .map(({ name, finishedAt }): MigrationStatus => ({ subgraph, name, state: 'unknown', appliedAt: finishedAt })),
  )
  return [...known, ...unknown]
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    // Servers of the release before write meanwhile, and may lock the same tables in another order.
    await retryAfterDeadlock(() => attempt(client, migration))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError(`Migration ${label(migration)} failed and was rolled back: ${reason}.`, { cause: error })
  }
}

async function attempt(client: pg.Client, migration: Migration): Promise<void> {
  const { subgraph: schema, sql } = migration
  const index = concurrentIndexOf(sql)
  if (index !== null) await buildIndexConcurrently(client, { schema, index, sql })
  try {
    await client.query('BEGIN')
    await (index === null ? runMigration(client, migration) : recordMigration(client, migration))
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/**
 * Applies and records a migration in the open transaction, in which an index is built that would
 * otherwise be built concurrently.
 */
export async function runMigration(client: pg.Client, migration: Migration): Promise<void> {
  const schema = pg.escapeIdentifier(migration.subgraph)
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
  await client.query(`SET LOCAL search_path = ${schema}, public`)
  await client.query(concurrentIndexOf(migration.sql) === null ? migration.sql : blockingIndex(migration.sql))
  await recordMigration(client, migration)
}

/** Throws an `OperatorError` for a server that is too old or not UTF8. */
export async function assertSupportedServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: number; name: string; encoding: string }>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS name,
            current_setting('server_encoding') AS encoding`,
  )
  const server = rows[0]
  if (!server || server.number < MIN_SERVER_VERSION) {
    throw new OperatorError(
      `The database is PostgreSQL ${server?.name ?? 'of an unknown version'}, and version 15 or newer is needed.`,
    )
  }
  if (server.encoding !== 'UTF8') {
    throw new OperatorError(
      `The database's encoding is ${server.encoding}, and UTF8 is needed: create the database with ENCODING 'UTF8'.`,
    )
  }
}

/**
 * Takes the migration lock until the connection ends. It is polled: an index that is built
 * concurrently waits for all statements that began before, and so for one that waits for the lock.
 * The time without an index that is built counts: other migrations follow it.
 */
export async function lockMigrations(client: pg.Client, timeoutMs = LOCK_TIMEOUT_MS): Promise<void> {
  let deadline = Date.now() + timeoutMs
  while (!(await isTrue(client, 'SELECT pg_try_advisory_lock($1) AS "isTrue"', [ADVISORY_LOCK_KEY]))) {
    if (Date.now() > deadline) {
      if (!(await isTrue(client, INDEX_IS_BUILT)))
        throw new OperatorError('Another process has been migrating this database for a minute: end it, then try again.')
      deadline = Date.now() + timeoutMs
    }
    await sleep(LOCK_INTERVAL_MS)
  }
}

/** Or dropped, which waits for older transactions as well, and is no progress of a build. */
const INDEX_IS_BUILT = `SELECT EXISTS (SELECT 1 FROM pg_stat_progress_create_index WHERE datname = current_database())
  OR EXISTS (SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'active' AND query LIKE 'DROP INDEX CONCURRENTLY %') AS "isTrue"`

async function isTrue(client: pg.Client, text: string, values: readonly unknown[] = []): Promise<boolean> {
  const { rows } = await client.query<{ isTrue: boolean }>(text, [...values])
  return rows[0]?.isTrue === true
}

async function withClient<Result>(connection: Connection, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ ...connection, application_name: 'atrium migrate' })
  // Without a listener a lost connection would end the process; the next query reports it.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
