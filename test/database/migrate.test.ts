import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { concurrentIndexOf } from '../../platform/database/concurrent-index.ts'
import type { Connection } from '../../platform/database/database.ts'
import { migrate, migrationStatus, readMigrations, runMigration } from '../../platform/database/migrate.ts'
import { emptyDatabase, freshDatabase } from '../support/database.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function anEmptyDatabase(): Promise<Connection> {
  const { connection, drop } = await emptyDatabase()
  cleanups.push(drop)
  return connection
}

/** A folder of migrations: `{ 'shop/1_products': 'CREATE TABLE …' }`. */
function migrations(files: Readonly<Record<string, string>>): { folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-migrations-'))
  cleanups.push(() => rmSync(folder, { recursive: true }))
  for (const [file, sql] of Object.entries(files)) {
    const [subgraph = '', name = ''] = file.split('/')
    mkdirSync(join(folder, subgraph, 'migrations', name), { recursive: true })
    writeFileSync(join(folder, subgraph, 'migrations', name, 'migration.sql'), sql)
  }
  return { folder }
}

async function ask(connection: Connection, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ ...connection })
  await client.connect()
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

const SCHEMAS = `SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_|^information_schema$' ORDER BY nspname`

test('our own migrations apply to an empty database, and a second run finds nothing to do', async () => {
  const { connection, drop } = await freshDatabase()
  cleanups.push(drop)
  const { applied, unchanged } = await migrate(connection)
  expect(applied).toEqual([])
  expect(unchanged.length).toBeGreaterThan(0)
  expect((await migrationStatus(connection)).map(({ state }) => state)).toEqual(unchanged.map(() => 'applied'))
})

test('several processes that migrate one empty database at once apply every migration exactly once', async () => {
  const connection = await anEmptyDatabase()
  const files = migrations({
    'shop/1_a': 'CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public; CREATE TABLE product (id int)',
    'shop/2_b': 'INSERT INTO product VALUES (1)',
    'trust/1_a': 'CREATE TABLE verdict (id int)',
  })
  const reports = await Promise.all(Array.from({ length: 6 }, () => migrate(connection, files)))
  expect(reports.flatMap(({ applied }) => applied)).toEqual(['shop/1_a', 'shop/2_b', 'trust/1_a'])
  expect(await ask(connection, 'SELECT id FROM shop.product')).toEqual([1])
})

test('tables go to the schema of their subgraph, and the record of a file is the hash of its bytes', async () => {
  const connection = await anEmptyDatabase()
  await migrate(connection, migrations({ 'shop/1_a': 'CREATE TABLE product (id int)' }))
  expect(await ask(connection, SCHEMAS)).toEqual(['public', 'shop'])
  expect(await ask(connection, 'SELECT migration_name, checksum FROM shop._prisma_migrations')).toEqual([
    '1_a',
    '7bbf2f2a1d9f9f2b17c275443522dcd89a8fbdde40b1fd1e679cc4d4b6182bf8',
  ])
})

test('a migration that fails leaves nothing of itself, keeps those before it, and is named with the reason', async () => {
  const connection = await anEmptyDatabase()
  const files = { 'shop/1_a': 'CREATE TABLE product (id int)', 'shop/2_b': 'CREATE TABLE half (id int); SELECT 1/0' }
  await expect(migrate(connection, migrations(files))).rejects.toThrow(
    'Migration shop/2_b failed and was rolled back: division by zero.',
  )
  expect(await ask(connection, `SELECT to_regclass('shop.product') IS NOT NULL, to_regclass('shop.half') IS NOT NULL`)).toEqual([
    true,
    false,
  ])

  const { applied } = await migrate(connection, migrations({ ...files, 'shop/2_b': 'CREATE TABLE half (id int)' }))
  expect(applied).toEqual(['shop/2_b'])
})

test('a migration that locks tables in another order than a server that writes meanwhile is applied', async () => {
  const connection = await anEmptyDatabase()
  const files = { 'shop/1_a': 'CREATE TABLE first (id int); CREATE TABLE last (id int)' }
  await migrate(connection, migrations(files))
  const [writer, gate] = [new pg.Client({ ...connection }), new pg.Client({ ...connection })]
  for (const client of [writer, gate]) {
    await client.connect()
    cleanups.push(() => client.end())
  }
  const waiting = async (table: string) =>
    (await gate.query('SELECT 1 FROM pg_locks WHERE NOT granted AND relation = $1::regclass', [table])).rowCount
  const held = async (table: string) =>
    (await gate.query('SELECT 1 FROM pg_locks WHERE granted AND relation = $1::regclass', [table])).rowCount
  await gate.query('SELECT pg_advisory_lock(7)')
  // The migration is the one that finds the deadlock, and is its victim.
  await writer.query(`SET deadlock_timeout = '5min'; BEGIN; LOCK TABLE shop.last`)
  const locks = 'LOCK TABLE first; SELECT pg_advisory_xact_lock(7); LOCK TABLE last; ALTER TABLE last ADD name text'
  const migrating = migrate(connection, migrations({ ...files, 'shop/2_b': locks }))
  await expect.poll(() => held('shop.first')).toBe(1)
  const written = writer.query('LOCK TABLE shop.first')
  await expect.poll(() => waiting('shop.first')).toBe(1)
  await gate.query('SELECT pg_advisory_unlock(7)')
  await written
  await writer.query('COMMIT')
  expect((await migrating).applied).toEqual(['shop/2_b'])
})

describe('an index that is built concurrently', () => {
  const TABLE = { 'shop/1_a': 'CREATE TABLE product (id int); INSERT INTO product VALUES (1), (2)' }
  const INDEX = '-- For the catalogue.\nCREATE INDEX CONCURRENTLY "product_id" ON "product" ("id");\n'
  const FILES = { ...TABLE, 'shop/2_b': INDEX, 'shop/3_c': 'SELECT pg_advisory_xact_lock(7); ALTER TABLE product ADD name text' }
  const isValid = (connection: Connection) =>
    ask(connection, `SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('shop.product_id')`)
  const BUILDING = `SELECT phase FROM pg_stat_progress_create_index WHERE datname = current_database()`

  /**
   * Processes that wait for the lock: `polled` resolves when each of `count` has tried twice to take
   * it, and `pass` lets more than the minute pass that they wait. Otherwise their clock stands still.
   */
  function waiting(count: number) {
    vi.useFakeTimers({ toFake: ['Date'] })
    const queries = vi.spyOn(pg.Client.prototype, 'query')
    cleanups.push(() => {
      vi.useRealTimers()
      queries.mockRestore()
    })
    const polled = async () => {
      queries.mockClear()
      const tries = () => {
        const clients = queries.mock.calls.flatMap(([text], at) =>
          String(text).startsWith('SELECT pg_try_advisory_lock') ? [queries.mock.contexts[at]] : [],
        )
        return [...Map.groupBy(clients, (client) => client).values()].filter(({ length }) => length > 1).length
      }
      await expect.poll(tries).toBe(count)
    }
    return { polled, pass: () => vi.setSystemTime(Date.now() + 61_000) }
  }

  /** A database whose index waits for a transaction that has written, and that `end` commits. */
  async function aBuild() {
    const connection = await anEmptyDatabase()
    await migrate(connection, migrations(TABLE))
    const writer = new pg.Client({ ...connection })
    await writer.connect()
    cleanups.push(() => writer.end())
    await writer.query('BEGIN; INSERT INTO shop.product VALUES (3)')
    const migrating = migrate(connection, migrations(FILES))
    // Seen to fail below, or awaited.
    migrating.catch(() => {})
    await expect.poll(() => ask(connection, BUILDING)).toEqual(['waiting for writers before build'])
    return { connection, migrating, end: () => writer.query('COMMIT') }
  }

  test('lets others write meanwhile, and processes that start then wait for it and for what follows', async () => {
    const { connection, migrating, end } = await aBuild()
    const gate = new pg.Client({ ...connection })
    await gate.connect()
    cleanups.push(() => gate.end())
    await gate.query('SELECT pg_advisory_lock(7)')
    await ask(connection, 'INSERT INTO shop.product VALUES (4)')
    const { polled, pass } = waiting(2)
    const others = [1, 2].map(() => migrate(connection, migrations(FILES)))
    // Each may fail before it is awaited.
    for (const other of others) other.catch(() => {})
    await polled()
    pass()
    await polled()
    await end()
    const NEXT = `SELECT wait_event FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_advisory_xact_lock(7)%'
      AND pid <> pg_backend_pid()`
    await expect.poll(() => ask(connection, NEXT)).toEqual(['advisory'])
    await polled()
    await gate.query('SELECT pg_advisory_unlock(7)')
    expect((await migrating).applied).toEqual(['shop/2_b', 'shop/3_c'])
    for (const other of others) expect((await other).applied).toEqual([])
    expect(await isValid(connection)).toEqual([true])
    expect(await ask(connection, 'SELECT count(*)::int FROM shop.product')).toEqual([4])
  })

  test('that was interrupted is dropped and built again while others wait, and the migrations behind it follow', async () => {
    const { connection, migrating, end } = await aBuild()
    await ask(
      connection,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'atrium migrate' AND datname = current_database()`,
    )
    await expect(migrating).rejects.toThrow('Migration shop/2_b failed')
    expect(await isValid(connection)).toEqual([false])
    // It is dropped when the transaction that has written ends.
    const resumed = migrate(connection, migrations(FILES))
    resumed.catch(() => {})
    const DROPPING = `SELECT state FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'DROP INDEX CONCURRENTLY%'`
    await expect.poll(() => ask(connection, DROPPING)).toEqual(['active'])
    const { polled, pass } = waiting(1)
    const other = migrate(connection, migrations(FILES))
    other.catch(() => {})
    await polled()
    pass()
    await polled()
    await end()
    expect((await resumed).applied).toEqual(['shop/2_b', 'shop/3_c'])
    expect((await other).applied).toEqual([])
    expect(await isValid(connection)).toEqual([true])
  })

  test('is found again by the name that PostgreSQL gave it', async () => {
    const connection = await anEmptyDatabase()
    const files = migrations({ ...TABLE, 'shop/2_b': 'CREATE INDEX CONCURRENTLY Product_ID ON product (id)' })
    await migrate(connection, migrations(TABLE))
    await ask(connection, 'CREATE INDEX product_id ON shop.product (id)')
    expect((await migrate(connection, files)).applied).toEqual(['shop/2_b'])
  })

  test('that was complete when its process died is only recorded', async () => {
    const connection = await anEmptyDatabase()
    await migrate(connection, migrations(TABLE))
    await ask(connection, 'CREATE INDEX product_id ON shop.product (id)')
    const [before] = await ask(connection, `SELECT 'shop.product_id'::regclass::oid`)
    expect((await migrate(connection, migrations(FILES))).applied).toEqual(['shop/2_b', 'shop/3_c'])
    expect(await ask(connection, `SELECT 'shop.product_id'::regclass::oid`)).toEqual([before])
  })

  test('that cannot be built leaves nothing of itself', async () => {
    const connection = await anEmptyDatabase()
    const files = {
      'shop/1_a': 'CREATE TABLE product (id int); INSERT INTO product VALUES (1), (1)',
      'shop/2_b': INDEX.replace('INDEX', 'UNIQUE INDEX'),
    }
    await expect(migrate(connection, migrations(files))).rejects.toThrow(
      'Migration shop/2_b failed and was rolled back: could not create unique index',
    )
    expect(await isValid(connection)).toEqual([])
    expect((await migrationStatus(connection, migrations(files))).map(({ state }) => state)).toEqual(['applied', 'pending'])
  })

  test('is built in the transaction of a restore', async () => {
    const connection = await anEmptyDatabase()
    await migrate(connection, migrations(TABLE))
    const client = new pg.Client({ ...connection })
    await client.connect()
    cleanups.push(() => client.end())
    await client.query('BEGIN')
    const [migration] = readMigrations(migrations({ 'shop/2_b': INDEX }).folder)
    if (migration) await runMigration(client, migration)
    await client.query('COMMIT')
    expect(await isValid(connection)).toEqual([true])
  })

  test.each([
    ['a comment and a name without quotes', '-- x;\n-- y\ncreate unique index concurrently a_b on t (x) where x > 0', 'a_b'],
    ['a name in quotes', 'CREATE INDEX CONCURRENTLY "A_b" ON t (x)', 'A_b'],
    ['capitals without quotes', 'CREATE INDEX CONCURRENTLY A_b ON t (x)', 'a_b'],
    ['two statements', 'CREATE INDEX CONCURRENTLY a ON t (x); CREATE INDEX CONCURRENTLY b ON t (y);', null],
    ['a blocking one', 'CREATE INDEX a ON t (x)', null],
    ['a statement before it', 'SELECT 1; CREATE INDEX CONCURRENTLY a ON t (x)', null],
    ['a comment of one', '-- CREATE INDEX CONCURRENTLY a ON t (x)\nSELECT 1', null],
  ])('is recognized by its statement: %s', (_, sql, name) => {
    expect(concurrentIndexOf(sql)).toBe(name)
  })
})

test('a lock that another process holds without building an index ends the attempt', async () => {
  const connection = await anEmptyDatabase()
  const holder = new pg.Client({ ...connection })
  await holder.connect()
  cleanups.push(() => holder.end())
  await holder.query('SELECT pg_advisory_lock($1)', [0x61747269756d])
  await expect(migrate(connection, { ...migrations({ 'shop/1_a': 'SELECT 1' }), lockTimeoutMs: 0 })).rejects.toThrow(
    /^Another process has been migrating this database/,
  )
})

test('a database that a newer version migrated is refused, untouched', async () => {
  const connection = await anEmptyDatabase()
  await migrate(connection, migrations({ 'shop/1_a': 'SELECT 1', 'shop/3_newer': 'SELECT 1' }))
  const older = migrations({ 'shop/1_a': 'SELECT 1', 'shop/2_b': 'CREATE TABLE late (id int)' })
  await expect(migrate(connection, older)).rejects.toThrow(
    /^The database is newer than this program: it has migration shop\/3_newer,/,
  )
  expect(await ask(connection, `SELECT to_regclass('shop.late')`)).toEqual([null])
  expect((await migrationStatus(connection, older)).map(({ name, state }) => [name, state])).toEqual([
    ['1_a', 'applied'],
    ['2_b', 'pending'],
    ['3_newer', 'unknown'],
  ])
})

test('a migration that was edited after it had been applied is refused', async () => {
  const connection = await anEmptyDatabase()
  await migrate(connection, migrations({ 'shop/1_a': 'SELECT 1' }))
  await expect(migrate(connection, migrations({ 'shop/1_a': 'SELECT 2' }))).rejects.toThrow(
    /^Migration shop\/1_a was edited after it had been applied/,
  )
})

test('migration status of an empty database changes nothing in it', async () => {
  const connection = await anEmptyDatabase()
  const status = await migrationStatus(connection, migrations({ 'shop/1_a': 'SELECT 1' }))
  expect(status).toEqual([{ subgraph: 'shop', name: '1_a', state: 'pending', appliedAt: null }])
  expect(await ask(connection, SCHEMAS)).toEqual(['public'])
})
