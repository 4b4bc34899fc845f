import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { backUp } from '../../../../platform/database/backup/backup.ts'
import { restore } from '../../../../platform/database/backup/restore.ts'
import { buildIndexConcurrently } from '../../../../platform/database/concurrent-index.ts'
import {
  cancelPartitioning,
  type PartitionOptions,
  type PartitionPhase,
  partitionTable,
} from '../../../../platform/database/partitioning/partition-table.ts'
import { readDefinition, type TableName } from '../../../../platform/database/partitioning/table-definition.ts'
import { emptyDatabase, type FreshDatabase, freshDatabase } from '../../../support/database.ts'

const ORDER: TableName = { schema: 'store', name: 'order' }
const LINE: TableName = { schema: 'store', name: 'order_line' }
const STORES = 20
const ORDERS = 6_000
const PARTITIONS = 4

let database: FreshDatabase
let client: pg.Client
const cleanups: (() => unknown)[] = []
const cleanUp = async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
}
afterAll(cleanUp)

async function connected(): Promise<pg.Client> {
  const made = new pg.Client(database.connection)
  made.on('error', () => {})
  await made.connect()
  cleanups.push(() => made.end())
  return made
}

/** Columns of an order without a default. */
const NEW_ORDER = `(store_id, status, currency, subtotal, total, customer, token, search_key, created_at, updated_at)`

beforeEach(async () => {
  await cleanUp()
  database = await freshDatabase()
  cleanups.push(database.drop)
  client = await connected()
  await client.query(`
    INSERT INTO store.store (code, name, currency, country, timezone, hooks_token, created_at, updated_at)
      SELECT 'shop' || i, 'Shop', 'EUR', 'PT', 'Europe/Lisbon', repeat('x', 32), now(), now() FROM generate_series(1, ${STORES}) AS i;
    INSERT INTO store."order" ${NEW_ORDER}
      SELECT 1 + i % ${STORES}, 'PAID', 'EUR', i, i, '{}', 'token' || i, 'text ' || i, now(), now() FROM generate_series(1, ${ORDERS}) AS i;
    INSERT INTO store.order_line (store_id, order_id, position, name, qty, price)
      SELECT store_id, id, 1, 'Cup', 1, total FROM store."order";
    INSERT INTO store.order_history (store_id, order_id, message, created_at) SELECT store_id, id, 'made', now() FROM store."order";
    ANALYZE store."order"`)
})

function optionsOf(table: TableName, more: Partial<PartitionOptions> = {}): PartitionOptions {
  return {
    connection: database.connection,
    table,
    column: 'store_id',
    partitions: PARTITIONS,
    maxLockMs: 1_000,
    signal: new AbortController().signal,
    progress: () => {},
    ...more,
  }
}

/** A conversion of orders that was interrupted at the beginning of a phase. */
async function interruptedAt(phase: PartitionPhase): Promise<void> {
  const interruption = new AbortController()
  const progress = (now: PartitionPhase) => now === phase && interruption.abort()
  await expect(partitionTable(optionsOf(ORDER, { signal: interruption.signal, progress }))).rejects.toThrow(/abort/i)
}

/** What a database guarantees of a table, whatever it is made of. */
async function guaranteesOf(table: TableName) {
  const definition = await readDefinition(client, table)
  if (!definition) throw new Error(`There is no table ${table.name}.`)
  const { isPartitioned: _, referencing, checks, ...rest } = definition
  // Checks that hold for new rows only hold for all of them behind it: each row was written anew.
  const proven = checks.map((check) => ({ ...check, definition: check.definition.replace(' NOT VALID', '') }))
  return { ...rest, checks: proven, referencing: referencing.map(({ isPartitioned: __, ...reference }) => reference) }
}

/** Another client, which writes orders until it is stopped and keeps what the database acknowledged. */
async function writer() {
  const other = await connected()
  const acknowledged = new Map<number, { readonly store: number; readonly total: number }>()
  let [isStopped, writes] = [false, 0]
  const failures: string[] = []
  async function write(): Promise<void> {
    const [kind, store] = [Math.random(), 1 + Math.floor(Math.random() * STORES)]
    const [id] = [...acknowledged.keys()].slice(Math.floor(Math.random() * acknowledged.size))
    if (kind < 0.4 || id === undefined) {
      await other.query('BEGIN')
      const { rows } = await other.query(
        `INSERT INTO store."order" ${NEW_ORDER} VALUES ($1, 'PENDING_PAYMENT', 'EUR', 1, 1, '{}', gen_random_uuid(), '', now(), now()) RETURNING id`,
        [store],
      )
      await other.query(
        `INSERT INTO store.order_line (store_id, order_id, position, name, qty, price) VALUES ($1, $2, 1, 'Cup', 1, 1)`,
        [store, rows[0].id],
      )
      await other.query('COMMIT')
      acknowledged.set(rows[0].id, { store, total: 1 })
    } else {
      const { store: owner, total } = acknowledged.get(id) ?? { store: 0, total: 0 }
      if (kind < 0.7) {
        await other.query('UPDATE store."order" SET total = total + 1 WHERE store_id = $1 AND id = $2', [owner, id])
        acknowledged.set(id, { store: owner, total: total + 1 })
      } else {
        // One of the first orders, which the conversion may not have seen yet.
        await other.query('DELETE FROM store."order" WHERE store_id = $1 AND id = $2', [owner, id])
        acknowledged.delete(id)
      }
    }
    writes += 1
  }
  const { rows } = await client.query<{ id: number; store: number; total: number }>(
    'SELECT id, store_id AS store, total::int AS total FROM store."order"',
  )
  for (const { id, store, total } of rows) acknowledged.set(id, { store, total })
  const running = (async () => {
    while (!isStopped)
      await write().catch(async (error: Error) => {
        failures.push(error.message)
        await other.query('ROLLBACK')
      })
  })()
  return {
    async stop() {
      isStopped = true
      await running
      return { writes, failures, acknowledged }
    },
  }
}

describe('partitions of a table', () => {
  test('replace it while others write, are interrupted and go on; nothing is lost, and it guarantees the same', async () => {
    const before = await guaranteesOf(ORDER)
    const { stop } = await writer()
    const interruption = new AbortController()
    let batches = 0
    const interrupted = partitionTable(
      optionsOf(ORDER, {
        signal: interruption.signal,
        progress: (phase) => {
          batches += phase === 'copying' ? 1 : 0
          if (batches === 3) interruption.abort()
        },
      }),
    )
    await expect(interrupted).rejects.toThrow(/abort/i)
    const phases: [PartitionPhase, number][] = []
    const report = await partitionTable(optionsOf(ORDER, { progress: (phase, done) => phases.push([phase, done]) }))
    // It goes on behind what was copied before.
    expect(phases.find(([phase]) => phase === 'copying')?.[1]).toBeGreaterThan(1_000)
    const { writes, failures, acknowledged } = await stop()
    expect({ isBusy: writes > 20, failures }).toEqual({ isBusy: true, failures: [] })
    expect(Number(report.rows)).toBeGreaterThan(ORDERS / 2)

    const { rows } = await client.query<{ id: number; store: number; total: number }>(
      'SELECT id, store_id AS store, total::int AS total FROM store."order" ORDER BY id',
    )
    expect(rows).toEqual([...acknowledged].map(([id, order]) => ({ id, ...order })).sort((one, other) => one.id - other.id))
    const parts = await client.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM store."order" GROUP BY tableoid HAVING count(*) > 0`,
    )
    expect(parts.rows).toHaveLength(PARTITIONS)
    expect(await guaranteesOf(ORDER)).toEqual(before)
    const orphans = await client.query(`SELECT FROM store.order_line AS line
      WHERE NOT EXISTS (SELECT FROM store."order" WHERE store_id = line.store_id AND id = line.order_id)`)
    expect(orphans.rowCount).toBe(0)
    // Keys go on where they were, foreign keys refuse and cascade, and nothing else is left.
    const { rows: next } = await client.query(
      `INSERT INTO store."order" ${NEW_ORDER} VALUES (1, 'PAID', 'EUR', 1, 1, '{}', 'next', '', now(), now()) RETURNING id`,
    )
    expect(next[0].id).toBeGreaterThan(Math.max(...acknowledged.keys()))
    await expect(
      client.query(`INSERT INTO store.order_history (store_id, order_id, message, created_at) VALUES (1, 999999999, '', now())`),
    ).rejects.toThrow('violates foreign key')
    await client.query('DELETE FROM store.store WHERE id = 1')
    expect((await client.query('SELECT FROM store.order_line WHERE store_id = 1')).rowCount).toBe(0)
    const { rows: left } = await client.query(
      `SELECT nspname || '.' || relname AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
       WHERE nspname IN ('store_partitions', 'store_unpartitioned') AND relkind IN ('r', 'p') AND NOT relispartition`,
    )
    expect(left).toEqual([{ name: 'store_partitions.conversion' }])
    await expect(partitionTable(optionsOf(ORDER))).rejects.toThrow('has partitions already')
  })

  test('of a table that refers to one with partitions', async () => {
    await partitionTable(optionsOf(ORDER))
    const before = await guaranteesOf(LINE)
    expect(await partitionTable(optionsOf(LINE))).toMatchObject({ rows: String(ORDERS), partitions: PARTITIONS })
    expect(await guaranteesOf(LINE)).toEqual(before)
    await client.query('DELETE FROM store."order" WHERE store_id = 2')
    expect((await client.query('SELECT FROM store.order_line WHERE store_id = 2')).rowCount).toBe(0)
  })

  test('are finished by the next run when one was killed behind the exchange', async () => {
    await partitionTable(optionsOf(ORDER))
    await client.query(`CREATE SCHEMA store_unpartitioned; CREATE TABLE store_unpartitioned."order" (id int)`)
    expect(await partitionTable(optionsOf(ORDER))).toMatchObject({ rows: String(ORDERS), partitions: PARTITIONS })
    const { rows } = await client.query(`SELECT FROM pg_namespace WHERE nspname = 'store_unpartitioned'`)
    expect(rows).toEqual([])
    await expect(partitionTable(optionsOf(ORDER))).rejects.toThrow('has partitions already')
  })

  test('are refused where a table that refers to it has some, where a key lacks the column, and where there is no table', async () => {
    await partitionTable(optionsOf(LINE))
    await expect(partitionTable(optionsOf(ORDER))).rejects.toThrow('after store.order_line, which refers to it')
    await expect(partitionTable(optionsOf({ schema: 'store', name: 'store' }))).rejects.toThrow('its key (id) lacks it')
    await expect(partitionTable(optionsOf({ schema: 'store', name: 'nothing' }))).rejects.toThrow('no table store.nothing')
  })

  test('do not take the place of a table that their rows differ from, nor of one that a migration changed', async () => {
    const before = await guaranteesOf(ORDER)
    const interruption = new AbortController()
    const progress = (phase: PartitionPhase) => phase === 'indexing' && interruption.abort()
    await expect(partitionTable(optionsOf(ORDER, { signal: interruption.signal, progress }))).rejects.toThrow(/abort/i)
    await client.query(`UPDATE store_partitions."order" SET total = total + 1 WHERE id = 7`)
    await expect(partitionTable(optionsOf(ORDER))).rejects.toThrow('differs from it')
    await client.query('ALTER TABLE store."order" ADD COLUMN note text')
    await expect(partitionTable(optionsOf(ORDER))).rejects.toThrow('was changed since its conversion began')
    // Writes go on meanwhile, and so do the new ones.
    await client.query(`UPDATE store."order" SET note = 'x' WHERE id = 8`)
    await client.query('ALTER TABLE store."order" DROP COLUMN note')
    const cancelling = { maxLockMs: 1_000, signal: new AbortController().signal, onWait: () => {} }
    expect(await cancelPartitioning(database.connection, ORDER, cancelling)).toBe(true)
    expect(await cancelPartitioning(database.connection, ORDER, cancelling)).toBe(false)
    expect(await guaranteesOf(ORDER)).toEqual(before)
    expect(await partitionTable(optionsOf(ORDER))).toMatchObject({ rows: String(ORDERS) })
  })

  test('wait for a transaction that holds the table, and let others write meanwhile', async () => {
    const holder = await connected()
    await holder.query(`BEGIN; SELECT FROM store."order" LIMIT 1`)
    let waits = 0
    const converted = partitionTable(
      optionsOf(ORDER, {
        maxLockMs: 100,
        progress: (phase) => {
          if (phase !== 'waiting') return
          waits += 1
          // Writes after an attempt to lock, then the end of the transaction that it waits for.
          if (waits === 3)
            void client.query('UPDATE store."order" SET total = total + 1 WHERE id = 9').then(() => holder.query('COMMIT'))
        },
      }),
    )
    expect(await converted).toMatchObject({ rows: String(ORDERS) })
    expect(waits).toBeGreaterThanOrEqual(3)
    const { rows } = await client.query('SELECT total::int AS total FROM store."order" WHERE id = 9')
    expect(rows).toEqual([{ total: 10 }])
  })

  test('before they take the place of a table: make no update wait for a line of its order', async () => {
    await interruptedAt('verifying')
    const other = await connected()
    await other.query(`BEGIN; INSERT INTO store.order_line (store_id, order_id, position, name, qty, price)
      SELECT store_id, id, 2, 'Tea', 1, 1 FROM store."order" WHERE id = 7`)
    await client.query(`SET lock_timeout = '2s'`)
    await client.query('UPDATE store."order" SET total = total + 1 WHERE id = 7')
    await other.query('COMMIT')
    // Columns of unique indexes change as well.
    await client.query(`UPDATE store."order" SET token = 'other' WHERE id = 7`)
    const { rows } = await client.query('SELECT total::int AS total, token FROM store_partitions."order" WHERE id = 7')
    expect(rows).toEqual([{ total: 8, token: 'other' }])
    expect(await partitionTable(optionsOf(ORDER))).toMatchObject({ rows: String(ORDERS) })
  })

  test('do not go on once a cancellation began, which goes on whatever it has removed', async () => {
    const cancel = () =>
      cancelPartitioning(database.connection, ORDER, { maxLockMs: 1_000, signal: new AbortController().signal, onWait: () => {} })
    await interruptedAt('indexing')
    // A transaction that holds the table keeps the cancellation from its end.
    const holder = await connected()
    await holder.query('BEGIN; LOCK TABLE store."order" IN ROW EXCLUSIVE MODE')
    const interruption = new AbortController()
    const canceled = cancelPartitioning(database.connection, ORDER, {
      ...{ maxLockMs: 100, signal: interruption.signal, onWait: () => interruption.abort() },
    })
    await expect(canceled).rejects.toThrow(/abort/i)
    await holder.query('COMMIT')
    await expect(partitionTable(optionsOf(ORDER))).rejects.toThrow('--cancel')
    const { rows: records } = await client.query('SELECT name, fingerprint, partitions FROM store_partitions.conversion')
    expect(await cancel()).toBe(true)
    // As if it had ended before its last statement.
    await client.query(`INSERT INTO store_partitions.conversion (name, fingerprint, partitions) VALUES ($1, $2, $3)`, [
      ...Object.values(records[0]),
    ])
    expect(await cancel()).toBe(true)
    expect(await partitionTable(optionsOf(ORDER))).toMatchObject({ rows: String(ORDERS) })
  })

  test('are interrupted while an index waits for a transaction that reads older rows', async () => {
    const reader = await connected()
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM store.store LIMIT 1')
    const interruption = new AbortController()
    const converted = partitionTable(optionsOf(ORDER, { signal: interruption.signal }))
    const interrupted = expect(converted).rejects.toThrow(/abort/i)
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'atrium partition'
      AND wait_event_type = 'Lock' AND query LIKE 'CREATE INDEX CONCURRENTLY%'`
    await expect.poll(async () => (await client.query(waiting)).rowCount, { timeout: 30_000 }).toBe(1)
    interruption.abort()
    await interrupted
    await reader.query('COMMIT')
    expect(await partitionTable(optionsOf(ORDER))).toMatchObject({ rows: String(ORDERS) })
  })

  test('get the indexes of later migrations, each beside writes', async () => {
    await partitionTable(optionsOf(ORDER))
    const unique = 'CREATE UNIQUE INDEX CONCURRENTLY order_once ON "order" (store_id, id, currency);\n'
    await buildIndexConcurrently(client, { schema: 'store', index: 'order_once', sql: unique })
    const { rows: once } = await client.query(
      `SELECT indisunique AND indisvalid AS "isWhole" FROM pg_index WHERE indexrelid = 'store.order_once'::regclass`,
    )
    expect(once).toEqual([{ isWhole: true }])
    const sql = '-- Why.\nCREATE INDEX CONCURRENTLY order_currency ON "order" (store_id, currency, id);\n'
    await buildIndexConcurrently(client, { schema: 'store', index: 'order_currency', sql })
    await buildIndexConcurrently(client, { schema: 'store', index: 'order_currency', sql })
    const { rows } = await client.query(
      `SELECT indrelid::regclass::text AS "table", indisvalid AS "isValid" FROM pg_index
       WHERE indexrelid = 'store.order_currency'::regclass OR indexrelid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'store.order_currency'::regclass)`,
    )
    expect(rows).toHaveLength(PARTITIONS + 1)
    expect(rows.every(({ isValid }) => isValid)).toBe(true)
  })

  test('are backed up with the rest, and restored as one table', async () => {
    await partitionTable(optionsOf(ORDER))
    const content = `SELECT count(*)::int AS count, md5(string_agg(id || ' ' || total, ',' ORDER BY id)) AS hash FROM store."order"`
    const { rows: before } = await client.query(content)
    const folder = mkdtempSync(join(tmpdir(), 'atrium-partitions-'))
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'backup.tar.gz')
    const none = { signal: new AbortController().signal, progress: () => {}, files: null }
    const report = await backUp({ connection: database.connection, file, ...none })
    expect(report.rows).toMatchObject({ 'store.order': ORDERS, 'store.order_line': ORDERS })
    const empty = await emptyDatabase()
    cleanups.push(empty.drop)
    await restoreInto(empty, file, false)
    const restored = new pg.Client(empty.connection)
    await restored.connect()
    expect((await restored.query(content)).rows).toEqual(before)
    await restored.end()
    // Also into a database whose table has partitions.
    await client.query('DELETE FROM store."order" WHERE store_id = 3')
    await client.end()
    await restoreInto(database, file, true)
    client = await connected()
    expect((await client.query(content)).rows).toEqual(before)
  })
})

const restoreInto = (to: FreshDatabase, file: string, force: boolean) =>
  restore({
    ...{ connection: to.connection, file, force, afterLoad: [], progress: () => {}, signal: new AbortController().signal },
    files: { write: async () => {}, commit: async () => {}, discard: async () => {} } as never,
    extraSchemas: ['store_partitions', 'store_unpartitioned'],
  })
