import { execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { labelOf, listTables, quotedName } from '../../platform/database/backup/tables.ts'
import { type MigrationStatus, migrationStatus, readMigrations } from '../../platform/database/migrate.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'

type DrillOptions = {
  readonly stanza: string
  /** Configuration file of pgBackRest; absent: its default. */
  readonly config?: string | undefined
  /** Time to restore to; absent: the end of the archive. */
  readonly at?: Date | undefined
  /** Folder of postgres; absent: Debian's folder of the version of the backup, else PATH. */
  readonly bin?: string | undefined
  readonly signal: AbortSignal
}

/** What a drill restored, and how long each step took. */
type DrillReport = {
  /** Commit time of the last restored transaction; null: none came after the backup. */
  readonly restoredTo: string | null
  /** Seconds, to a tenth. */
  readonly seconds: { readonly files: number; readonly log: number; readonly check: number }
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>
  /** Migrations that this version lacks or that failed: it cannot use the database. */
  readonly unusable: readonly string[]
}

/** A log that takes longer to replay is no drill of a minute any more, but it may still end. */
const RECOVERY_TIMEOUT_MS = 6 * 60 * 60 * 1000
const POLL_INTERVAL_MS = 100
const STOP_TIMEOUT_MS = 30_000
/** Of the output of a failed program, as much of its end is shown. */
const MAX_OUTPUT_CHARACTERS = 500

/**
 * Restores the newest backup before `at` into a temporary folder, replays the archived log up to
 * then, counts all rows, and removes it again. Touches no running server and writes nothing to the
 * archive. Throws an `OperatorError` that names the failed step.
 */
export async function drill(options: DrillOptions): Promise<DrillReport> {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-drill-'))
  try {
    const user = await databaseUser()
    const data = join(folder, 'data')
    await mkdir(data, { mode: 0o700 })
    if (user) for (const path of [folder, data]) await chown(path, user.uid, user.gid)
    const begun = performance.now()
    await restoreFiles(data, user, options)
    const restored = performance.now()
    return await withServer({ folder, data, user, options }, async (connection) => {
      const replayed = performance.now()
      const found = await examine(connection)
      const seconds = {
        files: secondsBetween(begun, restored),
        log: secondsBetween(restored, replayed),
        check: secondsBetween(replayed, performance.now()),
      }
      return { ...found, seconds }
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

type User = { readonly uid: number; readonly gid: number }

/** PostgreSQL does not run as root: then everything runs as its account. */
async function databaseUser(): Promise<User | null> {
  if (process.getuid?.() !== 0) return null
  const idOf = async (flag: string) => Number((await promisify(execFile)('id', [flag, 'postgres'])).stdout)
  try {
    return { uid: await idOf('-u'), gid: await idOf('-g') }
  } catch {
    throw new OperatorError('PostgreSQL does not run as root, and there is no account "postgres": run the drill as its user.')
  }
}

type Failure = { readonly code?: unknown; readonly stdout?: string; readonly stderr?: string }

async function restoreFiles(data: string, user: User | null, { stanza, config, at, signal }: DrillOptions): Promise<void> {
  const target =
    at === undefined
      ? []
      : ['--type=time', `--target=${at.toISOString().replace('T', ' ').replace('Z', '+00')}`, '--target-action=promote']
  const args = [
    ...(config === undefined ? [] : [`--config=${config}`]),
    ...[`--stanza=${stanza}`, `--pg1-path=${data}`, `--tablespace-map-all=${join(data, '../tablespaces')}`, '--archive-mode=off'],
    ...target,
    // A configuration may ask for a line per file, and Node ends a program that writes more than a megabyte.
    '--log-level-console=warn',
    'restore',
  ]
  try {
    await promisify(execFile)('pgbackrest', args, { ...user, cwd: data, signal })
  } catch (error) {
    if (signal.aborted) throw error
    // A cast: errors of execFile have these, and its types are those of any error.
    const { code, stdout = '', stderr = '' } = error as Failure
    if (code === 'ENOENT')
      throw new OperatorError('The drill needs pgbackrest: install it, on Debian with "apt-get install pgbackrest".')
    throw new OperatorError(`pgbackrest could not restore: ${`${stdout}${stderr}`.trim().slice(-MAX_OUTPUT_CHARACTERS)}`)
  }
}

/** Runs `work` on the restored server, once it has replayed the log. */
async function withServer<Result>(
  {
    folder,
    data,
    user,
    options: { bin, signal },
  }: { readonly folder: string; readonly data: string; readonly user: User | null; readonly options: DrillOptions },
  work: (connection: { readonly connectionString: string }) => Promise<Result>,
): Promise<Result> {
  const [configFile, accessFile] = [join(folder, 'drill.conf'), join(folder, 'drill.hba')]
  // Only who may enter the folder reaches the socket.
  writeFileSync(accessFile, 'local all all trust\n')
  // Production's own settings may name files, addresses and replicas: none of them holds here.
  writeFileSync(configFile, `hba_file = '${accessFile}'\nhot_standby = off\nlog_min_messages = 'log'\nlogging_collector = off\n`)
  const settings = {
    config_file: configFile,
    listen_addresses: '',
    unix_socket_directories: folder,
    port: '5432',
    archive_mode: 'off',
    primary_conninfo: '',
    shared_preload_libraries: '',
    synchronous_standby_names: '',
    ssl: 'off',
  }
  const version = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
  const debian = `/usr/lib/postgresql/${version}/bin`
  const program = bin ? join(bin, 'postgres') : existsSync(debian) ? join(debian, 'postgres') : 'postgres'
  const args = ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const server = spawn(program, args, { ...user, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [server.stdout, server.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-10 * MAX_OUTPUT_CHARACTERS)
    })
  }
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()).once('error', () => resolve()))
  const gone = ended.then(() => 'gone' as const)
  const connection = {
    connectionString: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}&port=5432`,
  }
  try {
    const deadline = performance.now() + RECOVERY_TIMEOUT_MS
    while (!(await isRecovered(connection))) {
      signal.throwIfAborted()
      if ((await Promise.race([gone, sleep(POLL_INTERVAL_MS)])) === 'gone' || performance.now() > deadline) {
        const lines = output.split('\n').filter((line) => /FATAL|PANIC|ERROR|recovery/.test(line))
        throw new OperatorError(
          `PostgreSQL ${version} could not replay the log: ${lines.join(' ').slice(-MAX_OUTPUT_CHARACTERS) || output}`,
        )
      }
    }
    return await work(connection)
  } finally {
    server.kill('SIGINT')
    const late = setTimeout(() => server.kill('SIGQUIT'), STOP_TIMEOUT_MS)
    await ended
    clearTimeout(late)
  }
}

async function isRecovered(connection: { readonly connectionString: string }): Promise<boolean> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ readonly isDone: boolean }>('SELECT NOT pg_is_in_recovery() AS "isDone"')
    return rows[0]?.isDone === true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

async function examine(connection: { readonly connectionString: string }): Promise<Omit<DrillReport, 'seconds'>> {
  const migrations = await migrationStatus(connection)
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const schemas = [...new Set(readMigrations().map(({ subgraph }) => subgraph))]
    const rows: Record<string, number> = {}
    for (const table of await listTables(client, schemas)) {
      const counted = await client.query<{ readonly count: string }>(`SELECT count(*) FROM ${quotedName(table)}`)
      rows[labelOf(table)] = Number(counted.rows[0]?.count)
    }
    const last = await client.query<{ readonly at: Date | null }>('SELECT pg_last_xact_replay_timestamp() AS at')
    return { restoredTo: last.rows[0]?.at?.toISOString() ?? null, rows, unusable: migrations.filter(isUnusable).map(nameOf) }
  } finally {
    await client.end()
  }
}

/** A pending migration is applied by the next start. */
const isUnusable = ({ state }: MigrationStatus): boolean => state !== 'applied' && state !== 'pending'
const nameOf = ({ subgraph, name, state }: MigrationStatus): string => `${subgraph}/${name} (${state})`

const secondsBetween = (one: number, other: number): number => Math.round((other - one) / 100) / 10
