import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { readsBehind } from './cancellation.ts'
import type { LogPosition } from './recent-writes.ts'

/**
 * Poll interval. A replica that lacks at one poll what the primary had at the poll before is too
 * far behind.
 */
const POLL_INTERVAL_MS = 500

/**
 * Statements that may go to a replica: no writes, no server functions. It rejects the rest itself.
 */
const READ_ONLY_STATEMENT = /^\s*(?:select|with)\b(?![\s\S]*(?:\b(?:insert|update|delete|merge)\b|\bpg_))/i

/**
 * SQLSTATEs of a replica that cannot answer: read-only, recovery conflict, stopping, starting,
 * full.
 */
const UNAVAILABLE_STATES: ReadonlySet<unknown> = new Set(['25006', '40001', '57P01', '57P02', '57P03', '53300', '55000'])
const SQLSTATE = /^[0-9A-Z]{5}$/

/** Replication state of a replica. */
export type ReplicaState = {
  /** The position that it has replayed; null while down or too far behind. */
  readonly position: () => LogPosition | null
  /** Skips it until the next poll. */
  readonly markUnavailable: () => void
  readonly stop: () => Promise<void>
}

/** Polls both servers. `onLost` is called when the replica becomes unavailable. */
export function watchReplica(primary: pg.Pool, replica: pg.Pool, onLost: () => void): ReplicaState {
  const ended = new AbortController()
  let position: LogPosition | null = null
  let previous: LogPosition | null = null
  let [polls, wasAvailable] = [0, true]
  const watching = watch()

  return {
    position: () => position,
    markUnavailable: () => {
      position = null
    },
    async stop() {
      ended.abort()
      await watching
    },
  }

  async function watch(): Promise<void> {
    const { signal } = ended
    while (!signal.aborted) {
      position = await poll().catch(() => null)
      if (signal.aborted) return
      // The first poll has nothing to compare with.
      if (++polls > 1) {
        if (wasAvailable && position === null) onLost()
        wasAvailable = position !== null
      }
      await sleep(POLL_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  async function poll(): Promise<LogPosition | null> {
    const expected = previous
    previous = await positionOf(primary, 'pg_current_wal_lsn()')
    // Null for a server that is no replica, or was promoted.
    const replayed = await positionOf(replica, 'CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() END')
    return replayed !== null && expected !== null && replayed >= expected ? replayed : null
  }
}

/** The current WAL position of the server. */
export const logPosition = (pool: pg.Pool): Promise<LogPosition | null> => positionOf(pool, 'pg_current_wal_lsn()')

async function positionOf(pool: pg.Pool, expression: string): Promise<LogPosition | null> {
  const { rows } = await pool.query<{ position: string | null }>(`SELECT ${expression} AS position`)
  const [high, low] = rows[0]?.position?.split('/') ?? []
  return high === undefined || low === undefined ? null : (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

/**
 * A pool that sends reads to `replica` where the current operation allows it. Everything else goes
 * to `primary`: transactions, and what the replica cannot answer.
 */
export function replicaAwarePool(
  primary: PostgresPool,
  replica: PostgresPool,
  state: Pick<ReplicaState, 'position' | 'markUnavailable'>,
): PostgresPool {
  return {
    options: primary.options,
    connect: () => (readsBehind() && state.position() !== null ? Promise.resolve(createClient()) : primary.connect()),
    end: () => primary.end(),
  }

  /** The first statement decides which server is used. */
  function createClient(): PostgresPoolClient {
    let chosen: PostgresPoolClient | null = null

    const onPrimary = async () => (chosen ??= await primary.connect())
    const query = async (text: string, parameters: readonly unknown[]) => {
      if (chosen) return chosen.query(text, parameters)
      if (!READ_ONLY_STATEMENT.test(text)) return (await onPrimary()).query(text, parameters)
      try {
        return await queryReplica(text, parameters)
      } catch (error) {
        if (!isUnavailable(error)) throw error
        return (await onPrimary()).query(text, parameters)
      }
    }
    // A cast: Kysely's type includes cursors, which nothing here uses.
    return { query, release: () => chosen?.release() } as unknown as PostgresPoolClient
  }

  async function queryReplica(text: string, parameters: readonly unknown[]) {
    const client = await replica.connect()
    try {
      return await client.query(text, parameters)
    } finally {
      client.release()
    }
  }

  function isUnavailable(error: unknown): boolean {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null
    // No code: the connection ended or timed out. A cancelled statement has none either, and is not
    // retried.
    // EPIPE looks like a SQLSTATE, but no SQLSTATE class begins with E.
    const isDown =
      error instanceof Error &&
      (code === null ? CONNECTION_ERROR.test(error.message) : code.startsWith('E') || !SQLSTATE.test(code))
    if (isDown) state.markUnavailable()
    return isDown || UNAVAILABLE_STATES.has(code)
  }
}

const CONNECTION_ERROR = /connection|timeout exceeded when trying to connect/i
