import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { OperatorError } from '../../process/operator-error.ts'
import { quotedTable, type TableName } from './table-definition.ts'

/** How a conversion takes locks. */
export type Locking = {
  /** Time for which others may wait for it. Milliseconds. */
  readonly maxLockMs: number
  readonly signal: AbortSignal
  /** Longest time from an attempt to lock to the end of its transaction. Milliseconds. */
  readonly times: { lockedMs: number }
  /** Called when an attempt failed. */
  readonly onWait: () => void
}

/** Between two attempts: those who waited behind this one go first. Milliseconds. */
const PAUSE_MS = 500
/** Shorter than `deadlock_timeout` (1 s by default), so that a deadlock ends nobody else. Milliseconds. */
const MAX_ATTEMPT_MS = 500
/** Attempts that were granted the lock and then took too long, which is nobody else's doing. */
const MAX_OVERRUNS = 5
/** What is thrown when the time of a lock is over before a statement. */
const OVERRUN = new Error('Expected the work under a lock to end in its time.')
/** query_canceled, lock_not_available, deadlock_detected. */
const NOT_NOW: ReadonlySet<string | undefined> = new Set(['57014', '55P03', '40P01'])

/** A statement that locks tables, if there are any. */
export const lockOf = (mode: 'ACCESS EXCLUSIVE' | 'SHARE ROW EXCLUSIVE', tables: readonly TableName[]): string =>
  tables.length === 0 ? 'SELECT' : `LOCK TABLE ${[...new Set(tables.map(quotedTable))].join(', ')} IN ${mode} MODE`

/** Whether a statement failed because of somebody else's lock, and may succeed later. */
export const isLockTimeout = (error: unknown): boolean => error instanceof pg.DatabaseError && NOT_NOW.has(error.code)

/** Runs a statement in what is left of the time of a lock. Rejects when nothing is. */
type RunInTime = <Row extends pg.QueryResultRow = pg.QueryResultRow>(statement: string) => Promise<pg.QueryResult<Row>>

/**
 * Runs `work` in a transaction that begins with a lock. Everybody who comes later waits behind the
 * attempt to lock, which is therefore given up after half of `maxLockMs` and repeated until the
 * signal aborts; what is left is for the statements of `work` together. Throws an `OperatorError`
 * when that never suffices.
 */
export async function withShortLock<Result>(
  client: pg.Client,
  lock: string,
  { maxLockMs, signal, times, onWait }: Locking,
  work: (run: RunInTime) => Promise<Result>,
): Promise<Result> {
  let overruns = 0
  for (;;) {
    signal.throwIfAborted()
    await client.query('BEGIN')
    const started = performance.now()
    let isLocked = false
    const run: RunInTime = async (statement) => {
      const leftMs = maxLockMs - (performance.now() - started)
      if (leftMs < 1) throw OVERRUN
      await client.query(`SET LOCAL statement_timeout = ${Math.floor(leftMs)}`)
      return client.query(statement)
    }
    try {
      await client.query(`SET LOCAL statement_timeout = ${Math.round(Math.min(MAX_ATTEMPT_MS, maxLockMs / 2))}`)
      await client.query(lock)
      isLocked = true
      const result = await work(run)
      await client.query('COMMIT')
      times.lockedMs = Math.max(times.lockedMs, performance.now() - started)
      return result
    } catch (error) {
      await client.query('ROLLBACK')
      times.lockedMs = Math.max(times.lockedMs, performance.now() - started)
      if (error !== OVERRUN && !isLockTimeout(error)) throw error
      overruns += isLocked ? 1 : 0
      if (overruns === MAX_OVERRUNS)
        throw new OperatorError(
          `Its locks were granted, but ${maxLockMs} ms are too short for the work under them: allow more with --max-lock, or begin again with fewer partitions.`,
        )
    }
    onWait()
    await sleep(PAUSE_MS)
  }
}
