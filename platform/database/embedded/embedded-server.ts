import { type ChildProcess, spawn } from 'node:child_process'
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
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { OperatorError } from '../../process/operator-error.ts'
import { ensurePassword, readPassword, requirePassword } from './authentication.ts'
import { type Binaries, binaries, canTraverse } from './binaries.ts'
import { occupantOf } from './postmaster.ts'
import { availableUid, chownData, serverUidFor, setupUidOf } from './server-user.ts'

/** A PostgreSQL server of our own. It ends with this process, however this process ends. */
export type EmbeddedServer = {
  /** With the password: neither for logs, nor for arguments of programs. */
  readonly connection: { readonly connectionString: string }
  /** Of the server's first process. */
  readonly pid: number
  /** Resolves when the server is gone: after `stop`, or because it died. */
  readonly gone: Promise<void>
  /** Writes everything to disk, ends the server, and resolves when it is gone. */
  readonly stop: () => Promise<void>
}

/** How long a server of an earlier process may take to finish before the folder counts as in use. Milliseconds. */
const SHUTDOWN_TIMEOUT_MS = 15_000

/** Longest path of a Unix socket that every platform takes, in bytes, without the NUL. */
const MAX_SOCKET_PATH_BYTES = 103

/** Starting includes recovery after a crash, which takes as long as the log is. Milliseconds. */
const START_TIMEOUT_MS = 120_000

/** Given on the command line, so that a new version of this program brings its own. fsync and full_page_writes keep their default: on. */
const SETTINGS: Readonly<Record<string, string>> = {
  // Nobody but this machine, and no port that could be taken.
  listen_addresses: '',
  unix_socket_permissions: '0700',
  // Names the socket file, nothing more; the default is what every client assumes.
  port: '5432',
  // Four subgraphs with a pool of 10 each, imports, and room for somebody who looks in.
  max_connections: '80',
  // The hot data lives in the Node process; the system's cache holds the rest.
  shared_buffers: '64MB',
  // Three processes less; at this size their asynchronous reads gain nothing.
  io_method: 'sync',
  // Queries here are short, and containers have little shared memory for workers to talk through.
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  // Nobody replicates from this server, so bulk writes may be logged in their short form.
  wal_level: 'minimal',
  max_wal_senders: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Errors of statements reach the client that caused them; the log is for the server itself.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  log_line_prefix: '',
}

/**
 * Runs a server and ends it cleanly when our end of its standard input closes, which the system does for us even after kill -9.
 * First TERM, by which it lets the clients that are leaving leave; a second later INT, which ends the rest.
 * $1 is the folder of the socket; the rest is the server's command line.
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
 * Starts the server on `<dataDir>/postgres`, creating it first when it is not there; recovers by itself after a crash.
 * Throws an `OperatorError` when another process runs one there, or when it cannot start.
 */
export async function startEmbedded({
  dataDir,
  log,
  settings = {},
  socket,
}: {
  readonly dataDir: string
  readonly log: Logger
  /** Of PostgreSQL, beside and before our own. */
  readonly settings?: Readonly<Record<string, string>>
  /** Folder of its Unix socket, which a server that is started again has again; absent: a new one. It goes with the server. */
  readonly socket?: string
}): Promise<EmbeddedServer> {
  if (process.platform === 'win32')
    throw new OperatorError('The embedded PostgreSQL needs a Unix: set DATABASE_URL to a PostgreSQL 15 or newer.')
  const folder = resolve(dataDir)
  const data = join(folder, 'postgres')
  try {
    makeFolder(folder)
    await waitUntilFree(data, dataDir)
    const wanted = serverUidFor(data)
    const programs = await binaries(wanted)
    const password = ensurePassword(dataDir)
    const shared = { dataDir, settings: { ...SETTINGS, ...settings } }
    const secure = (cluster: string) => secureCluster(programs, { ...shared, data: cluster, uid: wanted }, password)
    if (!existsSync(data)) await createCluster(programs, folder, data, setupUidOf(wanted), secure)
    // Data of a former release, or of a lost password file.
    const uid = await secure(data)
    return await startServer(programs, { ...shared, data, uid, log, socket: socketFolder(uid, socket), password })
  } catch (error) {
    // What the system says about a folder names it; it only lacks the variable.
    if (error instanceof OperatorError || !(error instanceof Error && 'syscall' in error)) throw error
    throw new OperatorError(
      `The data directory ${dataDir} cannot be used (${error.message}): set DATA_DIR to a folder that this user may write.`,
    )
  }
}

/**
 * The server that another process runs on `<dataDir>/postgres`; null when none is ready there. Throws an `OperatorError` when this user may
 * read neither its files nor its password.
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

/** A new folder for the socket of a server that will be started more than once. */
export const createSocketFolder = (): string => socketFolder(process.getuid?.() === 0 ? availableUid() : null)

/** A URL says everything, so that PGPORT, PGUSER and the like in our environment do not lead elsewhere. */
export const connectionTo = (socket: string, password: string | null): EmbeddedServer['connection'] => ({
  connectionString: `postgres://postgres${password === null ? '' : `:${password}`}@localhost/postgres?host=${encodeURIComponent(socket)}&port=${SETTINGS.port}&ssl=0`,
})

/** Not `mkdirSync` with `recursive`, which never returns below a folder such as /proc that takes no new ones. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  mkdirSync(folder)
}

/** A server whose process was killed is given time to finish. */
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
 * How the server is told its data folder. Below a folder that its user may not enter, such as /root, it gets the folder as open
 * file 3: the link below /proc leads straight there.
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

/** Under a temporary name first: a half-made cluster is never mistaken for a database, and two first starts do not meet in one folder. */
async function createCluster(
  { initdb }: Binaries,
  folder: string,
  data: string,
  uid: number | null,
  secure: (fresh: string) => Promise<unknown>,
): Promise<void> {
  for (const name of readdirSync(folder)) {
    const left = join(folder, name)
    // What a killed first start left behind; a young one may be another start that is at work.
    if (name.startsWith('postgres.new-') && Date.now() - statSync(left).mtimeMs > 600_000)
      rmSync(left, { recursive: true, force: true })
  }
  const fresh = mkdtempSync(join(folder, 'postgres.new-'))
  try {
    if (uid !== null) chownSync(fresh, uid, uid)
    const { path, fd } = dataArgument(fresh, uid)
    // C.UTF-8 is built in: the same order and the same case mapping on every platform, now and after every upgrade of the system.
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
    await secure(fresh)
    renameSync(fresh, data)
    syncFolder(folder)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    // Another first start was faster; whether both may go on is for the lock file to say.
    if (!existsSync(data)) throw error
  }
}

/** What a server is started with. */
type ServerOptions = {
  readonly data: string
  readonly dataDir: string
  readonly uid: number | null
  /** Of PostgreSQL. */
  readonly settings: Readonly<Record<string, string>>
}

/**
 * Makes the server on `data`, which does not run, ask for `password`, and gives its data to the user that it will run as. Returns
 * that user.
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
 * Runs statements of one line each on data whose server does not run, without opening a socket. They come over standard input, for
 * everybody can read arguments. Throws an `OperatorError` for the first one that fails.
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
  // It goes on after a statement that failed, and ends with 0.
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
    // A session of its own: Ctrl-C must not reach the server before we have closed what uses it.
    detached: true,
  })
  if (fd !== 'ignore') closeSync(fd)
  // The guard may end before we have closed its input.
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

/** Short, because the path of a socket is; closed to everybody but the server's user. */
function socketFolder(uid: number | null, wanted?: string): string {
  const fits = (folder: string): boolean =>
    Buffer.byteLength(join(folder, 'atrium-XXXXXX/.s.PGSQL.5432.lock')) <= MAX_SOCKET_PATH_BYTES &&
    (uid === null || canTraverse(folder, uid))
  const folder = wanted ?? mkdtempSync(join(fits(tmpdir()) ? tmpdir() : '/tmp', 'atrium-'))
  if (wanted !== undefined) mkdirSync(wanted, { recursive: true, mode: 0o700 })
  if (uid !== null) chownSync(folder, uid, uid)
  return folder
}

/** Ours without PostgreSQL's own variables, which would change what its programs do. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env)
      .filter(([name]) => !/^(PG|LC_|LANG)/.test(name))
      .concat([['LC_ALL', 'C']]),
  )

/** Waits for the end of `child`; the last lines of its standard error come along, each passed to `onLine` as it is written. */
function waitForExit(
  child: ChildProcess,
  onLine: (line: string) => void = () => {},
): Promise<{ code: number | null; lines: readonly string[] }> {
  const lines: string[] = []
  if (child.stderr) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line)
      if (lines.length > 20) lines.shift()
      onLine(line)
    })
  }
  return new Promise((done) => {
    child.once('error', (error) => done({ code: null, lines: [reasonOf(error)] }))
    child.once('close', (code) => done({ code, lines }))
  })
}

/** The line that says why, without its level. */
const reasonIn = (lines: readonly string[]): string =>
  (lines.findLast((line) => /^(ERROR|FATAL|PANIC):/.test(line)) ?? lines.at(-1) ?? 'it gave no reason').replace(/^\w+: +/, '')

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Makes the new name in `folder` survive a power cut. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  fsyncSync(fd)
  closeSync(fd)
}
