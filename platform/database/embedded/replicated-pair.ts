import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { ensurePassword, passwordFileOf } from './authentication.ts'
import { chownLike } from './binaries.ts'
import { createSocketFolder, type EmbeddedServer, startEmbedded } from './embedded-server.ts'

/** Settings of a primary, beside those of a server without replicas. */
const REPLICATION_SETTINGS: Readonly<Record<string, string>> = {
  wal_level: 'replica',
  max_wal_senders: '4',
  // A replica that was away longer is rebuilt.
  wal_keep_size: '256MB',
  // Two processes per subgraph, with their pools.
  max_connections: '300',
}

/** A server that can be stopped or killed, and restarted with the same data and address. */
export type Restartable = Pick<EmbeddedServer, 'connection' | 'stop'> & {
  /** Folder of its Unix socket. */
  readonly socket: string
  readonly pid: () => number
  /** Resolves when it has exited. */
  readonly gone: () => Promise<void>
  readonly start: () => Promise<void>
}

/** A primary and its streaming replica on this machine. */
export type DatabasePair = {
  readonly primary: Restartable
  readonly replica: Restartable
  /** Superuser password of both: not for logs or program arguments. */
  readonly password: string
  readonly stop: () => Promise<void>
}

/**
 * Starts a primary and a streaming replica below `dataDir`. The replica is rebuilt each time from a
 * cold copy of the primary's files. A replica that was promoted last time is the primary now.
 * `settings` are PostgreSQL's, of the primary.
 */
export async function startPair({
  dataDir,
  log,
  settings = {},
}: {
  readonly dataDir: string
  readonly log: Logger
  readonly settings?: Readonly<Record<string, string>>
}): Promise<DatabasePair> {
  mkdirSync(dataDir, { recursive: true })
  const [first, second] = orderByTimeline(join(dataDir, 'postgres-1'), join(dataDir, 'postgres-2'))
  await (await startEmbedded({ dataDir: first, log, settings: REPLICATION_SETTINGS })).stop()

  rmSync(second, { recursive: true, force: true })
  mkdirSync(second)
  cpSync(join(first, 'postgres'), join(second, 'postgres'), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  writeFileSync(join(second, 'postgres/standby.signal'), '')
  // A replica has its primary's roles and passwords.
  copyFileSync(passwordFileOf(first), passwordFileOf(second))
  const password = ensurePassword(first)
  writeFileSync(join(second, 'postgres', REPLICATION_PASSWORD_FILE), `*:*:*:postgres:${password}\n`, { mode: 0o600 })
  chownLike(join(first, 'postgres'), join(second, 'postgres'))

  const primary = await restartable({ dataDir: first, log, settings: { ...REPLICATION_SETTINGS, ...settings } })
  try {
    const primary_conninfo = `host=${primary.socket} port=5432 user=postgres passfile=${REPLICATION_PASSWORD_FILE} application_name=replica`
    const replica = await restartable({ dataDir: second, log, settings: { ...REPLICATION_SETTINGS, primary_conninfo } })
    return {
      primary,
      replica,
      password,
      // Replica first: a stopping primary waits for a connected replica.
      stop: async () => {
        await replica.stop()
        await primary.stop()
      },
    }
  } catch (error) {
    await primary.stop()
    throw error
  }
}

/**
 * The replica's password file for the primary: relative to its data, and in no argument. Mode 0600.
 */
const REPLICATION_PASSWORD_FILE = 'replication.pgpass'

/** Orders the folders by timeline: a promoted replica began a new one. */
function orderByTimeline(one: string, other: string): readonly [primary: string, replica: string] {
  return timelineOf(other) > timelineOf(one) ? [other, one] : [one, other]
}

/** The highest timeline of a server, in hexadecimal; every promotion adds one. */
function timelineOf(folder: string): string {
  const log = join(folder, 'postgres/pg_wal')
  const histories = existsSync(log) ? readdirSync(log).filter((name) => name.endsWith('.history')) : []
  return histories.sort().at(-1)?.replace('.history', '') ?? ''
}

async function restartable(options: Omit<Parameters<typeof startEmbedded>[0], 'socket'>): Promise<Restartable> {
  const socket = createSocketFolder()
  let server = await startEmbedded({ ...options, socket })
  return {
    socket,
    connection: server.connection,
    pid: () => server.pid,
    gone: () => server.gone,
    stop: () => server.stop(),
    async start() {
      server = await startEmbedded({ ...options, socket })
    },
  }
}
