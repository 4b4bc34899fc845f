import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PARTITIONABLE_TABLES } from '../../cli/partition.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { atrium } from './support/atrium.ts'

let database: FreshDatabase
const run = (...words: string[]) => atrium({ connection: database.connection, filesDir: '/nowhere' }, 'db', 'partition', ...words)
beforeAll(async () => {
  database = await freshDatabase({ hasStore: true })
  const client = new pg.Client(database.connection)
  await client.connect()
  await client.query(`
    INSERT INTO store."order" (store_id, status, currency, subtotal, total, customer, token, search_key, created_at, updated_at)
    SELECT id, 'PAID', 'EUR', 1, 1, '{}', 'token' || number, '', now(), now() FROM store.store, generate_series(1, 3) AS number`)
  await client.end()
})
afterAll(() => database.drop())

test('atrium db partition names tables that it cannot divide, and numbers that are none', async () => {
  expect(await run('audit_entry')).toMatchObject({ code: 1, err: expect.stringContaining('Expected one of order, order_line') })
  expect(await run('order', '--partitions', '1')).toMatchObject({ code: 2, err: expect.stringContaining('from 2 to 256') })
  expect(await run('order', '--max-lock', 'soon')).toMatchObject({ code: 2, err: expect.stringContaining('from 20 to 1000') })
  expect(await run('order', '--cancel')).toMatchObject({ code: 0, out: 'There is no unfinished conversion of order.\n' })
})

test('atrium db partition divides a table, once', async () => {
  const { code, out } = await run('order', '--partitions', '3', '--max-lock', '1000', '--json')
  expect({ code, report: JSON.parse(out) }).toMatchObject({ code: 0, report: { table: 'order', rows: '3', partitions: 3 } })
  expect(await run('order')).toMatchObject({ code: 1, err: expect.stringContaining('store.order has partitions already') })
  expect(await run('payment', '--partitions', '2', '--max-lock', '1000')).toMatchObject({
    code: 0,
    out: expect.stringContaining('Divided payment: 0 rows in 2 partitions'),
  })
})

test('atrium db partition divides each table that it names, whose numbers go on', async () => {
  const client = new pg.Client(database.connection)
  await client.connect()
  for (const table of PARTITIONABLE_TABLES.filter((name) => name !== 'order' && name !== 'payment')) {
    expect(await run(table, '--partitions', '2', '--max-lock', '1000')).toMatchObject({ code: 0, err: '' })
  }
  const { rows } = await client.query(
    `SELECT relname FROM pg_class WHERE relkind = 'S' AND relnamespace::regnamespace::text IN ('store_partitions', 'store_unpartitioned')`,
  )
  expect(rows).toEqual([])
  await client.end()
})
