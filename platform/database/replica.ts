import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { readsBehind } from './cancellation.ts'
import type { LogPosition } from './recent-writes.ts'

/** Between two looks at how far a replica is. What it had not read by the second of two looks makes it too far behind. Milliseconds. */
const POLL_INTERVAL_MS = 500

/** Statements that may be asked of a replica: those that write nothing and ask nothing of the server itself. What else it refuses, it refuses. */
const READ_ONLY_STATEMENT = /^\s*(?:select|with)\b(?![\s\S]*(?:\b(?:insert|update|delete|merge)\b|\bpg_))/i

/** What a replica says when it is not the one to ask: it is read only, must catch up first, stops, or does not answer yet. */
const UNAVAILABLE_STATES: ReadonlySet<unknown> = new Set(['25006', '40001', '57P01', '57P02', '57P03', '53300', '55000'])
const SQLSTATE = /^[0-9A-Z]{5}$/

/** How far a replica is. */
export type ReplicaState = {
  /** How far it has read the log of the primary; null while it is gone or too far behind. */
  readonly position: () => LogPosition | null
  /** Not to be asked until it was looked at again. */
  readonly markUnavailable: () => void
  readonly stop: () => Promise<void>
}

/** Looks at both every half second. `onLost` is called when the replica is given up. */
export function watchReplica(primary: pg.Pool, replica: pg.Pool, onLost: () => void): ReplicaState {
  const ended = new AbortController()
  let position: LogPosition | null = null
  let before: LogPosition | null = null
  let [looks, wasThere] = [0, true]
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
      position = await look().catch(() => null)
      if (signal.aborted) return
      // The first look has nothing to compare with.
      if (++looks > 1) {
        if (wasThere && position === null) onLost()
        wasThere = position !== null
      }
      await sleep(POLL_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  async function look(): Promise<LogPosition | null> {
    const expected = before
    before = await positionOf(primary, 'pg_current_wal_lsn()')
    // Null for a server that is no replica, or not any more.
    const replayed = await positionOf(replica, 'CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() END')
    return replayed !== null && expected !== null && replayed >= expected ? replayed : null
  }
}

/** How far the log of `pool`'s server is. */
export const logPosition = (pool: pg.Pool): Promise<LogPosition | null> => positionOf(pool, 'pg_current_wal_lsn()')

async function positionOf(pool: pg.Pool, expression: string): Promise<LogPosition | null> {
  const { rows } = await pool.query<{ position: string | null }>(`SELECT ${expression} AS position`)
  const [high, low] = rows[0]?.position?.split('/') ?? []
  return high === undefined || low === undefined ? null : (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

/**
 * A pool whose reads go to `replica` where the operation that asks may read behind; everything else, transactions among it, goes to `primary`, and so does what the
 * replica cannot answer.
 */
export function replicaAwarePool(
  primary: PostgresPool,
  replica: PostgresPool,
  state: Pick<ReplicaState, 'position' | 'markUnavailable'>,
): PostgresPool {
  return {
    options: primary.options,
    connect: () => (readsBehind() && state.position() !== null ? Promise.resolve(undecided()) : primary.connect()),
    end: () => primary.end(),
  }

  /** The first statement says who is asked. */
  function undecided(): PostgresPoolClient {
    let chosen: PostgresPoolClient | null = null

    const onPrimary = async () => (chosen ??= await primary.connect())
    const query = async (text: string, parameters: readonly unknown[]) => {
      if (chosen) return chosen.query(text, parameters)
      if (!READ_ONLY_STATEMENT.test(text)) return (await onPrimary()).query(text, parameters)
      try {
        return await asked(text, parameters)
      } catch (error) {
        if (!isNotThere(error)) throw error
        return (await onPrimary()).query(text, parameters)
      }
    }
    // Its type also takes cursors, which nothing here streams with.
    return { query, release: () => chosen?.release() } as unknown as PostgresPoolClient
  }

  async function asked(text: string, parameters: readonly unknown[]) {
    const client = await replica.connect()
    try {
      return await client.query(text, parameters)
    } finally {
      client.release()
    }
  }

  function isNotThere(error: unknown): boolean {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null
    // Without a code: the connection ended, or took too long. What was cancelled has none either, and is not asked for again.
    // EPIPE looks like a code of PostgreSQL, whose classes do not begin with E.
    const isGone =
      error instanceof Error &&
      (code === null ? CONNECTION_ERROR.test(error.message) : code.startsWith('E') || !SQLSTATE.test(code))
    if (isGone) state.markUnavailable()
    return isGone || UNAVAILABLE_STATES.has(code)
  }
}

const CONNECTION_ERROR = /connection|timeout exceeded when trying to connect/i
