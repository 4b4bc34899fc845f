import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runAtrium } from '../support/command-line.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'

let database: FreshDatabase
let folder: string
beforeAll(async () => {
  database = await freshDatabase()
  folder = mkdtempSync(join(tmpdir(), 'atrium-store-records-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await database.drop()
})

/** Runs `npx atrium store …` with this standard input, to its end. */
async function store(words: readonly string[], input?: string) {
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    DATABASE_URL: (database.connection as { connectionString: string }).connectionString,
    FILES_DIR: folder,
    LOG_LEVEL: 'error',
  }
  const { code, ...texts } = await runAtrium(['store', ...words], env, input)
  return { ...texts, status: code }
}

/** Rows of a statement. */
async function sql(text: string, values: readonly unknown[] = []) {
  const client = new pg.Client({ ...database.connection })
  await client.connect()
  try {
    return (await client.query(text, [...values])).rows
  } finally {
    await client.end()
  }
}

const CSV = 'Handle,Title,Variant Price\ncup,Cup,5\nbowl,Bowl,-1\n'

test('a store is filled from standard input, and exported to standard output and into a file', async () => {
  for (const name of ['First shop', 'Second shop']) expect((await store(['create', '--name', name, '--empty'])).status).toBe(0)
  const { out } = await store(['list', '--json'])
  const [first = '', second = ''] = JSON.parse(out).map(({ code }: { code: string }) => code)
  const dry = await store(['import', first, '-', '--dry-run'], CSV)
  expect(dry).toMatchObject({ status: 0 })
  expect(dry.out).toContain('1 would be created, 0 would be updated, 0 skipped, 1 with errors.')
  const imported = await store(['import', first, '-', '--json'], CSV)
  const report = JSON.parse(imported.out)
  expect(report).toMatchObject({
    ...{ status: 'COMPLETED', created: 1, failed: 1 },
    errors: [{ row: 3, column: 'Variant Price', message: expect.stringContaining('"-1"') }],
  })
  const exported = await store(['export', first, '-', '--kind', 'products', '--format', 'jsonl'])
  expect(JSON.parse(exported.out)).toMatchObject({ permalink: 'cup', name: 'Cup', price: '5' })
  const file = join(folder, 'products.jsonl')
  writeFileSync(file, exported.out)
  expect(await store(['import', second, file])).toMatchObject({ status: 0, out: expect.stringContaining('1 created') })
  const copy = join(folder, 'copy.jsonl')
  expect((await store(['export', second, copy, '--kind', 'products'])).status).toBe(0)
  expect(readFileSync(copy, 'utf8')).toBe(exported.out)
  // Nothing is overwritten.
  expect(await store(['export', second, copy, '--kind', 'products'])).toMatchObject({
    status: 1,
    err: expect.stringContaining('does not exist yet'),
  })
  const orders = `Name,Financial Status,Currency,Total,Created at,Lineitem quantity,Lineitem name,Lineitem price
#1001,paid,EUR,10,2024-01-01T00:00:00Z,1,Mug,10
#1002,paid,EUR,11,2024-01-01T00:00:00Z,1,Mug,10
`
  for (const counts of ['1 created, 0 updated, 0 skipped, 1 with errors', '0 created, 0 updated, 1 skipped, 1 with errors']) {
    const ran = await store(['import', second, '-', '--kind', 'orders', '--source', 'shopify'], orders)
    expect(ran).toMatchObject({ status: 0, out: expect.stringContaining(counts) })
    expect(ran.out).toContain('row 3, Total:')
  }
  expect((await store(['import', second, '-', '--source', 'shopify'], CSV)).err).toContain('only an import of ORDERS has it')
  expect((await store(['import', second, '-'], 'PK\u0003\u0004')).status).toBe(1)
  expect((await store(['import', 'nothing', '-'], CSV)).err).toContain('There is no store with the code "nothing"')
  expect((await store(['import', first])).status).toBe(2)
  expect((await store(['import', first, '--resume', '999'])).err).toContain('There is no import with the number 999')
}, 120_000)

test('webhooks of an import are planned with it, and a server delivers them', async () => {
  const created = await store(['create', '--name', 'Hooked shop', '--empty', '--json'])
  const { code } = JSON.parse(created.out)
  await sql(
    `INSERT INTO store.webhook_subscription (store_id, event, url, created_at, updated_at)
     SELECT id, 'product_created', 'https://receiver.invalid/', now(), now() FROM store.store WHERE code = $1`,
    [code],
  )
  expect(await store(['import', code, '-'], CSV)).toMatchObject({ status: 0 })
  const planned = await sql(
    `SELECT delivery.event, delivery.status, job.state FROM store.webhook_delivery AS delivery
     JOIN store.store ON store.id = delivery.store_id AND store.code = $1
     JOIN store_jobs.job AS job ON (job.data ->> 'deliveryId')::bigint = delivery.id`,
    [code],
  )
  expect(planned).toEqual([{ event: 'product_created', status: 'waiting', state: 'created' }])
}, 120_000)

test('an import whose file did not arrive whole is ended, and cannot be resumed', async () => {
  const created = await store(['create', '--name', 'Broken shop', '--empty', '--json'])
  const { code } = JSON.parse(created.out)
  const missing = await store(['import', code, join(folder, 'nothing.csv')])
  expect(missing).toMatchObject({ status: 1, err: expect.stringContaining('nothing.csv": ENOENT.') })
  expect(missing.err).not.toContain('node:events')
  expect(await store(['import', code, '-'])).toMatchObject({ status: 1 })
  const imports = await sql(
    'SELECT import.status FROM store.store_import AS import JOIN store.store ON store.id = import.store_id WHERE store.code = $1',
    [code],
  )
  expect(imports).toEqual([{ status: 'CANCELED' }])
  const [left] = await sql(
    `INSERT INTO store.store_import (store_id, kind, format, created_at)
     SELECT id, 'PRODUCTS', 'CSV', now() FROM store.store WHERE code = $1 RETURNING id`,
    [code],
  )
  expect(await store(['import', code, '--resume', String(left.id)])).toMatchObject({
    status: 1,
    err: expect.stringContaining('only a part of its file'),
  })
}, 120_000)
