import { spawn } from 'node:child_process'
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { OperatorError } from '../../process/operator-error.ts'
import { ensurePassword, readPassword, requirePassword } from './authentication.ts'
import { type Binaries, binaries, canTraverse } from './binaries.ts'
import { reasonIn, reasonOf, waitForExit } from './child-exit.ts'
import { occupantOf } from './postmaster.ts'
import { availableUid, chownData, serverUidFor, setupUidOf } from './server-user.ts'

/** An embedded PostgreSQL server. It ends with this process, even after kill -9. */
export type EmbeddedServer = {
  /** Contains the password: not for logs or program arguments. */
  readonly connection: { readonly connectionString: string }
  /** Process id of the postmaster. */
  readonly pid: number
  /** Resolves when the server has exited: after `stop`, or because it died. */
  readonly gone: Promise<void>
  /** Shuts down cleanly, and resolves when the server has exited. */
  readonly stop: () => Promise<void>
}

/** How long a server of an earlier process may take to exit before the folder counts as in use. */
const SHUTDOWN_TIMEOUT_MS = 15_000

/** Longest Unix socket path on every platform, without the NUL. */
const MAX_SOCKET_PATH_BYTES = 103

/** Includes crash recovery, which takes as long as the log is. */
const START_TIMEOUT_MS = 120_000

/**
 * Set on the command line, so that each version brings its own. fsync and full_page_writes stay on.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  // Local only, and no port to conflict.
  listen_addresses: '',
  unix_socket_permissions: '0700',
  // Only names the socket file; clients assume the default.
  port: '5432',
  // Four subgraphs with a pool of 10 each, imports, and a reserve for people.
  max_connections: '80',
  // Hot data is cached in Node, the rest by the system.
  shared_buffers: '64MB',
  // Saves three processes; asynchronous reads gain nothing at this size.
  io_method: 'sync',
  // Queries are short, and containers have little shared memory for parallel workers.
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  // No replicas, so bulk writes may use the short log format.
  wal_level: 'minimal',
  max_wal_senders: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statement errors go to the client; the log is for the server itself.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  log_line_prefix: '',
}

/**
 * Runs the server, and stops it when our end of its standard input closes, which the system does
 * even after kill -9. TERM first, so that leaving clients can finish; a second later INT. $1 is the
 * socket folder, the rest the command line of the server.
 */
const GUARD = `
socket=$1; shift
exec 9<&0
"$@" </dev/null 9<&- & server=$!
# Nobody may be left to read what a shell says about its jobs, and saying it would end this one.
exec 2>/dev/null
{ read -r line <&9; kill -TERM $server; sleep 1; kill -INT $server; } & watch=$!
exec 9<&-
wait $server; status=$?
kill $watch
rm -rf "$socket"
exit $status`

/**
 * Starts the server on `<dataDir>/postgres`, after creating the cluster if absent and recovering
 * from a crash. Throws an `OperatorError` when another process runs one there, or it cannot start.
 */
export async function startEmbedded({
  dataDir,
  log,
  settings = {},
  socket,
}: {
  readonly dataDir: string
  readonly log: Logger
  /** PostgreSQL settings that override ours. */
  readonly settings?: Readonly<Record<string, string>>
  /**
   * Folder of its Unix socket, kept across restarts; absent: a new one. Removed with the server.
   */
  readonly socket?: string
}): Promise<EmbeddedServer> {
  if (process.platform === 'win32')
    throw new OperatorError('The embedded PostgreSQL needs a Unix: set DATABASE_URL to a PostgreSQL 15 or newer.')
  const folder = resolve(dataDir)
  const data = join(folder, 'postgres')
  try {
    makeFolder(folder)
    await waitUntilFree(data, dataDir)
    const serverUid = serverUidFor(data)
    const programs = await binaries(serverUid)
    const password = ensurePassword(dataDir)
    const shared = { dataDir, settings: { ...SETTINGS, ...settings } }
    const requirePasswordOn = (cluster: string) => secureCluster(programs, { ...shared, data: cluster, uid: serverUid }, password)
    if (!existsSync(data)) await createCluster(programs, folder, data, setupUidOf(serverUid), requirePasswordOn)
    // Again for data of a former release, or after a lost password file.
    const uid = await requirePasswordOn(data)
    return await startServer(programs, { ...shared, data, uid, log, socket: socketFolder(uid, socket), password })
  } catch (error) {
    // System errors name the folder, but not the variable that sets it.
    if (error instanceof OperatorError || !(error instanceof Error && 'syscall' in error)) throw error
    throw new OperatorError(
      `The data directory ${dataDir} cannot be used (${error.message}): set DATA_DIR to a folder that this user may write.`,
    )
  }
}

/**
 * The running server of another process on `<dataDir>/postgres`; null when none is ready. Throws an
 * `OperatorError` when this user may not read its files or its password.
 */
export function runningEmbedded(dataDir: string): EmbeddedServer['connection'] | null {
  try {
    const occupant = occupantOf(join(resolve(dataDir), 'postgres'))
    // No password: a server of a former release.
    return occupant.state === 'ready' ? connectionTo(occupant.socket, readPassword(dataDir)) : null
  } catch (error) {
    throw new OperatorError(
      `The data directory ${dataDir} cannot be read (${reasonOf(error)}): use the user that started that copy.`,
    )
  }
}

/** Creates a socket folder for a server that will be restarted. */
export const createSocketFolder = (): string => socketFolder(process.getuid?.() === 0 ? availableUid() : null)

/** A complete URL: PGPORT, PGUSER and the like in our environment have no effect. */
export const connectionTo = (socket: string, password: string | null): EmbeddedServer['connection'] => ({
  connectionString: `postgres://postgres${password === null ? '' : `:${password}`}@localhost/postgres?host=${encodeURIComponent(socket)}&port=${SETTINGS.port}&ssl=0`,
})

/** `mkdirSync` with `recursive` hangs below folders such as /proc that take no new ones. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  mkdirSync(folder)
}

/** Gives a server whose parent was killed time to exit. */
async function waitUntilFree(data: string, dataDir: string): Promise<void> {
  const deadline = performance.now() + SHUTDOWN_TIMEOUT_MS
  for (;;) {
    const occupant = occupantOf(data)
    if (occupant.state === 'free') return
    if (occupant.state === 'ready' || performance.now() > deadline) throw inUse(dataDir)
    await sleep(20)
  }
}

const inUse = (dataDir: string): OperatorError =>
  new OperatorError(
    `The data directory ${dataDir} is in use by another running copy: stop that one, or set DATA_DIR to another folder.`,
  )

const runAs = (uid: number | null): { uid?: number; gid?: number } => (uid === null ? {} : { uid, gid: uid })

/**
 * How the server gets its data folder. Below a folder that its user may not enter, such as /root,
 * it inherits the folder as file descriptor 3, which /proc links to.
 */
function dataArgument(data: string, uid: number | null): { readonly path: string; readonly fd: number | 'ignore' } {
  if (uid === null || canTraverse(data, uid)) return { path: data, fd: 'ignore' }
  if (!existsSync('/proc/self/fd')) {
    throw new OperatorError(
      `PostgreSQL does not run as root, and user ${uid} cannot enter ${data}: set DATA_DIR to another folder.`,
    )
  }
  return { path: '/proc/self/fd/3', fd: openSync(data, 'r') }
}

/**
 * Created under a temporary name: a partial cluster is never used, and concurrent first starts do
 * not collide.
 */
async function createCluster(
  { initdb }: Binaries,
  folder: string,
  data: string,
  uid: number | null,
  requirePasswordOn: (created: string) => Promise<unknown>,
): Promise<void> {
  for (const name of readdirSync(folder)) {
    const leftover = join(folder, name)
    // Left by a killed first start; a recent one may belong to a running start.
    if (name.startsWith('postgres.new-') && Date.now() - statSync(leftover).mtimeMs > 600_000)
      rmSync(leftover, { recursive: true, force: true })
  }
  const created = mkdtempSync(join(folder, 'postgres.new-'))
  try {
    if (uid !== null) chownSync(created, uid, uid)
    const { path, fd } = dataArgument(created, uid)
    // C.UTF-8 is built in: sort order and case mapping are the same on every platform and after
    // system upgrades.
    const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
    // The password comes before the first start: `secureCluster`.
    const options = ['--username=postgres', '--auth=trust', '--data-checksums', '--no-instructions']
    const child = spawn(initdb, ['-D', path, ...locale, ...options], {
      ...runAs(uid),
      cwd: '/',
      env: environment(),
      stdio: ['ignore', 'ignore', 'pipe', fd],
    })
    if (fd !== 'ignore') closeSync(fd)
    const { code, lines } = await waitForExit(child)
    if (code !== 0) throw new OperatorError(`PostgreSQL could not create its data in ${data}: ${lines.join(' ')}`)
    await requirePasswordOn(created)
    renameSync(created, data)
    syncFolder(folder)
  } catch (error) {
    rmSync(created, { recursive: true, force: true })
    // A concurrent first start was first; the lock file decides whether both may continue.
    if (!existsSync(data)) throw error
  }
}

/** Options of a server start. */
type ServerOptions = {
  readonly data: string
  readonly dataDir: string
  readonly uid: number | null
  /** Of PostgreSQL. */
  readonly settings: Readonly<Record<string, string>>
}

/**
 * Sets the password of the stopped server on `data`, and gives its data to the user that it will
 * run as, which is returned.
 */
async function secureCluster(programs: Binaries, options: ServerOptions, password: string): Promise<number | null> {
  const { data, uid } = options
  await requirePassword(data, password, (statements) =>
    runSingleUser(programs, { ...options, uid: chownData(setupUidOf(uid), data) }, statements),
  )
  return chownData(uid, data)
}

const settingArguments = (settings: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])

/**
 * Runs single-line statements in single-user mode, without a socket. They go over standard input,
 * because arguments are public. Throws an `OperatorError` for the first failed one.
 */
async function runSingleUser(
  { postgres }: Binaries,
  { data, dataDir, uid, settings }: ServerOptions,
  statements: readonly string[],
): Promise<void> {
  const { path, fd } = dataArgument(data, uid)
  const child = spawn(postgres, ['--single', '-D', path, ...settingArguments(settings), 'postgres'], {
    ...runAs(uid),
    cwd: '/',
    env: environment(),
    stdio: ['pipe', 'ignore', 'pipe', fd],
    detached: true,
  })
  if (fd !== 'ignore') closeSync(fd)
  child.stdin?.on('error', () => {})
  child.stdin?.end(statements.map((statement) => `${statement}\n`).join(''))
  const { code, lines } = await waitForExit(child)
  // Single-user mode continues after errors and exits with 0.
  const failed = lines.some((line) => /^(ERROR|FATAL|PANIC):/.test(line))
  if (code === 0 && !failed) return
  if (isLocked(lines)) throw inUse(dataDir)
  throw new OperatorError(`PostgreSQL did not start on ${data}: ${reasonIn(lines)}`)
}

const isLocked = (lines: readonly string[]): boolean => lines.some((line) => line.includes('lock file "postmaster.pid"'))

async function startServer(
  { postgres }: Binaries,
  {
    data,
    dataDir,
    uid,
    log,
    settings,
    socket,
    password,
  }: ServerOptions & { readonly log: Logger; readonly socket: string; readonly password: string },
): Promise<EmbeddedServer> {
  const { path, fd } = dataArgument(data, uid)
  const options = settingArguments({ ...settings, unix_socket_directories: socket })
  const child = spawn('/bin/sh', ['-c', GUARD, 'guard', socket, postgres, '-D', path, ...options], {
    ...runAs(uid),
    cwd: '/',
    env: environment(),
    stdio: ['pipe', 'ignore', 'pipe', fd],
    // Its own session: Ctrl-C must not reach the server before its users are closed.
    detached: true,
  })
  if (fd !== 'ignore') closeSync(fd)
  // The guard may exit before we close its input.
  child.stdin?.on('error', () => {})
  const exit = waitForExit(child, (line) => log.debug({ part: 'postgres' }, line))
  let running = true
  const gone = exit.then(
    () => {
      running = false
    },
    () => {
      running = false
    },
  )

  const deadline = performance.now() + START_TIMEOUT_MS
  while (running && performance.now() < deadline) {
    const occupant = occupantOf(data)
    if (occupant.state === 'ready' && occupant.socket === socket) {
      const stop = async () => {
        child.stdin?.end()
        await gone
      }
      return { connection: connectionTo(socket, password), pid: occupant.pid, gone, stop }
    }
    await Promise.race([sleep(5), gone])
  }
  child.stdin?.end()
  const { lines } = await exit
  if (isLocked(lines)) throw inUse(dataDir)
  throw new OperatorError(`PostgreSQL did not start on ${data}: ${reasonIn(lines)}`)
}

/** Creates the socket folder: a short path, accessible to the server's user only. */
function socketFolder(uid: number | null, serverUid?: string): string {
  const fits = (folder: string): boolean =>
    Buffer.byteLength(join(folder, 'atrium-XXXXXX/.s.PGSQL.5432.lock')) <= MAX_SOCKET_PATH_BYTES &&
    (uid === null || canTraverse(folder, uid))
  const folder = serverUid ?? mkdtempSync(join(fits(tmpdir()) ? tmpdir() : '/tmp', 'atrium-'))
  if (serverUid !== undefined) mkdirSync(serverUid, { recursive: true, mode: 0o700 })
  if (uid !== null) chownSync(folder, uid, uid)
  return folder
}

/** Our environment without PostgreSQL's variables, which would affect its programs. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env)
      .filter(([name]) => !/^(PG|LC_|LANG)/.test(name))
      .concat([['LC_ALL', 'C']]),
  )

/** Syncs `folder`, so that a new name survives a power failure. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  fsyncSync(fd)
  closeSync(fd)
}
