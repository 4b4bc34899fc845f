import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import type { Connection } from '../../platform/database/database.ts'
import { migrate, migrationStatus } from '../../platform/database/migrate.ts'
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
