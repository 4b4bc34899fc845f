import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { OperatorError } from '../../process/operator-error.ts'
import type { Connection } from '../database.ts'
import { addReferences, removeFormer, takePlace } from './exchange.ts'
import { buildIndexes, partitionsOf } from './partition-index.ts'
import {
  addForeignKeys,
  copyBatch,
  copyOf,
  countAndSum,
  createCopy,
  createMirror,
  mirrorFunction,
  partitionsSchemaOf,
} from './partitioned-copy.ts'
import { isLockTimeout, lockOf, withShortLock } from './short-lock.ts'
import {
  fingerprintOf,
  MIRROR_TRIGGER,
  quotedTable,
  readDefinition,
  type TableDefinition,
  type TableName,
} from './table-definition.ts'

/** What the conversion of a table does; `waiting`: others hold locks of the table. */
export type PartitionPhase = 'copying' | 'indexing' | 'linking' | 'verifying' | 'waiting'

export type PartitionOptions = {
  readonly connection: Connection
  readonly table: TableName
  /** Column whose hash chooses the partition; part of the primary key and of every unique index. */
  readonly column: string
  readonly partitions: number
  /** Time for which writes may wait for a lock of the conversion. Milliseconds. */
  readonly maxLockMs: number
  readonly signal: AbortSignal
  /** `total`: rows by the statistics of the table; null: unknown. */
  readonly progress: (phase: PartitionPhase, done: number, total: number | null) => void
}

/** Result of a conversion. `sum` is that of the hashes of all rows; `lockedMs` is the longest time of a lock. */
export type PartitionReport = {
  readonly rows: string
  readonly sum: string
  readonly partitions: number
  readonly lockedMs: number
}

/** Rows of the first batch; later ones take the time of BATCH_MS. */
const FIRST_BATCH_ROWS = 500
const MAX_BATCH_ROWS = 20_000
/** Time of a batch, in which its rows cannot be locked by others, and of the pause behind it. Milliseconds. */
const BATCH_MS = 50
/** Wait of a batch for a row: shorter than `deadlock_timeout`, so that nobody else is ended. Milliseconds. */
const ROW_LOCK_MS = 200
/** Lag of a replica at which copying pauses. Seconds. */
const MAX_REPLICA_LAG_SECONDS = 5
/** Advisory lock of conversions, the same in every version: the bytes of "partiti". */
const CONVERSION_LOCK = '31632341598827625'

/**
 * Replaces a table by one of the same name with partitions, while others read and write. A trigger
 * repeats their writes in the copy; indexes, foreign keys and triggers follow; counts and sums of
 * hashes of both are compared in one snapshot, before names are exchanged in one transaction.
 * Interrupted, it goes on from the last batch. Throws an `OperatorError` for a table that cannot be
 * partitioned, or that a migration changed meanwhile.
 */
export async function partitionTable(options: PartitionOptions): Promise<PartitionReport> {
  const { connection, table, signal, progress } = options
  return withConversionLock(connection, signal, async (client) => {
    const times = { lockedMs: 0 }
    const locking = { maxLockMs: options.maxLockMs, signal, times, onWait: () => progress('waiting', 0, null) }
    const definition = await readDefinition(client, table)
    if (!definition) throw new OperatorError(`There is no table ${table.schema}.${table.name}.`)
    // What a run that was killed behind the exchange left to do.
    if (definition.isPartitioned && (await removeFormer(client, table, locking))) {
      const { rows } = await client.query<{ count: string; sum: string }>(countAndSum(table, definition))
      const partitions = (await partitionsOf(client, quotedTable(table))).length
      return { rows: rows[0]?.count ?? '0', sum: rows[0]?.sum ?? '0', partitions, lockedMs: Math.ceil(times.lockedMs) }
    }
    assertPartitionable(table, options.column, definition)
    const conversion = await begin(client, options, definition)
    const copy = await readDefinition(client, copyOf(table))
    if (copy?.referenced.length !== definition.referenced.length)
      await withShortLock(client, lockOf('SHARE ROW EXCLUSIVE', definition.referenced), locking, async (run) => {
        for (const statement of addForeignKeys(table, definition)) await run(statement)
      })
    if (!(await hasMirror(client, table)))
      await withShortLock(client, lockOf('SHARE ROW EXCLUSIVE', [table]), locking, async (run) => {
        for (const statement of createMirror(table, definition)) await run(statement)
      })
    await copyRows(client, table, definition, conversion, options)
    await buildIndexes(client, table, definition, {
      signal,
      progress: (done, total) => progress('indexing', done, total),
    })
    await addReferences(client, table, definition, locking, (done, total) => progress('linking', done, total))
    await client.query(`ANALYZE ${quotedTable(copyOf(table))}`)
    progress('verifying', 0, null)
    const { count, sum } = await verified(client, table, definition)
    await takePlace(client, table, definition, {
      ...locking,
      isUnchanged: (now) => fingerprintOf(now) === conversion.fingerprint,
    })
    return { rows: count, sum, partitions: conversion.partitions, lockedMs: Math.ceil(times.lockedMs) }
  })
}

/** Removes what an unfinished conversion of a table made; whether there was one. */
export async function cancelPartitioning(
  connection: Connection,
  table: TableName,
  { maxLockMs, signal, onWait }: { readonly maxLockMs: number; readonly signal: AbortSignal; readonly onWait: () => void },
): Promise<boolean> {
  return withConversionLock(connection, signal, async (client) => {
    const copy = await readDefinition(client, copyOf(table))
    const { rows } = await client.query(
      'SELECT to_regproc($1) IS NOT NULL AS "hasMirror", to_regclass($2) IS NOT NULL AS "hasRecord"',
      [mirrorFunction(table), conversionsOf(table)],
    )
    // Writes are no longer repeated from here on: no later run may go on.
    const ended = rows[0].hasRecord
      ? await client.query(`UPDATE ${conversionsOf(table)} SET fingerprint = '' WHERE name = $1`, [table.name])
      : null
    if (!copy && !rows[0].hasMirror && !ended?.rowCount) return false
    const locking = { maxLockMs, signal, times: { lockedMs: 0 }, onWait }
    await withShortLock(client, lockOf('ACCESS EXCLUSIVE', [table]), locking, (run) =>
      run(`DROP TRIGGER IF EXISTS ${MIRROR_TRIGGER} ON ${quotedTable(table)}`),
    )
    await client.query(`DROP FUNCTION IF EXISTS ${mirrorFunction(table)}()`)
    for (const { name, table: other } of copy?.referencing ?? []) {
      await withShortLock(client, lockOf('ACCESS EXCLUSIVE', [other, copyOf(table)]), locking, (run) =>
        run(`ALTER TABLE ${quotedTable(other)} DROP CONSTRAINT ${pg.escapeIdentifier(name)}`),
      )
    }
    if (copy)
      await withShortLock(client, lockOf('ACCESS EXCLUSIVE', [copyOf(table), ...copy.referenced]), locking, (run) =>
        run(`DROP TABLE ${quotedTable(copyOf(table))}`),
      )
    if (ended) await client.query(`DELETE FROM ${conversionsOf(table)} WHERE name = $1`, [table.name])
    return true
  })
}

type Conversion = {
  readonly fingerprint: string
  readonly partitions: number
  readonly last: readonly string[] | null
  readonly copied: string
}

const conversionsOf = (table: TableName): string => quotedTable({ schema: partitionsSchemaOf(table), name: 'conversion' })

/** The conversion that an earlier run began, or a new one. */
async function begin(
  client: pg.Client,
  { table, column, partitions }: PartitionOptions,
  definition: TableDefinition,
): Promise<Conversion> {
  const schema = pg.escapeIdentifier(partitionsSchemaOf(table))
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema};
    CREATE TABLE IF NOT EXISTS ${conversionsOf(table)} (
      name text PRIMARY KEY, fingerprint text NOT NULL, partitions int NOT NULL, last text[], copied bigint NOT NULL DEFAULT 0)`)
  const { rows } = await client.query<Conversion>(
    `SELECT fingerprint, partitions, last, copied::text FROM ${conversionsOf(table)} WHERE name = $1`,
    [table.name],
  )
  const [found] = rows
  const fingerprint = fingerprintOf(definition)
  if (found) {
    if (found.fingerprint !== fingerprint) throw changed(table)
    return found
  }
  await client.query('BEGIN')
  try {
    for (const statement of createCopy(table, definition, column, partitions)) await client.query(statement)
    await client.query(`INSERT INTO ${conversionsOf(table)} (name, fingerprint, partitions) VALUES ($1, $2, $3)`, [
      table.name,
      fingerprint,
      partitions,
    ])
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
  return { fingerprint, partitions, last: null, copied: '0' }
}

const changed = ({ schema, name }: TableName): OperatorError =>
  new OperatorError(
    `The table ${schema}.${name} was changed since its conversion began, by a migration for example: run the command with --cancel, then again.`,
  )

function assertPartitionable(table: TableName, column: string, definition: TableDefinition): void {
  const name = `${table.schema}.${table.name}`
  if (definition.isPartitioned) throw new OperatorError(`The table ${name} has partitions already.`)
  for (const columns of [definition.primaryKey, ...definition.uniqueColumns])
    if (!columns.includes(column))
      throw new OperatorError(`The table ${name} cannot be partitioned by ${column}: its key (${columns.join(', ')}) lacks it.`)
  const partitioned = definition.referencing.find(({ isPartitioned }) => isPartitioned)
  if (partitioned)
    throw new OperatorError(
      `The table ${name} cannot be partitioned after ${partitioned.table.schema}.${partitioned.table.name}, which refers to it.`,
    )
}

async function hasMirror(client: pg.Client, table: TableName): Promise<boolean> {
  const { rows } = await client.query('SELECT 1 FROM pg_trigger WHERE tgrelid = to_regclass($1) AND tgname = $2', [
    quotedTable(table),
    MIRROR_TRIGGER,
  ])
  return rows.length > 0
}

/** Copies the rows behind the last key, in batches, and records each with its batch. */
async function copyRows(
  client: pg.Client,
  table: TableName,
  definition: TableDefinition,
  conversion: Conversion,
  { signal, progress }: PartitionOptions,
): Promise<void> {
  let [last, done, size] = [conversion.last, Number(conversion.copied), FIRST_BATCH_ROWS]
  const { rows } = await client.query<{ total: number }>(
    'SELECT reltuples::float8 AS total FROM pg_class WHERE oid = to_regclass($1)',
    [quotedTable(table)],
  )
  const total = rows[0] && rows[0].total >= 0 ? rows[0].total : null
  for (;;) {
    signal.throwIfAborted()
    const started = performance.now()
    const batch = await copied(client, table, definition, last, size)
    if (batch !== null) {
      if (batch.last === null) return
      last = batch.last
      done += batch.read
      progress('copying', done, total === null ? null : Math.max(total, done))
    }
    const elapsed = performance.now() - started
    size = Math.round(Math.min(MAX_BATCH_ROWS, Math.max(1, size * Math.min(2, BATCH_MS / Math.max(1, elapsed)))))
    await sleep(BATCH_MS)
    while (await isReplicaBehind(client)) {
      progress('waiting', 0, null)
      signal.throwIfAborted()
      await sleep(1_000)
    }
  }
}

type Batch = { readonly read: number; readonly copied: number; readonly last: readonly string[] | null }

/** Copies a batch; null: somebody else held one of its rows for too long. */
async function copied(
  client: pg.Client,
  table: TableName,
  definition: TableDefinition,
  last: readonly string[] | null,
  size: number,
): Promise<Batch | null> {
  await client.query('BEGIN')
  try {
    await client.query(`SET LOCAL lock_timeout = ${ROW_LOCK_MS}; SET LOCAL jit = off`)
    const { rows } = await client.query<Batch>(copyBatch(table, definition, last === null), [...(last ?? []), size])
    const batch = rows[0] ?? { read: 0, copied: 0, last: null }
    if (batch.last !== null)
      await client.query(`UPDATE ${conversionsOf(table)} SET last = $2, copied = copied + $3 WHERE name = $1`, [
        table.name,
        batch.last,
        batch.read,
      ])
    await client.query('COMMIT')
    return batch
  } catch (error) {
    await client.query('ROLLBACK')
    if (isLockTimeout(error)) return null
    // check_violation: an older row does not satisfy a check that was added for new rows only.
    if (error instanceof pg.DatabaseError && error.code === '23514')
      throw new OperatorError(
        `A row of ${table.schema}.${table.name} does not satisfy ${error.constraint}: correct it, then run the command again. ${error.detail ?? ''}`,
      )
    throw error
  }
}

/** Lag is null for roles that may not see it (`pg_monitor`), and without a replica. */
async function isReplicaBehind(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ lag: number | null }>(
    'SELECT extract(epoch FROM max(replay_lag))::float8 AS lag FROM pg_stat_replication',
  )
  return (rows[0]?.lag ?? 0) > MAX_REPLICA_LAG_SECONDS
}

/** Compares table and copy in one snapshot. */
async function verified(
  client: pg.Client,
  table: TableName,
  definition: TableDefinition,
): Promise<{ readonly count: string; readonly sum: string }> {
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const [before] = (await client.query<{ count: string; sum: string }>(countAndSum(table, definition))).rows
    const [after] = (await client.query<{ count: string; sum: string }>(countAndSum(copyOf(table), definition))).rows
    await client.query('COMMIT')
    if (!before || before.count !== after?.count || before.sum !== after.sum)
      throw new OperatorError(
        `The copy of ${quotedTable(table)} differs from it: ${after?.count} rows of ${before?.count}. Nothing was exchanged: run the command with --cancel, then again.`,
      )
    return before
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

async function cancelBackend(connection: Connection, pid: number): Promise<void> {
  const other = new pg.Client(connection)
  other.on('error', () => {})
  await other
    .connect()
    .then(() => other.query('SELECT pg_cancel_backend($1)', [pid]))
    .catch(() => {})
  await other.end().catch(() => {})
}

/** An abort ends a statement as well: an index may wait for hours until a backup ends. */
async function withConversionLock<Result>(
  connection: Connection,
  signal: AbortSignal,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted()
  const client = new pg.Client({ ...connection, application_name: 'atrium partition' })
  client.on('error', () => {})
  await client.connect()
  let pid = 0
  const cancel = (): void => void cancelBackend(connection, pid)
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const { rows } = await client.query<{ locked: boolean; pid: number }>(
      'SELECT pg_try_advisory_lock($1) AS locked, pg_backend_pid() AS pid',
      [CONVERSION_LOCK],
    )
    pid = rows[0]?.pid ?? 0
    if (!rows[0]?.locked)
      throw new OperatorError('Another process is partitioning a table of this database: end it, then try again.')
    return await work(client)
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', cancel)
    await client.end()
  }
}
