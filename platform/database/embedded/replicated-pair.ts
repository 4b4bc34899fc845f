import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { ensurePassword, passwordFileOf } from './authentication.ts'
import { chownLike } from './binaries.ts'
import { createSocketFolder, type EmbeddedServer, startEmbedded } from './embedded-server.ts'

/** What a primary needs beside the settings of a server that nobody replicates. */
const REPLICATION_SETTINGS: Readonly<Record<string, string>> = {
  wal_level: 'replica',
  max_wal_senders: '4',
  // A replica that was away this long is made anew.
  wal_keep_size: '256MB',
  // Two copies of each subgraph, with their pools.
  max_connections: '300',
}

/** A server that can be ended, however that happens, and started again on the same data, under the same address. */
export type Restartable = Pick<EmbeddedServer, 'connection' | 'stop'> & {
  /** Folder of its Unix socket. */
  readonly socket: string
  readonly pid: () => number
  /** Resolves when it is gone. */
  readonly gone: () => Promise<void>
  readonly start: () => Promise<void>
}

/** Two embedded servers on this machine: what is written to the first, the second has a moment later. */
export type DatabasePair = {
  readonly primary: Restartable
  readonly replica: Restartable
  /** Of the superuser of both: neither for logs, nor for arguments of programs. */
  readonly password: string
  readonly stop: () => Promise<void>
}

/**
 * Starts a primary and a streaming replica of it below `dataDir`. The replica is made anew each time: a copy of the files of the primary, taken while it stands
 * still. Where the replica of the last time has taken over, it is the primary now. `settings` are PostgreSQL's, of the primary.
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
  // A replica has the roles of its primary, and so their passwords.
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
      // The primary waits for a replica that is still connected.
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

/** Where the replica reads the primary's password: relative to the data, and in no arguments. Only the server's user may read it. */
const REPLICATION_PASSWORD_FILE = 'replication.pgpass'

/** The folder of who is ahead, and the other one: whoever took over began a new timeline. */
function orderByTimeline(one: string, other: string): readonly [primary: string, replica: string] {
  return timelineOf(other) > timelineOf(one) ? [other, one] : [one, other]
}

/** The highest timeline that a server knows of, in hexadecimal; every change of primary adds one. */
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
