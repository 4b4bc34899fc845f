import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import pg from 'pg'
import type { z } from 'zod'
import { OperatorError } from '../../process/operator-error.ts'
import type { Connection } from '../database.ts'
import { assertSupportedServer, lockMigrations, type Migration, readMigrations, runMigration } from '../migrate.ts'
import { copyIn } from './copy.ts'
import { FILE, MANIFEST, type Manifest, manifest, PIECE, SUMS, TOTALS, type Totals, totals } from './format.ts'
import { labelOf, listTables, quotedName, STABLE_TEXT_SETTINGS, type Table } from './tables.ts'
import { InvalidArchive, readEntries, type TarEntry } from './tar.ts'

/** Where files of rows go. */
export type FileDestination = {
  /** Stages a file, which is not visible yet. Throws an `OperatorError` for an invalid key. */
  readonly stage: (key: string, body: AsyncIterable<Buffer>) => Promise<void>
  /** Makes all staged files visible, before the transaction of their rows commits. */
  readonly commit: (client: pg.Client) => Promise<void>
  /** Removes staged and committed files. */
  readonly discard: () => Promise<void>
}

export type RestoreOptions = {
  readonly connection: Connection
  readonly file: string
  readonly files: FileDestination
  /** Deletes the current contents of the database. */
  readonly force: boolean
  /** Run behind the data, in the same transaction: what must not be as it was. */
  readonly afterLoad: readonly string[]
  /** Schemas that programs make for themselves, and that go with the data which they are about. */
  readonly extraSchemas: readonly string[]
  readonly signal: AbortSignal
  /** Called with the bytes of the file that have been read. */
  readonly progress: (bytes: number) => void
}

export type RestoreReport = Pick<Totals, 'rows' | 'files'> & {
  readonly takenAt: string
  readonly hasFiles: boolean
  /** Migrations that are younger than the backup. */
  readonly applied: readonly string[]
}

/**
 * Restores a backup in one transaction: all of it, or nothing. Migrates an older backup to this
 * program. Throws an `OperatorError` for a file that is damaged, no backup or of a newer program,
 * for a database with contents unless `force`, and for one that is in use.
 */
export async function restore(options: RestoreOptions): Promise<RestoreReport> {
  const { connection, files, force, signal } = options
  const client = new pg.Client({ ...connection, application_name: 'atrium restore' })
  client.on('error', () => {})
  await client.connect()
  try {
    await assertSupportedServer(client)
    await lockMigrations(client)
    const migrationsHere = readMigrations()
    const schemas = [...new Set(migrationsHere.map(({ subgraph }) => subgraph))]
    await assertUnused(client)
    const nonEmptyBefore = force ? [] : await nonEmptyTables(client, schemas)
    await client.query('BEGIN')
    await client.query(STABLE_TEXT_SETTINGS)
    const { younger, ...report } = await load(client, options, migrationsHere, { schemas, had: nonEmptyBefore })
    for (const migration of younger) await runMigration(client, migration)
    for (const statement of options.afterLoad) await client.query(statement)
    signal.throwIfAborted()
    await files.commit(client)
    await client.query('COMMIT')
    return { ...report, applied: younger.map(({ subgraph, name }) => `${subgraph}/${name}`) }
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    await files.discard()
    if (error instanceof InvalidArchive)
      throw new OperatorError(`"${options.file}" is damaged or no backup: ${error.message}`, { cause: error })
    throw error
  } finally {
    await client.end().catch(() => {})
  }
}

/** Another process of ours would keep cached rows that are gone. */
async function assertUnused(client: pg.Client): Promise<void> {
  const { rows: otherConnections } = await client.query<{ readonly name: string }>(
    `SELECT DISTINCT application_name AS name FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'atrium %' AND pid <> pg_backend_pid()`,
  )
  if (otherConnections.length > 0) {
    throw new OperatorError(
      `The database is in use (${otherConnections.map(({ name }) => name).join(', ')}): stop every process of Atrium, then restore.`,
    )
  }
}

/** Tables with rows. */
async function nonEmptyTables(client: pg.Client, schemas: readonly string[]): Promise<string[]> {
  const labels: string[] = []
  for (const table of await listTables(client, schemas)) {
    const { rows } = await client.query(`SELECT FROM ${quotedName(table)} LIMIT 1`)
    if (rows.length > 0) labels.push(labelOf(table))
  }
  return labels
}

async function load(
  client: pg.Client,
  { file, files, extraSchemas, signal, progress }: RestoreOptions,
  migrationsHere: readonly Migration[],
  { schemas, had: nonEmptyBefore }: { readonly schemas: readonly string[]; readonly had: readonly string[] },
): Promise<Omit<RestoreReport, 'applied'> & { readonly younger: readonly Migration[] }> {
  const entries = verifyChecksums(readEntries(gunzip(file, signal, progress)))
  const first = await entries.next()
  if (first.done || first.value.path !== MANIFEST) throw new InvalidArchive(`It does not begin with ${MANIFEST}.`)
  const manifestRead = await parseEntry(first.value, manifest)
  const { included, younger } = splitMigrations(manifestRead, migrationsHere)
  // Only now: a file that is no backup of this program locks no table.
  for (const schema of [...schemas, ...extraSchemas])
    await client.query(`DROP SCHEMA IF EXISTS ${pg.escapeIdentifier(schema)} CASCADE`)
  for (const migration of included) await runMigration(client, migration)
  // Migrations write rows as well, which are no contents.
  const migrated = await nonEmptyTables(client, schemas)
  const nonEmpty = nonEmptyBefore.find((label) => !migrated.includes(label))
  if (nonEmpty !== undefined) {
    throw new OperatorError(
      `The database is not empty: ${nonEmpty} has rows. Restore into an empty database, or use --force to delete its contents.`,
    )
  }
  const tables = new Map((await listTables(client, schemas)).map((table) => [labelOf(table), table]))
  await client.query(`TRUNCATE ${[...tables.values()].map(quotedName).join(', ')}`)

  const rows: Record<string, number> = Object.fromEntries([...tables.keys()].map((label) => [label, 0]))
  let [fileCount, totalsRead]: [number, Totals | null] = [0, null]
  let next = await entries.next()
  while (!next.done) {
    const entry: TarEntry = next.value
    const [, label] = PIECE.exec(entry.path) ?? []
    const [, key] = FILE.exec(entry.path) ?? []
    if (label !== undefined) {
      rows[label] = await loadTable(client, label, manifestRead, tables, pieces())
      continue
    }
    if (key !== undefined) {
      await files.stage(key, entry.body())
      fileCount += 1
    } else if (entry.path === TOTALS) totalsRead = await parseEntry(entry, totals)
    else throw new InvalidArchive(`It holds "${entry.path}", which belongs to no backup.`)
    next = await entries.next()

    /**
     * What follows of the same table: rows may refer to others of it, so all of them come in one
     * statement.
     */
    async function* pieces(): AsyncGenerator<Buffer> {
      while (!next.done && PIECE.exec(next.value.path)?.[1] === label) {
        yield* next.value.body()
        next = await entries.next()
      }
    }
  }
  if (totalsRead === null) throw new InvalidArchive('It ends in the middle.')
  const mismatch = Object.entries(totalsRead.rows).find(([label, count]) => rows[label] !== count)
  if (mismatch) throw new InvalidArchive(`Expected ${mismatch[1]} rows of ${mismatch[0]}, got ${rows[mismatch[0]] ?? 0}.`)
  if (totalsRead.files !== fileCount) throw new InvalidArchive(`Expected ${totalsRead.files} files, got ${fileCount}.`)
  for (const { schema, name, lastValue, isCalled } of totalsRead.sequences) {
    await client.query('SELECT setval($1::regclass, $2, $3)', [quotedName({ schema, name }), lastValue, isCalled])
  }
  return { takenAt: manifestRead.takenAt, hasFiles: manifestRead.hasFiles, rows, files: fileCount, younger }
}

type SplitMigrations = { readonly included: readonly Migration[]; readonly younger: readonly Migration[] }

/** Migrations that a backup includes, and later ones. Throws for those that are not of this program. */
function splitMigrations({ migrations }: Manifest, migrationsHere: readonly Migration[]): SplitMigrations {
  const isInBackup = (one: Migration): boolean =>
    migrations.some((other) => other.subgraph === one.subgraph && other.name === one.name)
  for (const { subgraph, name, checksum } of migrations) {
    const own = migrationsHere.find((each) => each.subgraph === subgraph && each.name === name)
    if (!own) {
      throw new OperatorError(
        `The backup is newer than this program: it has migration ${subgraph}/${name}, which this version does not know. Restore it with the newer version.`,
      )
    }
    if (own.checksum !== checksum) {
      throw new OperatorError(
        `Migration ${subgraph}/${name} was edited after the backup. Restore the backup with the version that made it.`,
      )
    }
  }
  return {
    included: migrationsHere.filter(isInBackup),
    younger: migrationsHere.filter((migration) => !isInBackup(migration)),
  }
}

async function loadTable(
  client: pg.Client,
  label: string,
  manifestRead: Manifest,
  tables: ReadonlyMap<string, Table>,
  pieces: AsyncIterable<Buffer>,
): Promise<number> {
  const table = tables.get(label)
  const columns = manifestRead.tables.find((each) => labelOf(each) === label)?.columns
  if (!table || !columns) throw new InvalidArchive(`It has rows of "${label}", which is no table of it.`)
  const names = columns.map((column) => pg.escapeIdentifier(column)).join(', ')
  // What triggers wrote is in the backup as well. Those of foreign keys are not of the user: they check.
  await client.query(`ALTER TABLE ${quotedName(table)} DISABLE TRIGGER USER`)
  const count = await copyIn(client, `COPY ${quotedName(table)} (${names}) FROM STDIN`, pieces).catch((error: unknown) => {
    if (!(error instanceof pg.DatabaseError)) throw error
    throw new InvalidArchive(`Its rows of ${label} are none: ${error.message}.`, { cause: error })
  })
  await client.query(`ALTER TABLE ${quotedName(table)} ENABLE TRIGGER USER`)
  await client.query(`ANALYZE ${quotedName(table)}`)
  return count
}

/** The bytes of the archive in a compressed file. */
async function* gunzip(file: string, signal: AbortSignal, progress: (bytes: number) => void): AsyncGenerator<Buffer> {
  const source = createReadStream(file)
  const unzip = createGunzip()
  // What goes wrong is thrown by the loop below.
  pipeline(source, unzip, () => {})
  try {
    // A stream without encoding yields buffers.
    for await (const chunk of unzip as AsyncIterable<Buffer>) {
      signal.throwIfAborted()
      progress(source.bytesRead)
      yield chunk
    }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    if (String(error.code).startsWith('Z_'))
      throw new InvalidArchive('It is not compressed as backups are, or ends in the middle.')
    throw new OperatorError(`"${file}" cannot be read: ${error.message}.`, { cause: error })
  } finally {
    source.destroy()
  }
}

/**
 * The same files, up to the list of their checksums; throws `InvalidArchive` when that differs, or
 * is missing.
 */
async function* verifyChecksums(entries: AsyncGenerator<TarEntry>): AsyncGenerator<TarEntry> {
  const sums: string[] = []
  for await (const { path, bytes, body } of entries) {
    if (path === SUMS) {
      const listed = await text(body())
      if (listed !== sums.join('')) throw new InvalidArchive('Its checksums do not match its files.')
      return
    }
    const sum = createHash('sha256')
    yield {
      path,
      bytes,
      async *body() {
        for await (const chunk of body()) {
          sum.update(chunk)
          yield chunk
        }
      },
    }
    sums.push(`${sum.digest('hex')}  ${path}\n`)
  }
  throw new InvalidArchive('It ends in the middle.')
}

/** Longer than any list of ours. */
const MAX_JSON_BYTES = 10_000_000

async function parseEntry<Value>(entry: TarEntry, schema: z.ZodType<Value>): Promise<Value> {
  if (entry.bytes > MAX_JSON_BYTES) throw new InvalidArchive(`Its ${entry.path} is too long.`)
  const json = await text(entry.body())
  try {
    return schema.parse(JSON.parse(json))
  } catch (error) {
    throw new InvalidArchive(`Its ${entry.path} cannot be read.`, { cause: error })
  }
}
