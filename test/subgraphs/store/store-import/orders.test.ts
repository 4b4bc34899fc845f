import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type StoreStack, startStore, type TestStore } from '../support/store.ts'
import { storeImports } from './support.ts'

let now = new Date('2026-11-20T09:00:00Z')
let stack: StoreStack
let imports: ReturnType<typeof storeImports>
beforeAll(async () => {
  stack = await startStore(() => now)
  imports = storeImports(stack)
})
afterAll(() => stack.close())

const SHOPIFY_COLUMNS =
  'Name,Email,Financial Status,Paid at,Fulfillment Status,Fulfilled at,Accepts Marketing,Currency,Subtotal,Shipping,Taxes,Total,Discount Code,Discount Amount,Shipping Method,Created at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem compare at price,Lineitem sku,Lineitem requires shipping,Lineitem taxable,Lineitem fulfillment status,Billing Name,Billing Street,Billing Address1,Billing Address2,Billing Company,Billing City,Billing Zip,Billing Province,Billing Country,Billing Phone,Shipping Name,Shipping Street,Shipping Address1,Shipping Address2,Shipping Company,Shipping City,Shipping Zip,Shipping Province,Shipping Country,Shipping Phone,Notes,Note Attributes,Cancelled at,Payment Method,Payment Reference,Refunded Amount,Vendor,Outstanding Balance,Employee,Location,Device ID,Id,Tags,Risk Level,Source,Lineitem discount'
/** As Shopify writes them: the subtotal is what is left after the discount, and further lines repeat the name. */
const SHOPIFY = [
  SHOPIFY_COLUMNS,
  '#1001,ana@example.org,paid,2024-03-01 10:05:00 +0100,fulfilled,2024-03-02 09:00:00 +0100,yes,EUR,45.00,5.00,10.35,60.35,SPRING,5.00,Standard,2024-03-01 10:00:00 +0100,2,Linen Shirt - S,20.00,,LS-S,true,true,fulfilled,Ana Silva,"Rua 1, 2E",Rua 1,2E,Casa Lda,Lisboa,\'1100-001,11,PT,+351910000000,Ana Silva,"Rua 1, 2E",Rua 1,2E,,Lisboa,\'1100-001,11,PT,+351910000000,"Leave it\nat the door","gift: yes\ncard: Happy, dear",,Shopify Payments,c123.1,0.00,Casa,0.00,,,,5001,,Low,web,0.00',
  '#1001,ana@example.org,,,,,,,,,,,,,,2024-03-01 10:00:00 +0100,1,Mug,10.00,,MUG,true,true,fulfilled,,,,,,,,,,,,,,,,,,,,,,,,,,,Casa,,,,,,,,,0.00',
  '#1002,bo@example.org,partially_refunded,2024-04-01 10:00:00 UTC,unfulfilled,,no,EUR,10.00,0.00,0.00,10.00,,0.00,,2024-04-01 10:00:00 UTC,1,Unknown thing,10.00,,,true,false,pending,,,,,,,,,,,,,,,,,,,,,,,,PayPal,,4.00,,0.00,,,,5002,,Low,web,0.00',
  '#1003,,voided,,unfulfilled,,no,EUR,3.00,0.00,0.00,3.00,,0.00,,2024-05-01 10:00:00 UTC,1,Card,3.00,,,false,false,pending,,,,,,,,,,,,,,,,,,,,,,,2024-05-02 10:00:00 UTC,,,0.00,,0.00,,,,5003,,Low,pos,0.00',
].join('\n')

const run = (shop: TestStore, file: string | Buffer, options: object = {}) =>
  imports.run(shop, file, { kind: 'ORDERS', ...options })

const ORDER = `number status fulfillmentStatus shipmentStatus currency subtotal tax shipping discount total refunded paymentMethodName
  paymentMethodType createdAt completedAt updatedAt coupons additionalInformation additionalFields { label value }
  billingInformation { companyName } billingAddress { name city postal regionCode countryCode }
  customer { email phone customer { email } } importedFrom { source name externalId }
  lines { name sku quantity price discount tax total product { name } }`
const ordersOf = async (shop: TestStore, args = '') => {
  const { data, errors } = await stack.ask(shop, `{ orders${args} { totalCount nodes { ${ORDER} } } }`)
  expect(errors).toBeUndefined()
  return data.orders.nodes
}
const ledgerOf = (shop: TestStore) =>
  stack.sql('SELECT kind, amount::float, created_at FROM store.ledger_entry WHERE store_id = $1 ORDER BY id', [shop.storeId])

async function aProduct(shop: TestStore, sku: string, stock: number): Promise<string> {
  const { data } = await stack.ask(
    shop,
    `mutation { createProduct(input: { name: "Mug of ${sku}", price: "10", stock: ${stock}, sku: "${sku}" }) { ... on CreateProductSuccess { product { id } } } }`,
  )
  return data.createProduct.product.id
}

/** A file of one order: cells by column, others as in a small order that is right. */
function aFile(...orders: readonly Readonly<Record<string, string>>[]): string {
  const small = {
    ...{
      Name: '#1',
      Email: 'ana@example.org',
      'Financial Status': 'paid',
      Currency: 'EUR',
      Total: '10',
      'Created at': '2024-01-01T00:00:00.000Z',
    },
    ...{ 'Lineitem quantity': '1', 'Lineitem name': 'Mug', 'Lineitem price': '10' },
  }
  const columns = [...new Set([...Object.keys(small), ...orders.flatMap((order) => Object.keys(order))])]
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
  const rows = orders.map((order) => columns.map((column) => quoted({ ...small, ...order }[column] ?? '')).join(','))
  return [columns.join(','), ...rows].join('\n')
}

describe('orders of Shopify', () => {
  test('are history: with their number, times, sums, customer and products, and a balanced ledger', async () => {
    const shop = await stack.aStore()
    await aProduct(shop, 'MUG', 5)
    expect(await run(shop, SHOPIFY, { source: 'shopify' })).toMatchObject({
      ...{ status: 'COMPLETED', processed: 3, created: 3, skipped: 0, failed: 0 },
      errors: { totalCount: 0 },
    })
    expect(await ordersOf(shop)).toMatchObject([
      {
        ...{ status: 'PAID', fulfillmentStatus: 'FULFILLED', shipmentStatus: 'DELIVERED', currency: 'EUR' },
        ...{ subtotal: '50', tax: '10.35', shipping: '5', discount: '5', total: '60.35', refunded: '0', coupons: ['SPRING'] },
        ...{ createdAt: '2024-03-01T09:00:00.000Z', completedAt: '2024-03-01T09:05:00.000Z' },
        ...{ paymentMethodName: 'Shopify Payments', paymentMethodType: 'manual' },
        additionalInformation: 'Leave it\nat the door',
        additionalFields: [
          { label: 'gift', value: 'yes' },
          { label: 'card', value: 'Happy, dear' },
        ],
        billingInformation: { companyName: 'Casa Lda' },
        billingAddress: { name: 'Ana Silva', city: 'Lisboa', postal: '1100-001', regionCode: '11', countryCode: 'PT' },
        customer: { email: 'ana@example.org', phone: '+351910000000', customer: { email: 'ana@example.org' } },
        importedFrom: { source: 'shopify', name: '#1001', externalId: '5001' },
        lines: [
          {
            name: 'Linen Shirt - S',
            sku: 'LS-S',
            quantity: 2,
            price: '20',
            discount: '4',
            tax: '8.28',
            total: '44.28',
            product: null,
          },
          { name: 'Mug', sku: 'MUG', quantity: 1, discount: '1', tax: '2.07', total: '11.07', product: { name: 'Mug of MUG' } },
        ],
      },
      { status: 'PAID', fulfillmentStatus: 'UNFULFILLED', total: '10', refunded: '4', importedFrom: { name: '#1002' } },
      { status: 'CANCELED', total: '3', customer: null, updatedAt: '2024-05-02T10:00:00.000Z' },
    ])
    expect(await ledgerOf(shop)).toEqual([
      { kind: 'PAYMENT', amount: 60.35, created_at: new Date('2024-03-01T09:05:00Z') },
      { kind: 'PAYMENT', amount: 10, created_at: new Date('2024-04-01T10:00:00Z') },
      { kind: 'REFUND', amount: -4, created_at: new Date('2024-04-01T10:00:00Z') },
    ])
    const { data } = await stack.ask(shop, '{ products { nodes { stock } } }')
    expect(data.products.nodes).toEqual([{ stock: 5 }])
    expect((await ordersOf(shop, '(search: "1002")')).map((order: { total: string }) => order.total)).toEqual(['10'])
  })

  test('that were imported before are skipped, and those of another shop with the same number are not', async () => {
    const shop = await stack.aStore()
    await run(shop, SHOPIFY, { source: 'shopify' })
    const before = [await ordersOf(shop), await ledgerOf(shop)]
    expect(await run(shop, SHOPIFY, { source: 'shopify' })).toMatchObject({ created: 0, skipped: 3, failed: 0 })
    expect([await ordersOf(shop), await ledgerOf(shop)]).toEqual(before)
    expect(await run(shop, SHOPIFY, { source: 'other' })).toMatchObject({ created: 3, skipped: 0 })
    const count = await stack.sql('SELECT count(*)::int FROM store.customer WHERE store_id = $1', [shop.storeId])
    expect(count).toEqual([{ count: 2 }])
  })

  test('of two shops with the same numbers keep their shop and number in lines of JSON', async () => {
    const shop = await stack.aStore()
    await run(shop, SHOPIFY, { source: 'shopify' })
    await run(shop, aFile({ Name: '#1001' }), { source: 'market' })
    const id = await aProduct(shop, 'MUG', 5)
    await stack.ask(shop, 'mutation ($id: ID!) { createOrder(input: { lines: [{ productId: $id }] }) { __typename } }', { id })
    const json = await imports.export(shop, 'ORDERS', 'JSON_LINES')
    const origins = async (of: TestStore) =>
      (await ordersOf(of)).map(({ importedFrom }: { importedFrom: { source: string; name: string } | null }) =>
        importedFrom === null ? null : [importedFrom.source, importedFrom.name],
      )
    const imported = [
      ['shopify', '#1001'],
      ['shopify', '#1002'],
      ['shopify', '#1003'],
      ['market', '#1001'],
    ]
    expect(await origins(shop)).toEqual([...imported, null])
    const other = await stack.aStore()
    expect(await run(other, json, { format: 'JSON_LINES', source: 'old' })).toMatchObject({ created: 5, failed: 0 })
    expect(await origins(other)).toEqual([...imported, ['old', expect.stringMatching(/^#\d+$/)]])
    expect(await run(other, json, { format: 'JSON_LINES', source: 'old' })).toMatchObject({ created: 0, skipped: 5, failed: 0 })
    // Of all but the order that was placed there, the source of the import says nothing.
    expect(await run(shop, json, { format: 'JSON_LINES', source: 'new' })).toMatchObject({ created: 1, skipped: 4, failed: 0 })
    expect(await run(other, SHOPIFY, { source: 'shopify' })).toMatchObject({ created: 0, skipped: 3 })
    // Without a shop of its own, an order is of that of the import: here the same one again.
    const [line = ''] = json.split('\n')
    const twice = [line, JSON.stringify({ ...JSON.parse(line), importedFrom: null })].join('\n')
    const third = await stack.aStore()
    expect(await run(third, twice, { format: 'JSON_LINES', source: 'shopify' })).toMatchObject({
      ...{ created: 1, failed: 1 },
      errors: { nodes: [{ row: 2, message: expect.stringContaining('one of row 1 again') }] },
    })
    expect(await run(third, twice, { format: 'JSON_LINES', source: 'old' })).toMatchObject({ created: 1, skipped: 1 })
  })

  test('are found by their number still when their customer was erased', async () => {
    const shop = await stack.aStore()
    await run(shop, SHOPIFY, { source: 'shopify' })
    const [ana] = await stack.sql(`SELECT id FROM store.customer WHERE store_id = $1 AND email = 'ana@example.org'`, [
      shop.storeId,
    ])
    const { data } = await stack.ask(
      shop,
      `mutation { eraseCustomer(id: "${ana?.id}") { ... on EraseCustomerSuccess { orders } } }`,
    )
    expect(data.eraseCustomer).toEqual({ orders: 1 })
    for (const [search, count] of [
      ['1001', 1],
      ['linen', 1],
      ['silva', 0],
    ] as const)
      expect([search, await ordersOf(shop, `(search: "${search}")`)]).toEqual([
        search,
        expect.objectContaining({ length: count }),
      ])
  })

  test('are only checked by a dry run', async () => {
    const shop = await stack.aStore()
    expect(await run(shop, SHOPIFY, { isDryRun: true })).toMatchObject({ status: 'COMPLETED', created: 3 })
    expect(await ordersOf(shop)).toEqual([])
    expect(await stack.sql('SELECT id FROM store.customer WHERE store_id = $1', [shop.storeId])).toEqual([])
  })

  test('send no events, unless the import is to send them', async () => {
    const shop = await stack.aStore()
    const events = async () =>
      (await stack.sql('SELECT payload FROM event WHERE topic = $1 ORDER BY number', [`store:${shop.storeId}`])).map(
        ({ payload }) => (payload as { event: string }).event,
      )
    await run(shop, aFile({}))
    expect(await events()).toEqual([])
    await run(shop, aFile({ Name: '#2', Email: 'new@example.org' }), { sendsEvents: true })
    expect(await events()).toEqual(['customer_created', 'order_created', 'order_paid', 'order_updated'])
  })

  test('reserve the stock of what is to be fulfilled only where the import is to take it', async () => {
    const shop = await stack.aStore()
    await aProduct(shop, 'MUG', 3)
    const file = aFile(
      { 'Lineitem sku': 'MUG', 'Lineitem quantity': '2', Total: '20' },
      { Name: '#2', 'Lineitem sku': 'MUG', 'Fulfillment Status': 'fulfilled' },
      { Name: '#3', 'Lineitem sku': 'MUG', 'Lineitem quantity': '2', Total: '20' },
    )
    const about = await run(shop, file, { takesStock: true })
    expect(about).toMatchObject({ created: 2, failed: 1, errors: { nodes: [{ row: 4, column: 'Lineitem quantity' }] } })
    const { data } = await stack.ask(shop, '{ products { nodes { stock } } }')
    expect(data.products.nodes).toEqual([{ stock: 1 }])
    expect(await ordersOf(shop)).toHaveLength(2)
    expect(await run(shop, aFile({ Name: '#4', 'Lineitem sku': 'MUG' }))).toMatchObject({ created: 1 })
    expect((await stack.ask(shop, '{ products { nodes { stock } } }')).data.products.nodes).toEqual([{ stock: 1 }])
  })
})

describe('stock that an import takes', () => {
  const MUG = { 'Lineitem sku': 'MUG' }
  const refunded = { 'Financial Status': 'refunded', 'Refunded Amount': '10' }
  test.each<[why: string, cells: Readonly<Record<string, string>>, left: number]>([
    ['is to be fulfilled', {}, 4],
    ['is scheduled', { 'Fulfillment Status': 'scheduled' }, 4],
    ['was refunded in part', { 'Financial Status': 'partially_refunded', 'Refunded Amount': '4' }, 4],
    ['was refunded in full', refunded, 5],
    ['was refunded in full and restocked', { ...refunded, 'Fulfillment Status': 'restocked' }, 5],
    ['was restocked', { 'Fulfillment Status': 'restocked' }, 5],
    ['was canceled', { 'Cancelled at': '2024-01-02T00:00:00.000Z' }, 5],
    [
      'was fulfilled in part, but not this line',
      { 'Fulfillment Status': 'partial', 'Lineitem fulfillment status': 'pending' },
      4,
    ],
    ['was fulfilled in part, with this line', { 'Fulfillment Status': 'partial', 'Lineitem fulfillment status': 'fulfilled' }, 5],
  ])('of an order that %s', async (why, cells, left) => {
    const shop = await stack.aStore()
    await aProduct(shop, 'MUG', 5)
    const stockOf = async (of: TestStore) => (await stack.ask(of, '{ products { nodes { stock } } }')).data.products.nodes
    expect(await run(shop, aFile({ ...MUG, ...cells }), { takesStock: true })).toMatchObject({ created: 1, failed: 0 })
    expect(await stockOf(shop)).toEqual([{ stock: left }])
    // Lines of JSON do not say which of their units were fulfilled or restocked.
    if (why === 'was restocked' || why.startsWith('was fulfilled in part')) return
    const json = await imports.export(shop, 'ORDERS', 'JSON_LINES')
    const other = await stack.aStore()
    await aProduct(other, 'MUG', 5)
    expect(await run(other, json, { format: 'JSON_LINES', takesStock: true })).toMatchObject({ created: 1, failed: 0 })
    expect(await stockOf(other)).toEqual([{ stock: left }])
  })
})

describe('sums of imported orders', () => {
  const refund = { 'Financial Status': 'refunded', 'Refunded Amount': '4' }
  test.each<[why: string, cells: Readonly<Record<string, string>>, column: string]>([
    ['a total that is not that of its parts', { Total: '11' }, 'Total'],
    ['shipping that is not in the total', { Shipping: '2' }, 'Total'],
    ['a subtotal above its lines', { Subtotal: '12', Total: '12' }, 'Subtotal'],
    ['a subtotal that no discount explains', { Subtotal: '7', Total: '7' }, 'Subtotal'],
    [
      'a discount of a line above its price',
      { 'Lineitem discount': '11', 'Discount Amount': '11', Shipping: '5', Total: '4' },
      'Lineitem discount',
    ],
    ['a negative sum', { Total: '-10' }, 'Total'],
    [
      'more tax in prices than is taxable',
      { Taxes: '6', 'Lineitem taxable': 'false', Shipping: '5', Subtotal: '10', Total: '15' },
      'Taxes',
    ],
    ['a sum of parts of a cent', { Taxes: '0.005', Total: '10.005' }, 'Taxes'],
    ['a price that is a formula', { 'Lineitem price': '=1+1' }, 'Lineitem price'],
    ['units that are none', { 'Lineitem quantity': '0' }, 'Lineitem quantity'],
    ['more than the database holds', { 'Lineitem price': '9999999999', 'Lineitem quantity': '1000000' }, 'Lineitem price'],
    ['refunds of more than the database holds', { 'Refunded Amount': '9999999999.99' }, 'Refunded Amount'],
    ['a discount of more than the database holds', { 'Discount Amount': '9999999999.99' }, 'Lineitem price'],
    ['an unknown currency', { Currency: 'XYZ' }, 'Currency'],
    ['a time in the future', { 'Created at': '2027-01-01T00:00:00.000Z' }, 'Created at'],
    ['a day that does not exist', { 'Created at': '2024-02-30T00:00:00.000Z' }, 'Created at'],
    ['no time', { 'Created at': '' }, 'Created at'],
    ['an unknown status', { 'Financial Status': 'lost' }, 'Financial Status'],
    ['a full refund of less than the total', refund, 'Refunded Amount'],
    ['a refund of what was not paid', { ...refund, 'Financial Status': 'pending' }, 'Refunded Amount'],
    ['a rest of what is paid', { 'Outstanding Balance': '3' }, 'Outstanding Balance'],
    ['no address of e-mail', { Email: 'ana' }, 'Email'],
    ['an unknown country', { 'Billing Country': 'Atlantis' }, 'Billing Country'],
    ['a number that is too long', { Name: '#'.repeat(51) }, 'Name'],
    ['no number', { Name: ' ' }, 'Name'],
  ])('%s is an error of its column, and nothing is written', async (_, cells, column) => {
    const shop = await stack.aStore()
    const about = await run(shop, aFile(cells))
    expect(about).toMatchObject({ status: 'COMPLETED', created: 0, failed: 1 })
    expect(about.errors.nodes[0]).toMatchObject({ row: 2, column })
    expect(await ordersOf(shop)).toEqual([])
  })

  test('are accepted with taxes inside or outside prices, with and without discounts in the subtotal', async () => {
    const shop = await stack.aStore()
    const parts = { Shipping: '5', Taxes: '2', 'Discount Amount': '3' }
    const file = aFile(
      { ...parts, Name: '#outside', Total: '14' },
      { ...parts, Name: '#outside-net', Subtotal: '7', Total: '14' },
      { ...parts, Name: '#inside', Subtotal: '7', Total: '12' },
      { ...parts, Name: '#inside-net', Subtotal: '8', Total: '12' },
      { ...parts, Name: '#cards', 'Lineitem discount': '1', 'Discount Amount': '9', Total: '8' },
    )
    expect(await run(shop, file)).toMatchObject({ created: 5, errors: { totalCount: 0 } })
    const sums = await stack.sql(
      `SELECT name, subtotal::float, tax::float, shipping::float, discount::float, shipping_discount::float AS off, gift_cards_discount::float AS cards,
        (SELECT sum(line.total)::float FROM store.order_line line WHERE line.store_id = "order".store_id AND order_id = "order".id) AS lines
       FROM store."order" JOIN store.imported_order imported ON imported.store_id = "order".store_id AND order_id = "order".id
       WHERE "order".store_id = $1 ORDER BY "order".id`,
      [shop.storeId],
    )
    expect(sums).toEqual([
      { name: '#outside', subtotal: 10, tax: 2, shipping: 5, discount: 3, off: 0, cards: 0, lines: 9 },
      { name: '#outside-net', subtotal: 10, tax: 2, shipping: 5, discount: 3, off: 0, cards: 0, lines: 9 },
      { name: '#inside', subtotal: 8, tax: 2, shipping: 5, discount: 3, off: 0, cards: 0, lines: 7 },
      { name: '#inside-net', subtotal: 8, tax: 2, shipping: 5, discount: 3, off: 0, cards: 0, lines: 7 },
      { name: '#cards', subtotal: 10, tax: 2, shipping: 5, discount: 1, off: 5, cards: 3, lines: 11 },
    ])
  })
})

describe('taxes of imported orders', () => {
  const two = (first: string, second: string, head: Readonly<Record<string, string>>) => {
    const [columns, row = ''] = aFile({ 'Lineitem taxable': first, ...head }).split('\n')
    const names = columns?.split(',') ?? []
    const cells = names.map(
      (name) =>
        ({ Name: '#1', 'Lineitem quantity': '1', 'Lineitem name': 'Book', 'Lineitem price': '20', 'Lineitem taxable': second })[
          name
        ] ?? '',
    )
    return [columns, row, cells.join(',')].join('\n')
  }
  test.each<[why: string, file: string, taxes: readonly number[], shipping: number, shippingTax: number]>([
    ['of shipping alone, in its price', two('false', 'false', { Shipping: '12', Taxes: '2', Total: '42' }), [0, 0], 10, 2],
    ['of shipping alone, above all lines', two('false', 'false', { Shipping: '72', Taxes: '40', Total: '102' }), [0, 0], 32, 40],
    ['of shipping alone, beside its price', two('false', 'false', { Shipping: '10', Taxes: '2', Total: '42' }), [0, 0], 10, 2],
    ['of one line, in its price', two('true', 'false', { Shipping: '12', Taxes: '2', Total: '42' }), [2, 0], 12, 0],
    [
      'of one line and of shipping, in both prices',
      two('true', 'false', { Shipping: '30', Taxes: '20', Total: '60' }),
      [5, 0],
      15,
      15,
    ],
  ])('are those %s', async (_, file, taxes, shipping, shippingTax) => {
    const shop = await stack.aStore()
    expect(await run(shop, file)).toMatchObject({ created: 1, errors: { totalCount: 0 } })
    const rows = await stack.sql(
      `SELECT shipping::float, shipping_tax::float AS "shippingTax", ARRAY(SELECT line.tax::float FROM store.order_line line
         WHERE line.store_id = "order".store_id AND order_id = "order".id ORDER BY line.id) AS taxes
       FROM store."order" WHERE store_id = $1`,
      [shop.storeId],
    )
    expect(rows).toEqual([{ shipping, shippingTax, taxes }])
    const json = await imports.export(shop, 'ORDERS', 'JSON_LINES')
    expect(await run(await stack.aStore(), json, { format: 'JSON_LINES' })).toMatchObject({
      created: 1,
      errors: { totalCount: 0 },
    })
    const csv = await imports.export(shop, 'ORDERS', 'CSV')
    const other = await stack.aStore()
    expect(await run(other, csv)).toMatchObject({ created: 1, errors: { totalCount: 0 } })
    expect(await imports.export(other, 'ORDERS', 'CSV')).toEqual(csv)
  })
})

describe('files of orders', () => {
  test('with hostile cells are written as they are, or named', async () => {
    const shop = await stack.aStore()
    const file = aFile({
      'Lineitem name': '=HYPERLINK("http://evil.example")',
      Notes: 'one\r\ntwo "three"',
      'Lineitem sku': "'; DROP",
    })
    expect(await run(shop, `\uFEFF${file}`)).toMatchObject({ created: 1, failed: 0 })
    expect(await ordersOf(shop)).toMatchObject([
      { additionalInformation: 'one\r\ntwo "three"', lines: [{ name: '=HYPERLINK("http://evil.example")', sku: "'; DROP" }] },
    ])
    const csv = await imports.export(shop, 'ORDERS', 'CSV')
    expect(csv).toContain(`"'=HYPERLINK(""http://evil.example"")"`)
    for (const [broken, failure] of [
      [aFile({}).replace('Email', 'Name'), 'each column once'],
      [`${aFile({})}\0`, 'NUL'],
      [aFile({ Notes: 'x'.repeat(1_100_000) }), 'at most 1,000,000 characters'],
      ['Number,Total\n1,2', 'column "Name"'],
    ])
      expect(await run(shop, broken ?? '')).toMatchObject({ status: 'FAILED', failure: expect.stringContaining(failure ?? '') })
    // A number again, in rows that do not follow each other.
    const again = await run(shop, aFile({ Name: '#7' }, { Name: '#8' }, { Name: '#7' }))
    expect(again).toMatchObject({ created: 2, failed: 1, errors: { nodes: [{ row: 4 }] } })
    expect(await ordersOf(shop)).toHaveLength(3)
  })

  test('only have a source, stock and events where they are of orders, and are never overwritten', async () => {
    const shop = await stack.aStore()
    for (const [input, field] of [
      [{ kind: 'ORDERS', overwrite: true }, 'overwrite'],
      [{ kind: 'ORDERS', source: ' ' }, 'source'],
      [{ kind: 'ORDERS', source: 'x'.repeat(51) }, 'source'],
      [{ kind: 'PRODUCTS', source: 'shopify' }, 'source'],
      [{ kind: 'CUSTOMERS', takesStock: true }, 'takesStock'],
      [{ kind: 'PRODUCTS', sendsEvents: true }, 'sendsEvents'],
    ] as const)
      expect(await imports.create(shop, input)).toMatchObject({ __typename: 'ValidationError', field })
  })

  test('of JSON with sums that do not add up, or with unknown fields, name the path', async () => {
    const shop = await stack.aStore()
    await run(shop, SHOPIFY)
    const [line = ''] = (await imports.export(shop, 'ORDERS', 'JSON_LINES')).split('\n')
    const order = JSON.parse(line)
    const [first] = order.lines
    const other = await stack.aStore()
    for (const [change, column] of [
      [{ total: '1' }, 'total'],
      [{ lines: [{ ...first, total: '1' }, order.lines[1]] }, 'lines.0.total'],
      [{ lines: [{ ...first, taxes: [] }, order.lines[1]] }, 'lines.0.tax'],
      [{ lines: [{ ...first, taxes: [{ ...first.taxes[0], amount: '1' }] }, order.lines[1]] }, 'lines.0.tax'],
      [{ paid: '0', refunded: '5' }, 'paid'],
      [{ importedFrom: 'x'.repeat(51) }, 'importedFrom'],
      [{ createdAt: '2024-02-30T00:00:00.000Z' }, 'createdAt'],
      [{ completedAt: '2023-02-29T00:00:00.000Z' }, 'completedAt'],
      [{ billingAddress: { ...order.billingAddress, latitude: 'north' } }, 'billingAddress.latitude'],
      [{ billingAddress: { ...order.billingAddress, floor: '3' } }, 'billingAddress'],
      [{ billingAddress: { ...order.billingAddress, latitude: '90.0001' } }, 'billingAddress.latitude'],
      [{ shippingAddress: { ...order.shippingAddress, longitude: '-181' } }, 'shippingAddress.longitude'],
      [{ shippingAddress: { ...order.shippingAddress, streetNumber: '7 bis' } }, 'shippingAddress.streetNumber'],
      [{ admin: true }, ''],
      [{ createdAt: '2030-01-01T00:00:00.000Z' }, 'createdAt'],
      [{ currency: 'XYZ' }, 'currency'],
      [{ trackingUrl: 'javascript:alert(1)' }, 'trackingUrl'],
      [{ billingAddress: { ...order.billingAddress, countryCode: 'Atlantis' } }, 'billingAddress.countryCode'],
    ] as const) {
      const about = await run(other, JSON.stringify({ ...order, ...change }), { format: 'JSON_LINES' })
      expect([about.failed, about.errors.nodes[0]?.column]).toEqual([1, column])
    }
  })
})

describe('an export of orders', () => {
  /** Orders of all kinds: paid, refunded, edited, canceled, with a discount, to an address. */
  async function aTradingStore(): Promise<TestStore> {
    const shop = await stack.aStore()
    const id = await aProduct(shop, 'MUG', 100)
    const place = async (input: string) => {
      const { data, errors } = await stack.ask(
        shop,
        `mutation ($id: ID!) { createOrder(input: { lines: [{ productId: $id, quantity: 3 }, { productId: $id, quantity: 1, price: "12.345" }], ${input} }) { __typename ... on CreateOrderSuccess { order { number } } } }`,
        { id },
      )
      expect([errors, data?.createOrder.__typename]).toEqual([undefined, 'CreateOrderSuccess'])
      return String(data.createOrder.order.number)
    }
    const change = async (text: string, number: string) => {
      const { data, errors } = await stack.ask(shop, `mutation ($id: ID!) { result: ${text} { __typename } }`, { id: number })
      expect(errors).toBeUndefined()
      expect(data.result.__typename).toMatch(/Success$/)
    }
    const customer =
      'customer: { email: "Ana@example.org", phone: "+351910000000", fullname: "Ana", billingAddress: { name: "Ana", surname: "Silva", address: "Rua", streetNumber: "7", city: "Lisboa", postal: "1100", region: "Lisboa", country: "PT" } }'
    await place(
      `status: PAID, ${customer}, shippingPrice: "4.5", additionalInformation: " spaced \\n=2 ", additionalFields: [{ label: "gift", value: "a\\nb: c" }]`,
    )
    await place('status: PENDING_PAYMENT')
    await change('cancelOrder(id: $id, input: {})', await place(`status: PAID, ${customer}`))
    await change('refundOrder(id: $id, input: {})', await place(`status: PAID, ${customer}`))
    await change('refundOrder(id: $id, input: {amount: "5"})', await place(`status: PAID, ${customer}`))
    await change('editOrder(id: $id, input: {shippingPrice: "5"})', await place(`status: PAID, ${customer}`))
    const lowered = await place(`status: PAID, ${customer}, shippingPrice: "9"`)
    await change('editOrder(id: $id, input: {shippingPrice: "2"})', lowered)
    await change('refundOrderBalance(id: $id, input: {})', lowered)
    await change('updateOrder(id: $id, input: {shipmentStatus: REQUESTED})', await place(`status: PAID, ${customer}`))
    return shop
  }

  test('into an empty store gives the same export, in every column of CSV', async () => {
    const shop = await aTradingStore()
    now = new Date('2026-11-21T09:00:00Z')
    const csv = await imports.export(shop, 'ORDERS', 'CSV')
    const other = await stack.aStore()
    expect(await run(other, csv)).toMatchObject({ created: 8, failed: 0, errors: { nodes: [] } })
    expect((await imports.export(other, 'ORDERS', 'CSV')).split('\r\n')).toEqual(csv.split('\r\n'))
    const statuses = csv.split('\r\n').flatMap((row) => /^#\d+,[^,]*,([a-z_]+),/.exec(row)?.[1] ?? [])
    expect(statuses).toEqual(['paid', 'pending', 'voided', 'refunded', 'partially_refunded', 'partially_paid', 'paid', 'paid'])
  })

  test('into an empty store gives the same lines of JSON, but for ids', async () => {
    const shop = await aTradingStore()
    const json = await imports.export(shop, 'ORDERS', 'JSON_LINES')
    const other = await stack.aStore()
    expect(await run(other, json, { format: 'JSON_LINES' })).toMatchObject({ created: 8, failed: 0, errors: { nodes: [] } })
    const withoutIds = (text: string) =>
      text.replace(/"(importedFrom|number|productNumber|imageKey|version|addedAt|shippingMethodNumber)":("[^"]*"|\w+),?/g, '')
    expect(withoutIds(await imports.export(other, 'ORDERS', 'JSON_LINES')).split('\n')).toEqual(withoutIds(json).split('\n'))
    const net = (of: TestStore) =>
      stack.sql('SELECT sum(amount)::float FROM store.ledger_entry WHERE store_id = $1 AND order_id IS NOT NULL', [of.storeId])
    expect(await net(other)).toEqual(await net(shop))
  })
})

describe('lists by time of a store with imported orders', () => {
  test('hold orders of both kinds, whichever was written first', async () => {
    const shop = await stack.aStore()
    const id = await aProduct(shop, 'MUG', 100)
    const place = () =>
      stack.ask(shop, 'mutation ($id: ID!) { createOrder(input: { lines: [{ productId: $id }] }) { __typename } }', { id })
    now = new Date('2026-11-01T00:00:00Z')
    await place()
    now = new Date('2026-11-10T00:00:00Z')
    await run(shop, aFile(...[1, 2, 3].map((day) => ({ Name: `#${day}`, 'Created at': `2026-10-0${day}T00:00:00.000Z` }))))
    await run(shop, aFile({ Name: '#late', 'Created at': '2026-11-05T00:00:00.000Z' }))
    await place()
    const times = async (filter: string) =>
      (await ordersOf(shop, `(filter: { ${filter} })`))
        .map(({ createdAt }: { createdAt: string }) => createdAt.slice(5, 10))
        .toSorted()
    expect(await times('createdSince: "2026-10-02T00:00:00Z"')).toEqual(['10-02', '10-03', '11-01', '11-05', '11-10'])
    expect(await times('createdSince: "2026-10-05T00:00:00Z"')).toEqual(['11-01', '11-05', '11-10'])
    expect(await times('createdSince: "2026-11-03T00:00:00Z"')).toEqual(['11-05', '11-10'])
    expect(await times('createdSince: "2026-11-08T00:00:00Z"')).toEqual(['11-10'])
    expect(await times('createdBefore: "2026-10-03T00:00:00Z"')).toEqual(['10-01', '10-02'])
    expect(await times('createdBefore: "2026-11-06T00:00:00Z"')).toEqual(['10-01', '10-02', '10-03', '11-01', '11-05'])
    now = new Date('2026-11-20T09:00:00Z')
  })
})
