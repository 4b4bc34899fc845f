import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import pg from 'pg'
import { OperatorError } from '../../process/operator-error.ts'
import type { Connection } from '../database.ts'
import { migrationStatus, readMigrations } from '../migrate.ts'
import { type Archive, createArchive } from './archive.ts'
import { copyOut } from './copy.ts'
import { filePath, MANIFEST, type Manifest, piecePath, SUMS, TOTALS, type Totals } from './format.ts'
import { labelOf, listSequences, listTables, quotedName, STABLE_TEXT_SETTINGS, type Table } from './tables.ts'

/** Files that belong to rows. */
export type BackupFiles = {
  /** Answers `key` of every file, and keeps each from being removed until the transaction ends. */
  readonly keys: string
  /** Null when there is none. */
  readonly open: (key: string) => Promise<{ readonly body: Readable; readonly bytes: number } | null>
}

export type BackupOptions = {
  readonly connection: Connection
  /** Where to write it; it appears there when it is whole. */
  readonly file: string
  /** Null: they are elsewhere. */
  readonly files: BackupFiles | null
  readonly signal: AbortSignal
  /** Called for every piece that was written. */
  readonly progress: (rows: number) => void
}

/** What a backup holds. `bytes` is how long it is. */
export type BackupReport = Pick<Totals, 'rows' | 'files'> & Pick<Manifest, 'takenAt' | 'hasFiles'> & { readonly bytes: number }

/** Bytes of a table that are in memory at once. */
const MAX_PIECE_BYTES = 4_000_000
/**
 * Files that are removed in the moment in which the backup begins make it begin again, so often.
 */
const MAX_ATTEMPTS = 5

/**
 * Writes the state of one moment into a file, while others go on writing: tables by COPY in one
 * transaction that sees nothing of later ones, and the files of the rows in it. Throws an
 * `OperatorError` for a database that does not fit this program; whatever it throws, no file is
 * left behind.
 */
export async function backUp({ connection, file, files, signal, progress }: BackupOptions): Promise<BackupReport> {
  const migrations = await migrationStatus(connection)
  const mismatch = migrations.find(({ state }) => state !== 'applied')
  if (mismatch)
    throw new OperatorError(
      `Migration ${mismatch.subgraph}/${mismatch.name} is ${mismatch.state}; \`atrium db status\` says more.`,
    )
  const client = new pg.Client({ ...connection, application_name: 'atrium backup' })
  client.on('error', () => {})
  await client.connect()
  const partFile = `${file}.part`
  try {
    const archive = await createArchive(partFile, signal)
    try {
      const report = await write(client, archive, files, signal, progress)
      const bytes = await archive.end(SUMS)
      await rename(partFile, file)
      await syncFolder(dirname(file))
      return { ...report, bytes }
    } catch (error) {
      await archive.giveUp()
      throw error
    }
  } finally {
    // Closing the connection ends a running read.
    await client.end().catch(() => {})
  }
}

async function write(
  client: pg.Client,
  archive: Archive,
  files: BackupFiles | null,
  signal: AbortSignal,
  progress: BackupOptions['progress'],
): Promise<Omit<BackupReport, 'bytes'>> {
  const keys = await begin(client, files)
  const migrations = readMigrations().map(({ subgraph, name, checksum }) => ({ subgraph, name, checksum }))
  const schemas = [...new Set(migrations.map(({ subgraph }) => subgraph))]
  const tables = await listTables(client, schemas)
  const { rows: server } = await client.query<{ readonly at: Date; readonly version: string }>(
    `SELECT now() AS at, current_setting('server_version') AS version`,
  )
  const takenAt = server[0]?.at.toISOString() ?? ''
  const manifest: Manifest = {
    format: 'atrium-backup/1',
    takenAt,
    postgres: server[0]?.version ?? '',
    hasFiles: files !== null,
    migrations,
    tables,
  }
  await archive.add(MANIFEST, jsonOf(manifest))

  const rows: Record<string, number> = {}
  let written = 0
  for (const table of tables) {
    rows[labelOf(table)] = await writeTable(client, archive, table, (more) => {
      signal.throwIfAborted()
      written += more
      progress(written)
    })
  }
  for (const key of keys) {
    signal.throwIfAborted()
    const stored = await files?.open(key)
    if (stored) await archive.addAll(filePath(key), stored.bytes, stored.body)
    // An upload in progress when the row was read: no row refers to it yet.
    else keys.delete(key)
  }
  const totals: Totals = { rows, files: keys.size, sequences: await listSequences(client, schemas) }
  await archive.add(TOTALS, jsonOf(totals))
  await client.query('COMMIT')
  return { rows, files: keys.size, takenAt, hasFiles: files !== null }
}

/** Opens the transaction, and answers the keys of all files in it. */
async function begin(client: pg.Client, files: BackupFiles | null): Promise<Set<string>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
      await client.query(STABLE_TEXT_SETTINGS)
      const { rows } = files ? await client.query<{ readonly key: string }>(files.keys) : { rows: [] }
      return new Set(rows.map(({ key }) => key))
    } catch (error) {
      await client.query('ROLLBACK')
      // 40001 is serialization_failure.
      if (attempt === MAX_ATTEMPTS || !(error instanceof pg.DatabaseError) || error.code !== '40001') throw error
    }
  }
}

async function writeTable(client: pg.Client, archive: Archive, table: Table, onRows: (rows: number) => void): Promise<number> {
  const columns = table.columns.map((column) => pg.escapeIdentifier(column)).join(', ')
  let [lines, bytes, piece, rows]: [Buffer[], number, number, number] = [[], 0, 0, 0]
  // A query: PostgreSQL copies no table with partitions by its name.
  for await (const line of copyOut(client, `COPY (SELECT ${columns} FROM ${quotedName(table)}) TO STDOUT`)) {
    lines.push(line)
    bytes += line.length
    if (bytes >= MAX_PIECE_BYTES) await flush()
  }
  if (lines.length > 0) await flush()
  return rows

  async function flush(): Promise<void> {
    piece += 1
    await archive.add(piecePath(labelOf(table), piece), Buffer.concat(lines))
    rows += lines.length
    onRows(lines.length)
    ;[lines, bytes] = [[], 0]
  }
}

const jsonOf = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`)

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
