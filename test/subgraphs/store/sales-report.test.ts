import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { shopping } from './order/support.ts'
import { agreedApp } from './support/app.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

/** Noon in Lisbon, a week after its clocks went back from UTC+1 to UTC at 01:00 UTC on October 25. */
const NOW = new Date('2026-11-01T12:00:00Z')
const CLOCKS_BACK = Date.parse('2026-10-25T01:00:00Z')
const HOUR_MS = 3_600_000

let at = NOW
let stack: StoreStack
let shop: TestStore
beforeAll(async () => {
  stack = await startStore(() => at)
  shop = await stack.aStore({ country: 'PT' })
})
afterAll(() => stack.close())

const DAYS = 'days { day ordersPlaced ordersPaid ordersCanceled gross net refunded }'
const REPORT = `query ($period: OrderPeriodInput!) { salesReport(period: $period) { currency timezone ${DAYS} } }`
const reportOf = async (period: object, who = shop) => (await stack.ask(who, REPORT, { period })).data.salesReport
const custom = (firstDay: string, lastDay: string) => ({ period: 'CUSTOM', firstDay, lastDay })

/** Repeatable: numbers from 0 to below 1 (Park and Miller). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** Hundredths of a cent, without rounding. */
function exact(decimal: string): bigint {
  const [whole = '0', part = ''] = decimal.split('.')
  return BigInt(whole + part.padEnd(4, '0'))
}

const lisbonDay = (createdAt: string): string =>
  new Date(Date.parse(createdAt) + (Date.parse(createdAt) < CLOCKS_BACK ? HOUR_MS : 0)).toISOString().slice(0, 10)

test('days are equal to sums over single orders, to the cent, also where the clocks are changed', async () => {
  const { aProduct, anOrder, cancel, refund } = shopping(stack, shop)
  const { id } = await aProduct({ price: '10', stockUnlimited: true })
  const random = randomNumbers(7)
  const firstAt = Date.parse('2026-10-23T22:30:00Z')
  // On both sides of the midnights at 23:00 and, a day of 25 hours later, 00:00 UTC.
  const edges = ['2026-10-24T22:59:59Z', '2026-10-24T23:00:00Z', '2026-10-25T23:59:59Z', '2026-10-26T00:00:00Z'].map(Date.parse)
  for (let count = 0; count < 40; count += 1) {
    at = new Date(edges[count] ?? firstAt + Math.floor(random() * 96) * HOUR_MS)
    const status = ['PAID', 'PAID', 'PENDING_PAYMENT', 'ABANDONED'][count < edges.length ? 0 : Math.floor(random() * 4)]
    const price = (1 + Math.floor(random() * 9_999) / 100).toFixed(2)
    const order = await anOrder({ status, lines: [{ productId: String(id), quantity: 1 + (count % 3), price }] })
    const [tax, shippingTax, card] = [random() * 9, random() * 2, random()].map((value) => value.toFixed(2))
    await stack.sql(
      `UPDATE "order" SET tax = $2, shipping_tax = $3, gift_cards_discount = $4, total = total + $2 + $3 - $4 WHERE id = $1`,
      [order.number, tax, shippingTax, card],
    )
    at = NOW
    if (status === 'PAID' && count % 3 === 0) await refund(order.number, { amount: '0.37' })
    if (status === 'PAID' && count % 6 === 0) await refund(order.number, { amount: '0.50' })
    if (count >= edges.length && count % 5 === 0) await cancel(order.number)
  }
  await stack.sql('UPDATE order_refund SET to_gift_cards = 0.11 WHERE id % 2 = 0')

  const { data } = await stack.ask(
    shop,
    '{ orders(first: 50) { nodes { status createdAt total giftCardsDiscount tax shippingTax refunds { amount toGiftCards } } } }',
  )
  const { nodes } = data.orders
  expect(new Set(nodes.map(({ status }: { status: string }) => status)).size).toBe(4)
  const report = await reportOf(custom('2026-10-22', '2026-10-29'))
  expect(report).toMatchObject({ currency: 'EUR', timezone: 'Europe/Lisbon' })
  expect(report.days.map(({ day }: { day: string }) => day)).toEqual(
    Array.from({ length: 8 }, (_, index) => `2026-10-${22 + index}`),
  )
  let refunded = 0n
  for (const day of report.days) {
    // biome-ignore lint/suspicious/noExplicitAny: an answer as a client sees it
    const placed = nodes.filter((order: any) => lisbonDay(order.createdAt) === day.day && order.status !== 'ABANDONED')
    let [gross, net, back] = [0n, 0n, 0n]
    const paid = placed.filter(({ status }: { status: string }) => status === 'PAID')
    for (const order of paid) {
      gross += exact(order.total) + exact(order.giftCardsDiscount)
      net += exact(order.total) + exact(order.giftCardsDiscount) - exact(order.tax) - exact(order.shippingTax)
      for (const { amount, toGiftCards } of order.refunds) back += exact(amount) + exact(toGiftCards)
    }
    refunded += back
    const canceled = placed.filter(({ status }: { status: string }) => status === 'CANCELED').length
    expect([day.day, day.ordersPlaced, day.ordersPaid, day.ordersCanceled]).toEqual([
      day.day,
      placed.length,
      paid.length,
      canceled,
    ])
    expect([day.day, exact(day.gross), exact(day.net), exact(day.refunded)]).toEqual([day.day, gross, net, back])
  }
  expect(refunded > 0n).toBe(true)
  expect(report.days[0]).toEqual({
    day: '2026-10-22',
    ordersPlaced: 0,
    ordersPaid: 0,
    ordersCanceled: 0,
    gross: '0',
    net: '0',
    refunded: '0',
  })
})

test('other stores, and orders in a former currency, are left out', async () => {
  const own = await stack.aStore({ country: 'BR' })
  const { aProduct, anOrder } = shopping(stack, own)
  const { id } = await aProduct({ price: '3', stockUnlimited: true })
  const order = await anOrder({ status: 'PAID', lines: [{ productId: String(id) }] })
  await anOrder({ status: 'PAID', lines: [{ productId: String(id) }] })
  await stack.sql(`UPDATE "order" SET currency = 'USD' WHERE store_id = $1 AND id = $2`, [own.storeId, order.number])
  const { currency, days } = await reportOf({ period: 'TODAY' }, own)
  expect([currency, days]).toMatchObject(['BRL', [{ day: '2026-11-01', ordersPlaced: 1, ordersPaid: 1, gross: '3', net: '3' }]])
})

test.each([
  [{ period: 'CUSTOM' }, 'period.firstDay'],
  [{ period: 'CUSTOM', firstDay: '0000-01-01' }, 'period.firstDay'],
  [custom('2026-02-30', '2026-03-01'), 'period.firstDay'],
  [custom('2026-03-01', '2026-02-28'), 'period.lastDay'],
  [custom('2025-01-01', '2026-02-05'), 'period'],
  [{ period: 'TODAY', lastDay: '2026-02-03' }, 'period.lastDay'],
])('%j is refused: %s', async (period, argument) => {
  const { errors } = await stack.ask(shop, REPORT, { period })
  expect(errors?.[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', argument })
})

test('400 days are the most', async () => {
  const { days } = await reportOf(custom('2025-01-01', '2026-02-04'))
  expect([days.length, days[0].day, days.at(-1).day]).toEqual([400, '2025-01-01', '2026-02-04'])
})

test('apps need read_orders', async () => {
  const ask = async (scopes: readonly string[]) => {
    const { caller } = await agreedApp(stack, shop, { scopes })
    return (await stack.ask(caller, REPORT, { period: { period: 'TODAY' } })).errors?.[0]?.extensions.code
  }
  expect([await ask(['read_orders']), await ask(['read_products'])]).toEqual([undefined, 'FORBIDDEN'])
})

test('one statement reads the orders of the period by their creation time, and no older ones', async () => {
  await stack.sql(
    `INSERT INTO "order" OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(o, jsonb_build_object('id', o.id + 1000 + n, 'token', md5(n::text),
       'created_at', timestamptz '2026-06-01' - n * interval '1 hour'))).*
     FROM "order" AS o, generate_series(1, 5000) AS n WHERE store_id = $1 AND id = (SELECT min(id) FROM "order" WHERE store_id = $1)`,
    [shop.storeId],
  )
  await stack.sql('ANALYZE "order"')
  const queries = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await reportOf({ period: 'LAST_30_DAYS' })
    const found = queries.mock.calls
      .map(([statement]) => Object(statement))
      .filter(({ text = '' }) => text.includes('width_bucket'))
    expect(found.length).toBe(1)
    const { text, values } = found[0]
    const plan = (await stack.sql(`EXPLAIN ${text}`, values)).map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toMatch(/Index Scan (?:using|on) order_created/)
    expect(plan).toMatch(/Index Cond: \(\(store_id = .*created_at >= .*created_at </)
    expect(plan).not.toContain('Seq Scan on "order"')
  } finally {
    queries.mockRestore()
  }
})
