import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { shopping } from './order/support.ts'
import { agreedApp } from './support/app.ts'
import { storefrontShopper } from './support/shopper.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

const NOW = new Date('2026-11-01T12:00:00Z')
const SOURCES = [
  null,
  { createdFrom: 'api' },
  { createdFrom: 'storefront', sourceName: 'newsletter', medium: 'email', campaign: 'autumn' },
  { createdFrom: 'storefront', sourceName: 'newsletter', medium: 'email', campaign: '' },
  { sourceName: 'search', medium: 'cpc', userAgent: 'not a part of the source' },
]
const ORDER_COUNT = 36

let at = NOW
let stack: StoreStack
let shop: TestStore
let merchant: ReturnType<typeof storefrontShopper>['merchant']
/** Two plain products, one with variants, and one that is deleted. */
let productIds: readonly number[]
beforeAll(async () => {
  stack = await startStore(() => at)
  shop = await stack.aStore({ country: 'PT' })
  ;({ merchant } = storefrontShopper(stack, shop))
  await sell()
}, 120_000)
afterAll(() => stack.close())

const ROWS = `shipping { net tax refunded }
  products(first: $first) { productCount productNumber name units net tax refundedUnits refunded }
  sources(first: $first) { sourceCount createdFrom createdFromAppCode sourceName medium campaign ordersPlaced ordersPaid ordersCanceled gross net refunded }
  taxes(first: $first) { taxCount name country region rate fixed onShipping net amount }`
const REPORT = `query ($period: OrderPeriodInput!, $currency: String, $first: Int) {
  salesReport(period: $period, currency: $currency) { currency days { ordersPlaced ordersPaid ordersCanceled gross net refunded } ${ROWS} } }`
const LAST_DAYS = { period: 'CUSTOM', firstDay: '2026-10-20', lastDay: '2026-11-01' }
const reportOf = async (variables: Record<string, unknown> = {}, who = shop) => {
  const { data, errors } = await stack.ask(who, REPORT, { period: LAST_DAYS, ...variables })
  expect(errors).toBeUndefined()
  return data.salesReport
}

/** Orders of some days in two currencies: taxed, discounted, shipped, edited, refunded, canceled. */
async function sell(): Promise<void> {
  const { aProduct, anOrder, refund, cancel } = shopping(stack, shop)
  const { aTax } = storefrontShopper(stack, shop)
  const made = async (input: object) => (await aProduct({ price: '10', stockUnlimited: true, ...input })).id
  const variants = await aProduct({
    name: 'Shirt',
    price: '10',
    variants: ['S', 'L'].map((value) => ({ price: '10', stockUnlimited: true, options: [{ name: 'Size', value }] })),
  })
  productIds = [await made({ name: 'Cup' }), await made({ name: 'Bowl' }), variants.id, await made({ name: 'Old vase' })]
  for (const input of [
    { name: 'VAT', rate: '23' },
    { name: 'VAT', rate: '23', shipping: true },
    { name: 'Recycling', rate: '0.5', fixed: true },
    { name: 'City', rate: '1.5', country: 'PT' },
  ])
    await aTax(input)
  await merchant('mutation { updateTaxSettings(input: { pricesIncludeTax: false }) { __typename } }')
  await merchant('mutation { createStoreCurrency(input: { code: "USD", rate: "1.1" }) { __typename } }')
  const random = randomNumbers(29)
  const below = (bound: number) => Math.floor(random() * bound)
  for (let count = 0; count < ORDER_COUNT; count += 1) {
    at = new Date(NOW.getTime() - below(12 * 24) * 3_600_000)
    const lineOf = (index: number) => ({
      productId: String(productIds[index]),
      ...(index === 2 && { variantId: String(variants.variants[count % 2]) }),
      quantity: 1 + below(4),
      price: (2 + below(9_000) / 100).toFixed(2),
      discount: (below(200) / 100).toFixed(2),
    })
    const indexes = [0, 1, 2, 3].filter(() => random() < 0.6)
    const order = await anOrder({
      status: ['PAID', 'PAID', 'PAID', 'PENDING_PAYMENT', 'ABANDONED'][below(5)],
      currency: count % 5 === 4 ? 'USD' : 'EUR',
      shippingPrice: (below(900) / 100).toFixed(2),
      allowMissingProducts: true,
      lines: [
        ...(indexes.length > 0 ? indexes : [0]).map(lineOf),
        ...(count % 6 === 0 ? [{ productId: '999999', name: 'Engraving', quantity: 1, price: '4.99' }] : []),
      ],
      ...(count % 3 === 0 && {
        customer: {
          email: 'ana@example.org',
          shippingAddress: { name: 'Ana', address: 'Rua A', city: 'Porto', country: 'PT', postal: '4000' },
        },
      }),
    })
    const source = SOURCES[count % SOURCES.length] ?? null
    await stack.sql('UPDATE "order" SET source = $2 WHERE store_id = $3 AND id = $1', [
      order.number,
      source === null ? null : JSON.stringify(source),
      shop.storeId,
    ])
    at = NOW
    if (order.status === 'ABANDONED') continue
    if (count % 4 === 1) await edit(order.id)
    const { lines } = (await merchant('query ($id: ID!) { order(id: $id) { lines { id } } }', { id: order.id })).order
    if (order.status === 'PAID' && count % 3 === 0) await refund(order.number, { lines: [{ lineId: lines[0].id, quantity: 1 }] })
    if (order.status === 'PAID' && count % 4 === 0) await refund(order.number, { amount: '0.37' })
    if (count % 9 === 8) await cancel(order.number)
  }
  await merchant('mutation ($id: ID!) { deleteProduct(id: $id) { __typename } }', { id: String(productIds[3]) })
}

async function edit(id: string): Promise<void> {
  const { result } = await merchant(
    'mutation ($id: ID!, $input: EditOrderInput!) { result: editOrder(id: $id, input: $input) { __typename } }',
    {
      id,
      input: {
        addLines: [
          { productId: String(productIds[1]), quantity: 2 },
          { name: 'Gift wrap', price: '1.5' },
        ],
        shippingPrice: '3.33',
      },
    },
  )
  expect(result.__typename).toBe('EditOrderSuccess')
}

/** Repeatable: numbers from 0 to below 1 (Park and Miller). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** Hundredths of a cent, without rounding. */
function exact(decimal: string | number): bigint {
  const [whole = '0', part = ''] = String(decimal).split('.')
  const size = BigInt(whole.replace('-', '') + part.padEnd(4, '0'))
  return whole.startsWith('-') ? -size : size
}

const text = (amount: bigint): string => `${amount / 10_000n}.${String(amount % 10_000n).padStart(4, '0')}`

// biome-ignore lint/suspicious/noExplicitAny: answers as a client sees them
type Row = any
const sum = (rows: readonly Row[], field: string): bigint => rows.reduce((all, row) => all + exact(row[field]), 0n)

test.each([
  ['EUR', 1],
  ['EUR', 3],
  ['EUR', 250],
  ['USD', 2],
])('in %s, rows and the one after the first %d sum to the days', async (currency, first) => {
  const { days, products, shipping, sources, taxes } = await reportOf({ currency, first })
  const net = sum(days, 'net')
  expect(net > 0n).toBe(true)
  expect(sum(products, 'net') + exact(shipping.net)).toBe(net)
  expect(sum(products, 'tax') + exact(shipping.tax)).toBe(sum(days, 'gross') - net)
  expect(sum(products, 'refunded') + exact(shipping.refunded)).toBe(sum(days, 'refunded'))
  for (const field of ['ordersPlaced', 'ordersPaid', 'ordersCanceled', 'gross', 'net', 'refunded'])
    expect([field, sum(sources, field)]).toEqual([field, sum(days, field)])
  expect(sum(taxes, 'amount')).toBe(sum(days, 'gross') - net)
  for (const rows of [products, sources, taxes]) expect(rows.length).toBeLessThanOrEqual(first + 1)
})

test('each product, source and tax has the sums of the single orders, the largest first', async () => {
  const { data } = await stack.ask(
    shop,
    `{ orders(first: 100, filter: { status: [PAID] }) { nodes { currency total giftCardsDiscount tax shippingTax shipping shippingDiscount
      source { createdFrom sourceName medium campaign } shippingTaxes { name country rate fixed amount } refunds { amount toGiftCards lines { lineNumber quantity amount } }
      lines { number productNumber name quantity subtotal discount tax taxes { name country rate fixed amount } } } } }`,
  )
  const paid: readonly Row[] = data.orders.nodes.filter((order: Row) => order.currency === 'EUR')
  expect(paid.length).toBeGreaterThan(10)
  expect(paid.some(({ refunds }) => refunds.some(({ lines }: Row) => lines.length > 0))).toBe(true)
  const { products, sources, taxes, shipping } = await reportOf({ first: 250 })

  const added = new Map<string, bigint[]>()
  const add = (key: string, ...amounts: bigint[]) => {
    const before = added.get(key)
    added.set(
      key,
      amounts.map((amount, index) => amount + (before?.[index] ?? 0n)),
    )
  }
  const found = (): Record<string, string[]> =>
    Object.fromEntries([...added].map(([key, amounts]) => [key, amounts.map(text)]).toSorted())
  const rowsOf = (rows: readonly Row[], key: (row: Row) => string, fields: readonly string[]) =>
    Object.fromEntries(rows.map((row) => [key(row), fields.map((field) => text(exact(row[field])))] as const).toSorted())

  for (const { lines, refunds } of paid) {
    for (const line of lines) {
      const back = refunds.flatMap((each: Row) => each.lines).filter(({ lineNumber }: Row) => lineNumber === line.number)
      add(
        String(line.productNumber),
        ...[exact(line.quantity), exact(line.subtotal) - exact(line.discount), exact(line.tax)],
        ...[sum(back, 'quantity'), sum(back, 'amount')],
      )
    }
  }
  expect(
    rowsOf(products, ({ productNumber }) => String(productNumber ?? 0), ['units', 'net', 'tax', 'refundedUnits', 'refunded']),
  ).toEqual(found())
  expect(products.map(({ net }: Row) => exact(net))).toEqual(
    products.map(({ net }: Row) => exact(net)).toSorted((one: bigint, other: bigint) => Number(other - one)),
  )
  expect(products.map(({ name }: Row) => name).toSorted()).toEqual(['Bowl', 'Cup', 'Engraving', 'Gift wrap', 'Old vase', 'Shirt'])

  added.clear()
  for (const { source, total, giftCardsDiscount } of paid)
    add(sourceKey(source ?? {}), exact(total) + exact(giftCardsDiscount), 10_000n)
  expect(
    rowsOf(
      sources.filter(({ ordersPaid }: Row) => ordersPaid > 0),
      sourceKey,
      ['gross', 'ordersPaid'],
    ),
  ).toEqual(found())
  expect(sources.length).toBeGreaterThanOrEqual(4)

  added.clear()
  for (const order of paid) {
    for (const line of order.lines)
      for (const tax of line.taxes)
        add(taxKey({ ...tax, onShipping: false }), exact(tax.amount), exact(line.subtotal) - exact(line.discount))
    for (const tax of order.shippingTaxes)
      add(taxKey({ ...tax, onShipping: true }), exact(tax.amount), exact(order.shipping) - exact(order.shippingDiscount))
  }
  expect(rowsOf(taxes, taxKey, ['amount', 'net'])).toEqual(found())
  expect(taxes.map(({ name }: Row) => name).toSorted()).toEqual(['City', 'Recycling', 'VAT', 'VAT'])
  expect(exact(shipping.net)).toBe(sum(paid, 'shipping') - sum(paid, 'shippingDiscount'))
})

const sourceKey = ({ createdFrom, sourceName, medium, campaign }: Row): string =>
  JSON.stringify([createdFrom || null, sourceName || null, medium || null, campaign || null])
const taxKey = ({ name, country, rate, fixed, onShipping }: Row): string =>
  JSON.stringify([name, country, Number(rate), fixed, onShipping])

test('the row after the first ones counts what it sums; one product alone keeps its name', async () => {
  const all = (await reportOf({ first: 250 })).products
  expect(all.length).toBe(6)
  const { products } = await reportOf({ first: 2 })
  expect(products.slice(0, 2)).toEqual(all.slice(0, 2))
  expect(products[2]).toMatchObject({ productCount: 4, productNumber: null, name: null })
  expect(sum([products[2]], 'units')).toBe(sum(all.slice(2), 'units'))
  expect((await reportOf({ first: 5 })).products).toEqual(all)
})

test('other stores have none of it, and a report without orders has no rows', async () => {
  const other = await stack.aStore({ country: 'PT' })
  const nothing = { net: '0', tax: '0', refunded: '0' }
  expect(await reportOf({}, other)).toMatchObject({ products: [], sources: [], taxes: [], shipping: nothing })
  const before = { period: 'CUSTOM', firstDay: '2020-01-01', lastDay: '2020-01-02' }
  expect(await reportOf({ period: before })).toMatchObject({ products: [], sources: [], taxes: [], shipping: nothing })
})

test.each([0, 251])('%d rows are refused', async (first) => {
  for (const field of ['products { name }', 'sources { medium }', 'taxes { name }']) {
    const [name, ...rest] = field.split(' ')
    const { errors } = await stack.ask(
      shop,
      `{ salesReport(period: { period: TODAY }) { ${name}(first: ${first}) ${rest.join(' ')} } }`,
    )
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'first' })
  }
})

test('apps need read_orders', async () => {
  const ask = async (scopes: readonly string[]) => {
    const { caller } = await agreedApp(stack, shop, { scopes })
    return (await stack.ask(caller, REPORT, { period: LAST_DAYS })).errors?.[0]?.extensions.code
  }
  expect([await ask(['read_orders']), await ask(['read_products'])]).toEqual([undefined, 'FORBIDDEN'])
})

test('each part is one statement, which reads the orders of the period and their lines by indexes', async () => {
  const copies = [
    `INSERT INTO "order" OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(o, jsonb_build_object('id', o.id + 1000 + n, 'token', md5(n::text),
       'created_at', timestamptz '2026-06-01' - n * interval '1 hour'))).*
     FROM "order" AS o, generate_series(1, 5000) AS n WHERE store_id = $1 AND id = (SELECT min(id) FROM "order" WHERE store_id = $1)`,
    `INSERT INTO order_line OVERRIDING SYSTEM VALUE
     SELECT (jsonb_populate_record(l, jsonb_build_object('id', l.id + 100000 + n, 'order_id', l.order_id + 1000 + n))).*
     FROM order_line AS l, generate_series(1, 5000) AS n WHERE store_id = $1
       AND id = (SELECT min(id) FROM order_line WHERE store_id = $1 AND order_id = (SELECT min(id) FROM "order" WHERE store_id = $1))`,
  ]
  for (const copy of copies) await stack.sql(copy, [shop.storeId])
  for (const table of ['"order"', 'order_line', 'order_refund', 'order_refund_line']) await stack.sql(`ANALYZE ${table}`)
  const queries = vi.spyOn(pg.Client.prototype, 'query')
  try {
    const first = await reportOf({ first: 250 })
    const found = queries.mock.calls
      .map(([statement]) => Object(statement))
      .filter(({ text: sent = '' }) => sent.includes(`"order".status <> 'ABANDONED'`))
    expect([found.length, first.products.length]).toEqual([5, 6])
    for (const { text: sent, values } of found) {
      const plan = (await stack.sql(`EXPLAIN ${sent}`, values)).map((row) => row['QUERY PLAN']).join('\n')
      expect(plan).toMatch(/Index Scan (?:using|on) order_created/)
      expect(plan).not.toMatch(/Seq Scan on (?:"order"|order_line)\b/)
    }
  } finally {
    queries.mockRestore()
  }
})
