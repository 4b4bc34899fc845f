import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askRaw } from '../rest-facade/ask.ts'
import { freshDatabase } from '../support/database.ts'
import { atrium, type Running, type Surroundings, startAtrium } from './support/atrium.ts'

const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** What must be nowhere: each is in no other text of this test. */
const ANN = {
  email: 'Ann.Quixby@Example.org',
  name: 'Annabel',
  surname: 'Quixby',
  phone: '+351919293949',
  street: 'Rua do Sumiço 7',
}

const cleanups: (() => unknown)[] = []
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

type Shop = { readonly code: string; readonly login: string; readonly authtoken: string }

let surroundings: Surroundings
let running: Running
let client: pg.Client
let [shop, other]: [Shop, Shop] = [] as never
let ann: string
let token: string
const orders: number[] = []
let untouched: number

beforeAll(async () => {
  const { connection, drop } = await freshDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'atrium-erasure-'))
  surroundings = { connection, filesDir: join(folder, 'files') }
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }), drop)
  client = new pg.Client({ ...connection })
  await client.connect()
  cleanups.push(() => client.end())
  ;[shop, other] = (await Promise.all(['Corner', 'Other one'].map((name) => aShop(name)))) as [Shop, Shop]
  running = await startAtrium(surroundings)
  cleanups.push(running.stop)

  const { createUser } = await graph(
    `mutation { createUser(input: { email: "${ANN.email}", name: "${ANN.name} ${ANN.surname}", password: "correct horse", phoneNumber: "${ANN.phone}" }) { user { id } } }`,
  )
  ann = createUser.user.id
  await graph(`mutation { login(email: "${ANN.email}", password: "wrong horse") { __typename } }`)
  token = (await graph(`mutation { login(email: "${ANN.email}", password: "correct horse") { ... on LoginSuccess { token } } }`))
    .login.token
  await graph(
    `mutation { createPost(input: { title: "By ${ANN.name}", content: "Write to ${ANN.email}" }) { __typename } }`,
    token,
  )
  await graph(`mutation { createItemCollection(input: { name: "Kit of ${ANN.name}", itemId: "an-item" }) { __typename } }`, token)
  const { createRoom } = await graph(
    `mutation { createRoom(name: "Room of ${ANN.name}") { ... on CreateRoomSuccess { room { id } } } }`,
    token,
  )
  await graph(`mutation { sendMessage(roomId: "${createRoom.room.id}", text: "Call ${ANN.phone}") { __typename } }`, token)
  await graph(`mutation { createTrustKey(name: "Agent of ${ANN.name}") { __typename } }`, token)
  expect((await atrium(surroundings, 'store', 'owner', other.code, ann)).code).toBe(0)
  await client.query(
    `INSERT INTO store.staff_member (store_id, user_id, email, low_stock_email, role, invited_at, expires_at, accepted_at, secret_hash)
     SELECT store.id, rest.* FROM store.store, (VALUES ($2, NULL, 'desk@example.org', 'SUPPORT', now(), NULL, now(), NULL), (NULL, $3, NULL, 'MANAGER', now(), now() + interval '1 day', NULL, 'x'::bytea),
       ('somebody', NULL, $4, 'SUPPORT', now(), NULL, now(), NULL)) AS rest WHERE store.code = $1`,
    [shop.code, ann, ANN.email.toLowerCase(), ANN.email],
  )

  for (const where of [shop, other]) {
    for (const event of ['customer_created', 'order_created', 'fulfillment_created'])
      await rest(where, '/hooks.json', { hook: { event, url: `https://receiver.invalid/${event}` } })
    const product = (await rest(where, '/products.json', { product: { name: 'Lamp', price: 12.5, stock: 100 } })).product
    await rest(where, `/products/${product.id}/images.json`, { image: { url: PICTURE } })
    orders.push(await anOrder(where, product.id))
    if (where === shop)
      untouched = (
        await rest(where, '/orders.json', {
          order: { status: 'Paid', products: [{ id: product.id, qty: 3 }], customer: { email: 'bob@example.org' } },
        })
      ).order.id
    // What could not be imported is cited with its reason.
    const file = join(folder, `${where.code}.csv`)
    writeFileSync(file, `Email,First Name,Accepts Email Marketing\n${ANN.email},${ANN.name},${ANN.email}\n`)
    expect((await atrium(surroundings, 'store', 'import', where.code, file, '--kind', 'customers')).code).toBe(0)
    writeFileSync(file, `Name,Email,Financial Status\n#1001,${ANN.email},${ANN.email}\n`)
    expect((await atrium(surroundings, 'store', 'import', where.code, file, '--kind', 'orders')).code).toBe(0)
  }
  const { rows: cited } = await client.query(
    `SELECT DISTINCT kind FROM store.store_import_error AS error JOIN store.store_import AS import
      ON import.store_id = error.store_id AND import.id = import_id WHERE message ILIKE $1 ORDER BY kind`,
    [`%${ANN.email}%`],
  )
  expect(cited.map(({ kind }) => kind)).toEqual(['CUSTOMERS', 'ORDERS'])
}, 120_000)

async function aShop(name: string): Promise<Shop> {
  return JSON.parse((await atrium(surroundings, 'store', 'create', '--empty', '--name', name, '--country', 'PT', '--json')).out)
}

async function rest({ login, authtoken }: Shop, path: string, body?: object, method = body ? 'POST' : 'GET') {
  const headers = { 'x-login-key': login, 'x-auth-token': authtoken, 'content-type': 'application/json' }
  const reply = await askRaw(running.url, `/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  expect([path, reply.status, reply.status < 400 ? '' : reply.text]).toEqual([path, 200, ''])
  return reply.json
}

async function graph(query: string, bearer?: string, headers: Record<string, string> = {}) {
  const credentials = { ...(bearer && { authorization: `Bearer ${bearer}` }), ...headers }
  const { json } = await askRaw(running.url, '/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...credentials },
    body: JSON.stringify({ query }),
  })
  expect(json.errors).toBeUndefined()
  return json.data
}

/** An order that tells everything about who bought, paid and handed over. */
async function anOrder(where: Shop, product: number): Promise<number> {
  const address = {
    name: ANN.name,
    surname: ANN.surname,
    address: ANN.street,
    city: 'Porto',
    postal: '4000-001',
    country: 'PT',
    region: '13',
    taxid: '555666777',
  }
  const { customer } = await rest(where, '/customers.json', {
    customer: { email: ANN.email, phone: ANN.phone, billing_address: address, shipping_address: address },
  })
  const { order } = await rest(where, '/orders.json', {
    order: {
      status: 'Paid',
      customer: { id: customer.id },
      products: [{ id: product, qty: 2 }],
      shipping_address: address,
      billing_address: address,
      billing_information: { company_name: `${ANN.surname} and daughters` },
    },
  })
  const edited = { tracking_number: `${ANN.surname}-1`, tracking_url: `https://carrier.invalid/${ANN.surname}` }
  await rest(where, `/orders/${order.id}.json`, { order: { ...edited, additional_information: `Ring at ${ANN.surname}` } }, 'PUT')
  await rest(where, `/orders/${order.id}/history.json`, { order_history: { message: `Wrote to ${ANN.email}` } })
  await rest(where, '/locations.json', { location: { name: 'Depot', address: 'Rua A', city: 'Braga', country: 'PT' } }).then(
    ({ location }) =>
      rest(where, '/fulfillments.json', {
        fulfillment: { type: 'manual', location_id: String(location.id), order_id: String(order.id), tracking_number: 'T1' },
      }),
  )
  return order.id
}

/** Where in the database a word is, in any text of any table. */
async function placesOf(words: readonly string[]): Promise<string[]> {
  const { rows: columns } = await client.query<{ table: string; column: string }>(
    `SELECT format('%I.%I', columns.table_schema, columns.table_name) AS table, format('%I', column_name) AS column
     FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
     WHERE columns.table_schema IN ('directory', 'gateway', 'social', 'store', 'trust', 'store_jobs', 'directory_jobs') AND table_type = 'BASE TABLE'
       AND (data_type IN ('text', 'character varying', 'json', 'jsonb', 'ARRAY', 'bytea'))`,
  )
  const places: string[] = []
  for (const { table, column } of columns) {
    // Bytes as the text that they may be.
    const text = `CASE pg_typeof(${column})::text WHEN 'bytea' THEN encode(to_jsonb(${column})::text::bytea, 'escape') ELSE ${column}::text END`
    const { rows } = await client.query(`SELECT count(*)::int AS count FROM ${table} WHERE ${text} ILIKE ANY($1)`, [
      words.map((word) => `%${word}%`),
    ])
    if (rows[0].count > 0) places.push(`${table}.${column}`)
  }
  return places.sort()
}

const WORDS = [ANN.email, ANN.name, ANN.surname, ANN.phone, '919293949', ANN.street, '555666777']

/** What the books say: everything of orders that is no name and no place. */
const books = async () => ({
  orders: (
    await client.query(
      `SELECT store_id, id, status, currency, subtotal, tax, shipping, discount, total, refunded, created_at, shipping_address ->> 'countryCode' AS country FROM store."order" ORDER BY 1, 2`,
    )
  ).rows,
  lines: (await client.query('SELECT * FROM store.order_line ORDER BY store_id, id')).rows,
  ledger: (await client.query('SELECT * FROM store.ledger_entry ORDER BY store_id, id')).rows,
})

/** The lines of a table in an archive. */
async function exported(file: string): Promise<Record<string, Record<string, unknown>[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-exported-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  await promisify(execFile)('tar', ['-xzf', file, '-C', folder])
  const tables: Record<string, Record<string, unknown>[]> = {}
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const [, table] = /^([^/]+)\/\d+\.jsonl$/.exec(path) ?? []
    if (table)
      tables[table] = readFileSync(join(folder, path), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    else if (path.includes('.png')) tables.files = [...(tables.files ?? []), { path }]
  }
  return tables
}

test('a store is exported with everything that is its own, files included, and nothing that opens it', async () => {
  const file = join(surroundings.filesDir, '../shop.tar.gz')
  const { code, out, err } = await atrium(surroundings, 'store', 'export', shop.code, file, '--json')
  expect([code, err]).toEqual([0, ''])
  const tables = await exported(file)
  const [store] = tables.store as [{ id: number }]
  expect(JSON.parse(out)).toMatchObject({
    files: 1,
    rows: { store: 1, order: 2, product: 1, customer: 2, webhook_subscription: 3 },
  })
  expect(tables.files).toHaveLength(1)
  expect(tables.order).toEqual([
    expect.objectContaining({ id: orders[0], total: 25 }),
    expect.objectContaining({ id: untouched, total: 37.5 }),
  ])
  for (const [name, rows] of Object.entries(tables).filter(([name]) => !['files', 'store'].includes(name))) {
    const { rows: counted } = await client.query(`SELECT count(*)::int AS count FROM store."${name}" WHERE store_id = $1`, [
      store.id,
    ])
    expect([name, rows.length]).toEqual([name, counted[0].count])
  }
  const text = JSON.stringify(tables)
  const { rows: secrets } = await client.query('SELECT hooks_token FROM store.store WHERE id = $1', [store.id])
  for (const secret of ['password_hash', 'credential', shop.authtoken, secrets[0].hooks_token]) expect(text).not.toContain(secret)
  expect(await atrium(surroundings, 'store', 'export', shop.code, file)).toMatchObject({
    code: 1,
    err: expect.stringContaining('already'),
  })
})

test('the export of a user contains the content that the user wrote and where it is', async () => {
  const member = { authorization: `Bearer ${token}`, 'x-store-code': other.code }
  await graph(
    'mutation { createProduct(input: { name: "Bulb", price: "2" }) { ... on CreateProductSuccess { product { id } } } }',
    undefined,
    member,
  )
  const file = join(surroundings.filesDir, '../ann.tar.gz')
  expect(await atrium(surroundings, 'user', 'export', ann, file)).toMatchObject({ code: 0, err: '' })
  const tables = await exported(file)
  expect(tables.user).toEqual([expect.objectContaining({ email: ANN.email, phone_number: ANN.phone })])
  expect(tables.post).toEqual([expect.objectContaining({ title: `By ${ANN.name}` })])
  expect(tables.item_collection).toEqual([expect.objectContaining({ name: `Kit of ${ANN.name}` })])
  expect(tables.item_collection_entry).toEqual([expect.objectContaining({ item_id: 'an-item' })])
  expect(tables.message).toEqual([expect.objectContaining({ text: `Call ${ANN.phone}` })])
  expect([tables.room?.length, tables.room_member?.length, tables.session?.length]).toEqual([1, 1, 1])
  expect(tables.store).toEqual([expect.objectContaining({ code: other.code })])
  expect(tables.staff_member).toEqual([
    expect.objectContaining({ code: shop.code, role: 'SUPPORT', email: null, low_stock_email: 'desk@example.org' }),
    expect.objectContaining({ code: shop.code, role: 'MANAGER', email: ANN.email.toLowerCase(), low_stock_email: null }),
  ])
  expect(tables.low_stock_email).toEqual([{ code: shop.code, low_stock_email: ANN.email }])
  expect(tables.audit_entry).toEqual([
    expect.objectContaining({ code: other.code, role: 'OWNER', operation: 'createProduct', noun: 'PRODUCT', kind: 'CREATED' }),
  ])
  expect(JSON.stringify(tables)).not.toContain('argon2')
})

test('erasing a customer removes all personal data of the customer, and keeps the amounts of the ledger', async () => {
  const before = await books()
  const [{ rows: customers }, { rows: stores }] = [
    await client.query('SELECT id, store_id FROM store.customer WHERE email = $1 ORDER BY store_id', [ANN.email]),
    await client.query('SELECT id FROM store.store WHERE code = $1', [shop.code]),
  ]
  const mine = customers.find(({ store_id }) => store_id === stores[0].id)
  const headers = { 'x-login-key': shop.login, 'x-auth-token': shop.authtoken }
  const erase = `mutation { eraseCustomer(id: "${mine.id}") { __typename ... on EraseCustomerSuccess { number orders } } }`
  expect((await graph(erase, undefined, headers)).eraseCustomer).toEqual({
    __typename: 'EraseCustomerSuccess',
    number: mine.id,
    orders: 1,
  })
  expect((await graph(erase, undefined, headers)).eraseCustomer.__typename).toBe('NotFoundError')
  expect(await books()).toEqual(before)
  const { rows } = await client.query('SELECT to_jsonb(o)::text AS text FROM store."order" AS o WHERE store_id = $1', [
    stores[0].id,
  ])
  for (const word of WORDS) expect(rows.map(({ text }) => text).join()).not.toContain(word)
  const { order } = await rest(shop, `/orders/${orders[0]}.json`)
  expect([order.total, order.status_enum, order.customer]).toEqual([25, 'paid', null])
  expect((await rest(shop, `/orders/search.json?query=${ANN.surname}`)).count).toBe(0)
  expect((await rest(shop, '/orders/search.json?query=lamp')).count).toBe(2)
  expect(JSON.stringify(await rest(shop, '/orders.json'))).toContain('bob@example.org')
})

test('no text column of the database contains an erased user, and no amount changes', async () => {
  expect((await placesOf(WORDS)).length).toBeGreaterThan(10)
  const before = await books()
  const { code, out, err } = await atrium(surroundings, 'user', 'erase', ann, '--customer', '--json')
  expect([code, err, JSON.parse(out)]).toEqual([0, '', { id: ann, stores: 1, customers: 1, orders: 1, keys: 1 }])
  expect(await placesOf(WORDS)).toEqual([])
  expect(await books()).toEqual(before)
  expect((await client.query('SELECT user_id, low_stock_email FROM store.staff_member')).rows).toEqual([
    { user_id: 'somebody', low_stock_email: null },
  ])
  const { rows } = await client.query(
    'SELECT (SELECT count(*) FROM social.login_attempt) + (SELECT count(*) FROM social.login_attempt_from) + (SELECT count(*) FROM social.login_network) AS rest',
  )
  expect(rows[0].rest).toBe('0')
  const again = await atrium(surroundings, 'user', 'erase', ann)
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('There is no user with the id')])
})
