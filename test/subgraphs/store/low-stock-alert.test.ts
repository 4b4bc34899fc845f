import { TestClock } from 'pg-boss'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../../platform/database/database.ts'
import { transaction } from '../../../platform/database/transaction.ts'
import { lowStockAlertRepository } from '../../../subgraphs/store/low-stock-alert/repository.ts'
import type { Tables } from '../../../subgraphs/store/tables.ts'
import { startSmtpServer, type TestSmtpServer } from '../../support/smtp-server.ts'
import { mailClock, mailServerAt } from './support/mail.ts'
import { storefrontShopper } from './support/shopper.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

const MINUTE_MS = 60_000
/** Ahead of the machine's clock, which nothing may wait for. */
const clock = new TestClock(Date.now() + 24 * 60 * MINUTE_MS)
const logged: string[] = []
let smtp: TestSmtpServer
let stack: StoreStack
let shop: TestStore
let shopper: ReturnType<typeof storefrontShopper>
let mails: ReturnType<typeof mailClock>
let stop: () => Promise<void>
beforeAll(async () => {
  smtp = await startSmtpServer()
  stack = await startStore(() => new Date(clock.now()), {
    mailServer: mailServerAt(smtp.port),
    log: pino({ level: 'warn' }, { write: (line) => logged.push(line) }),
    webhooks: { jobClock: clock },
  })
  mails = mailClock(stack, clock)
  stop = await stack.subgraph.deliverMail()
})
afterAll(async () => {
  await stop()
  await stack.close()
  await smtp.close()
})
beforeEach(async () => {
  shop = await stack.aStore({ name: 'Pots & Pans' })
  shopper = storefrontShopper(stack, shop)
  await setting({ email: 'owner@pottery.example', sendsOrderConfirmations: false })
  await later(60)
  smtp.received.length = 0
})

const setting = async (input: object) =>
  (
    await shopper.merchant(
      `mutation ($input: UpdateStoreInput!) { result: updateStore(input: $input) { __typename
        ... on UpdateStoreSuccess { store { sendsLowStockAlerts } } ... on ValidationError { field } } }`,
      { input },
    )
  ).result
const later = (minutes: number) => clock.setTime(clock.now() + minutes * MINUTE_MS)
/** A watched product without variants. */
const aCup = (input: object = {}) =>
  shopper.aProduct({ name: 'Cup', stock: 5, stockNotification: true, stockThreshold: 3, shippingRequired: false, ...input })
const stockOf = async (productId: string, stock: number) =>
  shopper.merchant('mutation ($id: ID!, $stock: Int!) { updateProduct(id: $id, input: { stock: $stock }) { __typename } }', {
    id: productId,
    stock,
  })
/** Lets what is due be requested, and sent. */
async function sent() {
  await stack.subgraph.runLowStockJobs()
  await mails.finished()
  return smtp.received
}
const subjects = () => smtp.received.map(({ headers }) => headers.find((header) => header.startsWith('Subject: ')))

/** A member of the staff, as the graph names it. */
async function aMember(role: string, lowStockEmail: string | null) {
  await stack.sql(
    `INSERT INTO staff_member (store_id, user_id, role, invited_at, accepted_at) VALUES ($1, $2, $3, now(), now())`,
    [shop.storeId, `${role}-${shop.storeId}`, role],
  )
  const { staffMembers } = await shopper.merchant('{ staffMembers { id role } }')
  const { id } = staffMembers.find((member: { role: string }) => member.role === role)
  const input = { role, lowStockEmail }
  const { result } = await shopper.merchant(
    `mutation ($id: ID!, $input: UpdateStaffMemberInput!) { result: updateStaffMember(id: $id, input: $input) { __typename
      ... on UpdateStaffMemberSuccess { staffMember { lowStockEmail } } ... on ValidationError { field } } }`,
    { id, input },
  )
  return { id, result }
}

test('a sale that leaves few units is reported to the owner and to staff, with what is left at each location', async () => {
  await aMember('SUPPORT', 'help@pottery.example')
  const cup = await aCup()
  const bowl = await aCup({ name: 'Bowl', sku: 'B-1', stock: 0, stockNotification: false })
  for (const [name, stock] of [
    ['Workshop', 4],
    ['Shop', 1],
  ] as const) {
    const { made } = await shopper.merchant(
      'mutation ($input: CreateLocationInput!) { made: createLocation(input: $input) { ... on CreateLocationSuccess { location { id } } } }',
      { input: { name, address: 'Rua 1', city: 'Lisbon', country: 'PT' } },
    )
    await shopper.merchant('mutation ($input: SetInventoryLevelInput!) { setInventoryLevel(input: $input) { __typename } }', {
      input: { productId: bowl, locationId: made.location.id, stock },
    })
  }
  await shopper.merchant(
    'mutation ($id: ID!) { updateProduct(id: $id, input: { stockNotification: true, stockThreshold: 4 }) { __typename } }',
    { id: bowl },
  )
  expect(await sent()).toEqual([])

  const { token, cart } = await shopper.ready([
    { productId: cup, quantity: 2 },
    { productId: bowl, quantity: 1 },
  ])
  expect((await shopper.complete(token, cart.totals.total)).__typename).toBe('CompleteStorefrontCheckoutSuccess')
  expect((await sent()).flatMap(({ to }) => to).toSorted()).toEqual(['help@pottery.example', 'owner@pottery.example'])
  expect(subjects()).toEqual(Array(2).fill('Subject: 2 items are low in stock at Pots & Pans'))
  const text = smtp.received[0]?.text ?? ''
  expect(text).toContain('Cup: 3 left')
  expect(text).toMatch(/Bowl \(B-1\): 4 left \((Workshop: 3, Shop: 1|Workshop: 4, Shop: 0)\)/)
  expect(text).toContain('https://atrium.example/console/products?stock=low')
})

test('a variant is reported by its options, once until it is above its number again', async () => {
  const { made } = await shopper.merchant(
    `mutation { made: createProduct(input: { name: "Shirt", price: "10", stockNotification: true, stockThreshold: 9, stock: 9,
      variants: [{ stock: 3, stockNotification: true, stockThreshold: 2, options: [{ name: "Size", value: "S" }] }, { stock: 3, options: [{ name: "Size", value: "M" }] }] })
      { ... on CreateProductSuccess { product { id variants { id } } } } }`,
  )
  const [small] = made.product.variants
  const adjust = (delta: number) =>
    shopper.merchant('mutation ($input: AdjustInventoryInput!) { adjustInventory(input: $input) { __typename } }', {
      input: { productId: made.product.id, variantId: small.id, delta },
    })
  await adjust(-1)
  expect((await sent()).map(({ text }) => /Shirt.*/.exec(text)?.[0])).toEqual(['Shirt · S: 2 left'])
  await adjust(-1)
  await later(60)
  expect(await sent()).toHaveLength(1)
  await adjust(2)
  await adjust(-1)
  await later(60)
  expect((await sent()).map(({ text }) => /Shirt.*/.exec(text)?.[0])).toEqual(['Shirt · S: 2 left', 'Shirt · S: 2 left'])
})

test('what falls within 15 minutes of an e-mail is in the next one, many items together', async () => {
  const cups = await Promise.all([1, 2, 3].map((number) => aCup({ name: `Cup ${number}` })))
  await stockOf(cups[0] ?? '', 1)
  expect(await sent()).toHaveLength(1)
  for (const cup of cups.slice(1)) await stockOf(cup, 1)
  await later(14)
  expect(await sent()).toHaveLength(1)
  await later(2)
  await sent()
  expect(subjects()).toEqual([
    'Subject: 1 item is low in stock at Pots & Pans',
    'Subject: 2 items are low in stock at Pots & Pans',
  ])
})

test('an e-mail lists 50 items and counts the others', async () => {
  await stack.sql(
    `INSERT INTO product (store_id, name, price, permalink, stock, stock_notification, stock_threshold, created_at, updated_at)
    SELECT $1, 'Plate ' || number, 1, 'plate-' || number, 5, true, 3, now(), now() FROM generate_series(1, 60) AS number`,
    [shop.storeId],
  )
  await stack.sql('UPDATE product SET stock = 2 WHERE store_id = $1', [shop.storeId])
  const [mail] = await sent()
  expect(mail?.text.match(/Plate \d+: 2 left/g)).toHaveLength(50)
  expect(mail?.text).toContain('And 10 more.')
})

test('processes that look at one time send one e-mail, and a change that is undone none', async () => {
  const [cup, undone] = [await aCup(), await aCup({ name: 'Undone' })]
  await stockOf(cup, 2)
  await stack.sql(
    `DO $$ BEGIN UPDATE product SET stock = 0 WHERE name = 'Undone'; RAISE EXCEPTION 'undone'; EXCEPTION WHEN raise_exception THEN NULL; END $$`,
  )
  await Promise.all(Array.from({ length: 5 }, () => stack.subgraph.runLowStockJobs()))
  expect((await sent()).map(({ text }) => [text.includes('Cup: 2 left'), text.includes('Undone')])).toEqual([[true, false]])
  expect(undone).not.toBe(cup)
})

test('a process that looks while another reports waits for it, and what fell since is in the next e-mail', async () => {
  const other = openDatabase<Tables>(stack.database.connection, { schema: 'store', max: 1, onError: () => {} })
  await stockOf(await aCup(), 1)
  let looking: Promise<void> | null = null
  await transaction(other.query, async (query) => {
    const [alerts, at] = [lowStockAlertRepository(query), new Date(clock.now())]
    expect(await alerts.lock(shop.storeId, at)).toBe(true)
    await alerts.report(shop.storeId, at)
    await stockOf(await aCup({ name: 'Bowl' }), 1)
    let isOver = false
    looking = stack.subgraph.runLowStockJobs().then(() => {
      isOver = true
    })
    // Other databases of the server have such locks as well.
    const waiting = () =>
      stack.sql(
        `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid::bigint = $1
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        [shop.storeId],
      )
    while (!isOver && (await waiting()).length === 0);
  })
  await looking
  await other.close()
  expect(await sent()).toEqual([])
  await later(16)
  expect((await sent()).map(({ text }) => [text.includes('Cup: 1 left'), text.includes('Bowl: 1 left')])).toEqual([[false, true]])
})

test('stores whose owners have an address that no e-mail can be sent to keep no other store from its e-mail', async () => {
  const others = await stack.sql(
    `INSERT INTO store (code, name, email, currency, country, timezone, hooks_token, created_at, updated_at)
    SELECT 'unmailable-' || number, 'Unmailable', 'a,b@pottery.example', 'EUR', 'PT', 'Europe/Lisbon', 'none', now(), now()
    FROM generate_series(1, 120) AS number RETURNING id`,
  )
  const ids = others.map(({ id }) => id)
  await stack.sql(
    `INSERT INTO product (store_id, name, price, permalink, stock, stock_notification, stock_threshold, created_at, updated_at)
    SELECT id, 'Plate', 1, 'plate', 5, true, 3, now(), now() FROM unnest($1::int[]) AS id`,
    [ids],
  )
  await stack.sql('UPDATE product SET stock = 2 WHERE store_id = ANY ($1)', [ids])
  shop = await stack.aStore({ name: 'Last shop' })
  shopper = storefrontShopper(stack, shop)
  await setting({ email: 'owner@pottery.example' })
  await stockOf(await aCup(), 1)
  expect((await sent()).map(({ to, text }) => [to, text.includes('Cup: 1 left')])).toEqual([[['owner@pottery.example'], true]])
  const reported = await stack.sql('SELECT 1 FROM low_stock_alert WHERE store_id = ANY ($1)', [ids])
  expect(reported).toEqual([])
  await stack.sql('DELETE FROM store WHERE id = ANY ($1)', [ids])
})

test('an address gets 40 e-mails of a store an hour: other addresses and stores get theirs, and it is logged once', async () => {
  await stockOf(await aCup(), 1)
  logged.length = 0
  /** Reports all items again, as if 15 minutes had passed; how many times they were reported. */
  const again = async () => {
    await stack.sql(`UPDATE low_stock_item SET alert_id = NULL WHERE store_id = $1`, [shop.storeId])
    await stack.sql(`UPDATE low_stock_alert SET created_at = created_at - interval '15 minutes' WHERE store_id = $1`, [
      shop.storeId,
    ])
    await stack.subgraph.runLowStockJobs()
    return (await stack.sql('SELECT id FROM low_stock_alert WHERE store_id = $1', [shop.storeId])).length
  }
  const counts: number[] = []
  for (let round = 0; round < 43; round += 1) counts.push(await again())
  expect(counts.slice(-5)).toEqual([39, 40, 40, 40, 40])
  const refusals = () => logged.filter((line) => line.includes('low stock is not reported to an address'))
  expect(refusals()).toHaveLength(1)
  expect(refusals()[0]).not.toContain('@')

  // In the queue: the time that sending takes gives the address its next e-mail.
  const requested = async () => {
    const jobs = await stack.sql(
      `SELECT data FROM store_jobs.job WHERE name = 'mail' AND (data->>'subjectId')::int = (
        SELECT max(id) FROM low_stock_alert WHERE store_id = $1) AND (data->>'storeId')::int = $1`,
      [shop.storeId],
    )
    return jobs.map(({ data }) => data)
  }
  await aMember('SUPPORT', 'help@pottery.example')
  expect(await again()).toBe(41)
  expect(await requested()).toMatchObject([{ kind: 'low-stock', staffMemberId: expect.any(Number) }])
  expect(refusals()).toHaveLength(1)

  shop = await stack.aStore({ name: 'Bowls' })
  shopper = storefrontShopper(stack, shop)
  await setting({ email: 'Owner@pottery.example' })
  await stockOf(await aCup(), 1)
  expect(await again()).toBe(1)
  expect(await requested()).toEqual([expect.not.objectContaining({ staffMemberId: expect.anything() })])
  await mails.finished()
})

test('an address gets 200 e-mails of all stores together an hour, and what is refused is logged', async () => {
  const others = await stack.sql(
    `INSERT INTO store (code, name, email, currency, country, timezone, hooks_token, created_at, updated_at)
    SELECT 'many-' || number, 'Many', 'many@pottery.example', 'EUR', 'PT', 'Europe/Lisbon', 'none', now(), now()
    FROM generate_series(1, 203) AS number RETURNING id`,
  )
  const ids = others.map(({ id }) => id)
  await stack.sql(
    `INSERT INTO product (store_id, name, price, permalink, stock, stock_notification, stock_threshold, created_at, updated_at)
    SELECT id, 'Plate', 1, 'plate', 5, true, 3, now(), now() FROM unnest($1::int[]) AS id`,
    [ids],
  )
  await stack.sql('UPDATE product SET stock = 2 WHERE store_id = ANY ($1)', [ids])
  logged.length = 0
  await stack.subgraph.runLowStockJobs()
  expect(await stack.sql('SELECT id FROM low_stock_alert WHERE store_id = ANY ($1)', [ids])).toHaveLength(200)
  expect(logged.filter((line) => line.includes('low stock is not reported to an address'))).toHaveLength(3)
  await stack.sql('DELETE FROM store WHERE id = ANY ($1)', [ids])
  await mails.finished()
})

test('what waits in the queue names a member of the staff, and no person; what is stocked up meanwhile is not sent', async () => {
  const { id } = await aMember('CATALOGUE', 'cat@pottery.example')
  await setting({ email: null })
  const [cup, bowl] = [await aCup(), await aCup({ name: 'Bowl' })]
  for (const product of [cup, bowl]) await stockOf(product, 1)
  await stop()
  await stack.subgraph.runLowStockJobs()
  const waiting = await stack.sql(`SELECT data FROM store_jobs.job WHERE name = 'mail' AND state = 'created'`)
  expect(JSON.stringify(waiting)).not.toContain('@')
  expect(waiting).toMatchObject([{ data: { kind: 'low-stock', storeId: shop.storeId, staffMemberId: expect.any(Number) } }])
  await stockOf(bowl, 9)
  stop = await stack.subgraph.deliverMail()
  await mails.finished()
  expect(smtp.received.map(({ to, text }) => [to, text.includes('Cup'), text.includes('Bowl')])).toEqual([
    [['cat@pottery.example'], true, false],
  ])
  expect(id).toBeTruthy()
})

test('who is removed from the staff, and a store that switches alerts off, get none', async () => {
  const { id } = await aMember('MANAGER', 'manager@pottery.example')
  await setting({ email: null })
  const cup = await aCup()
  await stockOf(cup, 1)
  await stop()
  await stack.subgraph.runLowStockJobs()
  await shopper.merchant('mutation ($id: ID!) { removeStaffMember(id: $id) { __typename } }', { id })
  stop = await stack.subgraph.deliverMail()
  await mails.finished()
  expect(smtp.received).toEqual([])

  expect(await setting({ sendsLowStockAlerts: null })).toMatchObject({ field: 'sendsLowStockAlerts' })
  expect(await setting({ sendsLowStockAlerts: false, email: 'owner@pottery.example' })).toMatchObject({
    store: { sendsLowStockAlerts: false },
  })
  await stockOf(await aCup({ name: 'Bowl' }), 1)
  await later(60)
  expect(await sent()).toEqual([])
  await setting({ sendsLowStockAlerts: true })
  expect((await sent()).map(({ text }) => text.includes('Bowl: 1 left'))).toEqual([true])
})

test('an address that is none is refused with its field, and a changed role keeps the address', async () => {
  for (const [role, email] of [
    ['MANAGER', 'nobody'],
    ['FULFILLMENT', 'one@pottery.example,two@pottery.example'],
  ] as const)
    expect((await aMember(role, email)).result).toEqual({ __typename: 'ValidationError', field: 'lowStockEmail' })
  const { id, result } = await aMember('SUPPORT', 'help@pottery.example')
  expect(result.staffMember).toEqual({ lowStockEmail: 'help@pottery.example' })
  const update = async (input: string) =>
    (
      await shopper.merchant(
        `mutation ($id: ID!) { result: updateStaffMember(id: $id, input: { ${input} }) { ... on UpdateStaffMemberSuccess { staffMember { role lowStockEmail } } } }`,
        { id },
      )
    ).result.staffMember
  expect(await update('role: CATALOGUE')).toEqual({ role: 'CATALOGUE', lowStockEmail: 'help@pottery.example' })
  expect(await update('role: CATALOGUE, lowStockEmail: null')).toEqual({ role: 'CATALOGUE', lowStockEmail: null })
  const [entry] = await stack.sql(
    `SELECT fields FROM audit_entry WHERE store_id = $1 AND noun = 'STAFF_MEMBER' ORDER BY id DESC LIMIT 1`,
    [shop.storeId],
  )
  expect(entry?.fields).toEqual({ low_stock_email: [] })
})
