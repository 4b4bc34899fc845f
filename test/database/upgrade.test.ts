import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MigrationReport, migrate, readMigrations } from '../../platform/database/migrate.ts'
import { emptyDatabase, type FreshDatabase } from '../support/database.ts'

/** The last migrations before which data is written: orders, returns, staff and audit log; price lists. */
const [BEFORE_TRANSFERS, BEFORE_LOW_STOCK] = ['20261202020010', '20261203020010']
const SCHEMAS = ['store', 'social'] as const

type Row = Readonly<Record<string, unknown>>
type Tables = Readonly<Record<string, readonly Row[]>>

let database: FreshDatabase
let client: pg.Client
let before: Tables
let report: MigrationReport
beforeAll(async () => {
  database = await emptyDatabase()
  await migrateUntil(BEFORE_TRANSFERS)
  client = new pg.Client({ ...database.connection })
  await client.connect()
  await client.query(PEOPLE)
  await client.query(SHOP)
  await client.query(AUDITED)
  await migrateUntil(BEFORE_LOW_STOCK)
  await client.query(PRICE_LISTS)
  before = await allRows()
  report = await migrate(database.connection)
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

/** Applies migrations with names up to this one, as the release of that day had them. */
async function migrateUntil(last: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-upgrade-'))
  for (const { subgraph, name } of readMigrations()) {
    const path = join(subgraph, 'migrations', name)
    mkdirSync(join(folder, subgraph, 'migrations'), { recursive: true })
    if (name.slice(0, last.length) <= last)
      cpSync(join(import.meta.dirname, '../../prisma', path), join(folder, path), { recursive: true })
  }
  await migrate(database.connection, { folder })
  rmSync(folder, { recursive: true })
}

const PEOPLE = `
  INSERT INTO social."user" (email, email_key, name, name_key, role) VALUES ('ana@example.org', 'ana@example.org', 'Ana', 'ana', 'USER');
  INSERT INTO social.post (author_id, title, content) SELECT id, title, 'Text' FROM social."user", unnest('{Busy,Quiet}'::text[]) AS title;
  INSERT INTO social.comment (post_id, author_id, content)
    SELECT post.id, author_id, 'Comment ' || number FROM social.post, generate_series(1, 3) AS number WHERE title = 'Busy'`

/** A shop with orders in several states, a return of one that was paid back, and a staff. */
const SHOP = `
  SET search_path = store, public;
  INSERT INTO store (code, name, email, currency, country, timezone, hooks_token, created_at, updated_at)
    VALUES ('pots', 'Pots', 'owner@example.org', 'EUR', 'PT', 'Europe/Lisbon', repeat('x', 32), '2026-11-01Z', '2026-11-02Z');
  INSERT INTO product (store_id, name, price, permalink, stock, stock_notification, stock_threshold, created_at, updated_at)
    SELECT store.id, title, 12.5, lower(title), 7, true, 3, '2026-11-01Z', '2026-11-01Z' FROM store, unnest('{Cup,Bowl}'::text[]) AS title;
  INSERT INTO product_variant (store_id, product_id, price, combination, stock, created_at, updated_at)
    SELECT store_id, id, 14, '', 2, created_at, updated_at FROM product WHERE name = 'Bowl';
  INSERT INTO customer (store_id, email, email_key, search_key, created_at, updated_at)
    SELECT id, 'ana@example.org', 'ana@example.org', 'ana@example.org', '2026-11-03Z', '2026-11-03Z' FROM store;
  INSERT INTO "order" (store_id, status, currency, subtotal, total, customer, token, search_key, created_at, updated_at, completed_at, refunded)
    SELECT store.id, status, 'EUR', 25, 25, '{"email": "ana@example.org"}', 'token-' || place, 'ana', '2026-11-05Z', '2026-11-06Z', '2026-11-05Z',
      CASE WHEN place = 1 THEN 12.5 ELSE 0 END
    FROM store, unnest('{PAID,PENDING_PAYMENT,CANCELED}'::text[]) WITH ORDINALITY AS state (status, place);
  INSERT INTO order_line (store_id, order_id, position, product_id, name, qty, price, subtotal, total)
    SELECT "order".store_id, "order".id, 1, product.id, 'Cup', 2, 12.5, 25, 25 FROM "order" JOIN product ON product.name = 'Cup';
  INSERT INTO ledger_entry (store_id, order_id, kind, amount, currency, created_at)
    SELECT store_id, id, kind, amount, 'EUR', '2026-11-05Z' FROM "order", (VALUES ('PAYMENT', 25), ('REFUND', -12.5)) AS entry (kind, amount)
    WHERE status = 'PAID';
  INSERT INTO order_return (store_id, order_id, status, requested_by, created_at, updated_at)
    SELECT store_id, id, 'RECEIVED', 'CUSTOMER', '2026-11-07Z', '2026-11-08Z' FROM "order" WHERE status = 'PAID';
  INSERT INTO order_return_line (store_id, return_id, order_line_id, quantity, reason, received, restock)
    SELECT returned.store_id, returned.id, line.id, 1, 'DEFECTIVE', 1, 'RESTOCK' FROM order_return AS returned
    JOIN order_line AS line ON line.store_id = returned.store_id AND line.order_id = returned.order_id;
  INSERT INTO staff_member (store_id, user_id, role, invited_at, accepted_at)
    SELECT id, 'user-' || role, role, '2026-11-01Z', '2026-11-02Z' FROM store, unnest('{MANAGER,SUPPORT}'::text[]) AS role`

/** Changes that the audit log has. */
const AUDITED = `
  BEGIN;
  SET LOCAL search_path = store, public;
  SET LOCAL atrium.audit_entry = '{"at": "2026-11-09T10:00:00Z", "actor": "USER", "userId": "user-MANAGER", "role": "MANAGER", "operation": "updateProduct"}';
  UPDATE product SET price = 13 WHERE name = 'Cup';
  UPDATE product SET price = 15 WHERE name = 'Bowl';
  COMMIT`

const PRICE_LISTS = `
  SET search_path = store, public;
  INSERT INTO price_list (store_id, name, adjustment_percent, created_at, updated_at) SELECT id, 'Trade', -10, '2026-11-10Z', '2026-11-10Z' FROM store;
  INSERT INTO price_list_price (store_id, price_list_id, product_id, minimum_quantity, price)
    SELECT product.store_id, price_list.id, product.id, minimum, 9.9 FROM product JOIN price_list USING (store_id), unnest('{1,10}'::int[]) AS minimum
    WHERE product.name = 'Cup'`

/** All rows of all tables. */
async function allRows(): Promise<Tables> {
  const { rows: tables } = await client.query<{ table: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS "table" FROM pg_tables WHERE schemaname = ANY ($1) AND tablename <> '_prisma_migrations'`,
    [SCHEMAS],
  )
  const all: Record<string, readonly Row[]> = {}
  for (const { table } of tables)
    all[table] = (await client.query<{ row: Row }>(`SELECT to_jsonb(each) AS row FROM ${table} AS each`)).rows.map(
      ({ row }) => row,
    )
  return all
}

/** Rows with these columns only, in an order that the rows themselves give. */
const withColumns = (rows: readonly Row[], columns: readonly string[]) =>
  rows.map((row) => JSON.stringify(columns.map((column) => [column, row[column]]))).toSorted()

const valuesOf = async (text: string) => (await client.query({ text, rowMode: 'array' })).rows

test('a shop with data is upgraded by the newest migrations, of which some are pending', () => {
  expect(report.applied).toEqual(
    expect.arrayContaining([
      'social/20261204050020_post_comment_counts',
      'store/20261204010000_low_stock',
      'store/20261204010001_audit_entry_actor',
      'store/20261204020000_order_import',
    ]),
  )
  for (const table of [
    '"order"',
    'order_line',
    'order_return',
    'order_return_line',
    'staff_member',
    'audit_entry',
    'price_list',
    'price_list_price',
  ])
    expect([table, (before[`store.${table}`]?.length ?? 0) > 0]).toEqual([table, true])
})

test('every row and every value from before is there, in every table', async () => {
  const after = await allRows()
  for (const [table, rows] of Object.entries(before)) {
    const columns = Object.keys(rows[0] ?? {})
    expect([table, withColumns(after[table] ?? [], columns)]).toEqual([table, withColumns(rows, columns)])
  }
})

test('what is new has the meaning that data from before had', async () => {
  expect(await valuesOf('SELECT is_sample, low_stock_alerts FROM store.store')).toEqual([[false, true]])
  expect(await valuesOf('SELECT DISTINCT low_stock_email FROM store.staff_member')).toEqual([[null]])
  expect(await valuesOf('SELECT count(*)::int FROM store.imported_order')).toEqual([[0]])
  expect(await valuesOf('SELECT title, comment_count, like_count FROM social.post ORDER BY title')).toEqual([
    ['Busy', 3, 0],
    ['Quiet', 0, 0],
  ])
})

test('triggers of the newest migrations hold for rows from before', async () => {
  await client.query(`
    BEGIN;
    SET LOCAL search_path = store, public;
    SET LOCAL atrium.audit_entry = '{"at": "2026-12-01T10:00:00Z", "actor": "AUTHTOKEN", "operation": "updateProduct"}';
    UPDATE product SET stock = 1, price = 13.5 WHERE name = 'Cup';
    COMMIT`)
  expect(await valuesOf('SELECT product.name FROM store.low_stock_item JOIN store.product ON product.id = product_id')).toEqual([
    ['Cup'],
  ])
  expect(await valuesOf('SELECT actor, count(*)::int FROM store.audit_entry GROUP BY actor ORDER BY actor')).toEqual([
    ['AUTHTOKEN', 1],
    ['USER', 2],
  ])
  await client.query(`INSERT INTO social.comment (post_id, author_id, content) SELECT id, author_id, 'Late' FROM social.post`)
  expect(await valuesOf('SELECT comment_count FROM social.post ORDER BY title')).toEqual([[4], [1]])
})
