import type pg from 'pg'
import type { UsageBatch, UsageCount, UsageOperation, UsageSink } from '../../gateway/usage/usage-batch.ts'
import { OTHER } from '../../gateway/usage/usage-recorder.ts'
import { type Connection, openDatabase } from '../../platform/database/database.ts'
import type { UsageTables } from './tables.ts'

/** Upper bound of new operations per day; further ones count as one. */
const MAX_NEW_OPERATIONS_PER_DAY = 500
/** Upper bound of counts per day; further clients count as one per operation. */
const MAX_COUNTS_PER_DAY = 20_000
/**
 * Retention of batch ids, which detect repeated batches. An unacknowledged batch is repeated within
 * seconds, or when the database is back.
 */
const BATCH_RETENTION_DAYS = 7
/** Interval of deleting old rows. */
const CLEAN_INTERVAL_MS = 3_600_000
/** Timeout of a statement, after which the batch is repeated later. */
const STATEMENT_TIMEOUT_MS = 10_000
/** Deleting all takes longer: 90 days may have 1,800,000 counts. */
const DELETE_TIMEOUT_MS = 300_000
/** Advisory lock of writers, which makes the bounds exact: "usage" in ASCII, hexadecimal. */
const WRITER_LOCK = 0x7573616765

export type UsageStoreOptions = {
  readonly retentionDays: number
  readonly maxNewOperations?: number
  readonly maxCounts?: number
  readonly onError: (error: Error) => void
}

/** Stores usage reports in PostgreSQL, adding up those of all processes. Connects on first use. */
export function createUsageStore(
  connection: Connection,
  { retentionDays, maxNewOperations = MAX_NEW_OPERATIONS_PER_DAY, maxCounts = MAX_COUNTS_PER_DAY, onError }: UsageStoreOptions,
): Required<UsageSink> {
  const settings = { schema: 'gateway', max: 1, statementTimeoutMs: STATEMENT_TIMEOUT_MS, onError }
  const { pool, close } = openDatabase<UsageTables>(connection, settings)
  let cleanedMs = Number.NEGATIVE_INFINITY

  return {
    async record(batch) {
      await inTransaction(pool, (client) => write(client, batch))
      if (performance.now() - cleanedMs < CLEAN_INTERVAL_MS) return
      cleanedMs = performance.now()
      // Errors are reported only: the batch is stored, and cleaning runs again in an hour.
      await clean(pool, retentionDays).catch(onError)
    },
    close,
  }

  async function write(client: pg.PoolClient, { id, operations, counts }: UsageBatch): Promise<void> {
    await client.query('SELECT pg_advisory_xact_lock($1)', [WRITER_LOCK])
    const { rowCount } = await client.query('INSERT INTO usage_batch (id) VALUES ($1) ON CONFLICT DO NOTHING', [id])
    if (rowCount === 0) return
    for (const day of new Set(counts.map((count) => count.day))) {
      const ofDay = counts.filter((count) => count.day === day)
      const used = new Set(ofDay.map(({ operation }) => operation))
      await writeDay(
        client,
        day,
        operations.filter(({ hash }) => used.has(hash)),
        ofDay,
      )
    }
  }

  async function writeDay(
    client: pg.PoolClient,
    day: string,
    operations: readonly UsageOperation[],
    counts: readonly UsageCount[],
  ): Promise<void> {
    const other = `${OTHER}:${day}`
    const stored = await storedOperations(client, operations)
    let free = maxNewOperations - (await countRows(client, 'SELECT count(*)::int FROM usage_operation WHERE first_day = $1', day))
    const storedAs = new Map<string, string>()
    for (const { hash } of operations) {
      const isStored = hash !== OTHER && (stored.has(hash) || free-- > 0)
      storedAs.set(hash, isStored ? hash : other)
    }
    await writeOperations(client, day, merged(operations, storedAs))
    const renamed = counts.map((count) => ({ ...count, operation: storedAs.get(count.operation) ?? other }))
    await writeCounts(client, await withinBound(client, day, renamed))
  }

  /** Counts of clients above the bound are added to the client `other`. */
  async function withinBound(client: pg.PoolClient, day: string, counts: readonly UsageCount[]): Promise<readonly UsageCount[]> {
    const rows = await countRows(client, 'SELECT count(*)::int FROM usage_count WHERE day = $1', day)
    if (rows + counts.length <= maxCounts) return counts
    const { rows: known } = await client.query<{ readonly key: string }>(
      `SELECT operation || E'\\n' || client_name || E'\\n' || client_version AS key FROM usage_count
       WHERE day = $1 AND operation = ANY($2)`,
      [day, [...new Set(counts.map(({ operation }) => operation))]],
    )
    const keys = new Set(known.map(({ key }) => key))
    let free = maxCounts - rows
    return counts.map((count) => {
      const isStored = keys.has(`${count.operation}\n${count.clientName}\n${count.clientVersion}`) || free-- > 0
      return isStored ? count : { ...count, clientName: OTHER, clientVersion: '' }
    })
  }
}

/** Deletes all that was recorded; the number of its counts. */
export async function deleteUsage(connection: Connection): Promise<number> {
  const settings = { schema: 'gateway', max: 1, statementTimeoutMs: DELETE_TIMEOUT_MS, onError: () => {} }
  const { pool, close } = openDatabase<UsageTables>(connection, settings)
  try {
    const { rowCount } = await pool.query('DELETE FROM usage_count')
    await pool.query('DELETE FROM usage_operation')
    await pool.query('DELETE FROM usage_batch')
    return rowCount ?? 0
  } finally {
    await close()
  }
}

async function inTransaction(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect()
  let fault: Error | undefined
  try {
    await client.query('BEGIN')
    await work(client)
    await client.query('COMMIT')
  } catch (error) {
    fault = error instanceof Error ? error : new Error(String(error))
    throw error
  } finally {
    // Destroys a connection with an open or failed transaction instead of reusing it.
    client.release(fault)
  }
}

async function storedOperations(client: pg.PoolClient, operations: readonly UsageOperation[]): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ readonly hash: string }>('SELECT hash FROM usage_operation WHERE hash = ANY($1)', [
    operations.map(({ hash }) => hash),
  ])
  return new Set(rows.map(({ hash }) => hash))
}

async function countRows(client: pg.PoolClient, statement: string, day: string): Promise<number> {
  const { rows } = await client.query<{ readonly count: number }>(statement, [day])
  return rows[0]?.count ?? 0
}

/** Merges operations with equal stored hash, and their coordinates. */
function merged(operations: readonly UsageOperation[], storedAs: ReadonlyMap<string, string>): readonly UsageOperation[] {
  const byHash = new Map<string, UsageOperation>()
  for (const operation of operations) {
    const hash = storedAs.get(operation.hash) ?? operation.hash
    const before = byHash.get(hash)?.coordinates ?? []
    const coordinates = [...new Set([...before, ...operation.coordinates])].sort()
    byHash.set(hash, hash === operation.hash ? operation : { hash, name: null, kind: 'other', signature: null, coordinates })
  }
  return [...byHash.values()]
}

/** Adds coordinates to stored ones, because they change with the schema. */
async function writeOperations(client: pg.PoolClient, day: string, operations: readonly UsageOperation[]): Promise<void> {
  await client.query(
    `INSERT INTO usage_operation (hash, name, kind, signature, coordinates, first_day, last_day)
     SELECT hash, name, kind, signature, ARRAY(SELECT jsonb_array_elements_text(coordinates)), $2::date, $2::date
     FROM jsonb_to_recordset($1) AS given (hash text, name text, kind text, signature text, coordinates jsonb)
     ON CONFLICT (hash) DO UPDATE SET
       last_day = greatest(usage_operation.last_day, excluded.last_day),
       coordinates = CASE WHEN usage_operation.coordinates @> excluded.coordinates THEN usage_operation.coordinates
         ELSE ARRAY(SELECT DISTINCT unnest(usage_operation.coordinates || excluded.coordinates) ORDER BY 1) END`,
    [JSON.stringify(operations), day],
  )
}

async function writeCounts(client: pg.PoolClient, counts: readonly UsageCount[]): Promise<void> {
  await client.query(
    `INSERT INTO usage_count (day, operation, client_name, client_version, requests, errors, milliseconds, last_seen_at)
     SELECT day, operation, "clientName", "clientVersion", sum(requests), sum(errors), sum(milliseconds), max("lastSeenAt")
     FROM jsonb_to_recordset($1) AS given (day date, operation text, "clientName" text, "clientVersion" text,
       requests bigint, errors bigint, milliseconds float8, "lastSeenAt" timestamptz)
     GROUP BY 1, 2, 3, 4
     ON CONFLICT (day, operation, client_name, client_version) DO UPDATE SET
       requests = usage_count.requests + excluded.requests,
       errors = usage_count.errors + excluded.errors,
       milliseconds = usage_count.milliseconds + excluded.milliseconds,
       last_seen_at = greatest(usage_count.last_seen_at, excluded.last_seen_at)`,
    [JSON.stringify(counts)],
  )
}

/** Deletes operations older than the retention; their counts are deleted by cascade. */
async function clean(pool: pg.Pool, retentionDays: number): Promise<void> {
  const oldest = `(now() AT TIME ZONE 'UTC')::date - $1::int`
  await pool.query(`DELETE FROM usage_count WHERE day < ${oldest}`, [retentionDays])
  await pool.query(`DELETE FROM usage_operation WHERE last_day < ${oldest}`, [retentionDays])
  await pool.query(`DELETE FROM usage_batch WHERE recorded_at < now() - make_interval(days => $1)`, [BATCH_RETENTION_DAYS])
}
