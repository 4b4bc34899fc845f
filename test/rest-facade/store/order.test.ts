import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StoreRestStack, startStoreStack } from './stack.ts'

const NOON = new Date('2026-11-20T12:00:00Z')
let stack: StoreRestStack
beforeAll(async () => {
  stack = await startStoreStack({ now: () => NOON })
})
afterAll(() => stack.close())

async function aProduct(product: Record<string, unknown> = {}, as = stack.own): Promise<number> {
  const { json } = await stack.ask('POST /products.json', { as, body: { product: { name: 'Lamp', price: 10, ...product } } })
  return json.product.id
}
async function anOrder(order: Record<string, unknown> = {}, as = stack.own) {
  const products = order.products ?? [{ id: await aProduct({}, as) }]
  const reply = await stack.ask('POST /orders.json', { as, body: { order: { ...order, products } } })
  expect([reply.status, reply.text]).toEqual([200, expect.any(String)])
  return reply.json.order
}

test('an order is created with given prices, and answered as documented', async () => {
  const id = await aProduct({ name: 'Lamp', price: 10, stock: 5, sku: 'L' })
  const customer = { email: 'ana@example.com', shipping_address: { name: 'Ana', surname: 'Sousa', country: 'PT', city: 'Porto' } }
  const order = await anOrder({
    status: 'Pending Payment',
    shipping_method_name: 'Van',
    shipping_price: 4.5,
    customer,
    billing_information: { company_name: 'Sousa Lda' },
    products: [{ id, qty: 3, price: 3.3333, discount: 1 }],
  })
  expect(order).toMatchObject({
    status: 'Pending Payment',
    status_name: 'Pending Payment',
    status_enum: 'pending_payment',
    fulfillment_status: 'unfulfilled',
    shipment_status: 'Unfulfilled',
    shipment_status_enum: 'unfulfilled',
    shipping_option: 'delivery',
    created_at: '2026-11-20 12:00:00 UTC',
    completed_at: '2026-11-20 12:00:00 UTC',
    subtotal: 10,
    discount: 1,
    shipping: 4.5,
    total: 13.5,
    coupons: null,
    promotions: [],
    shipping_method_name: 'Van',
    customer: { email: 'ana@example.com', fullname: 'ana@example.com' },
    shipping_address: { name: 'Ana', country: 'Portugal', country_code: 'PT' },
    billing_address: null,
    billing_information: { company_name: 'Sousa Lda', business_activity: null },
    source: { created_from: 'api' },
    products: [
      {
        id,
        sku: 'L',
        qty: 3,
        price: 3.3333,
        discount: 1,
        weight: 1,
        taxes: [],
        stock_locations: [{ location_id: null, stock: 3 }],
      },
    ],
  })
  expect((await stack.ask(`GET /orders/${order.id}.json`)).json).toEqual({ order })
  expect((await stack.ask(`GET /products/${id}.json`)).json.product.stock).toBe(2)
  expect((await stack.ask(`GET /carts/${order.id}.json`)).json).toEqual([{ order }])
})

test('an order without status is pending; lower-case words are accepted; a guest order has no customer', async () => {
  expect(await anOrder()).toMatchObject({ status_enum: 'pending_payment', customer: null })
  expect(await anOrder({ status: 'paid' })).toMatchObject({ status: 'Paid' })
})

test('only what a change may be about is changed, and the rest of the body is ignored', async () => {
  const { id } = await anOrder()
  const body = {
    order: {
      status: 'Paid',
      shipment_status: 'requested',
      tracking_number: 'T-1',
      tracking_company: 'other',
      tracking_url: 'https://track.example/T-1',
      additional_information: 'Ring twice',
      additional_fields: [{ label: 'Gift', value: 'yes', area: 'other' }],
      total: 0,
      customer: { id: 7 },
    },
  }
  const changed = (await stack.ask(`PUT /orders/${id}.json`, { body })).json.order
  expect(changed).toMatchObject({
    status: 'Paid',
    shipment_status: 'Requested',
    fulfillment_status: 'fulfilled',
    tracking_number: 'T-1',
    additional_information: 'Ring twice',
    additional_fields: [{ label: 'Gift', value: 'yes', area: 'other' }],
    total: 10,
    customer: null,
  })
  expect((await stack.ask(`GET /carts/${id}.json`)).status).toBe(404)
  const skipped = await stack.ask(`PUT /orders/${id}.json`, { body: { order: { shipment_status: 'delivered' } } })
  expect([skipped.status, Object.keys(skipped.json.errors)]).toEqual([400, ['order.shipment_status']])
  const back = await stack.ask(`PUT /orders/${id}.json`, { body: { order: { status: 'Abandoned' } } })
  expect([back.status, back.json.message]).toEqual([400, expect.stringContaining('CANCELED')])
  expect((await stack.ask(`PUT /orders/${id}.json`, { body: { order: { shipment_status: 'unfulfilled' } } })).status).toBe(400)
})

test('lists are filtered by state, fulfilment, days and words, and counted', async () => {
  const shop = await stack.aStore()
  const made = new Map<number, string>()
  for (const status of ['Abandoned', 'Canceled', 'Pending Payment', 'Paid']) {
    const customer = { email: `${status.replace(' ', '')}@example.com` }
    made.set((await anOrder({ status, customer }, shop)).id, status)
  }
  const [first] = [...made.keys()] as [number]
  const listed = async (path: string) => {
    const { json } = await stack.ask(`GET ${path}`, { as: shop })
    return (json.orders ?? json).map(({ order }: { order: { id: number } }) => made.get(order.id))
  }
  expect(await listed('/orders.json')).toEqual(['Abandoned', 'Canceled', 'Pending Payment', 'Paid'])
  expect(await listed('/orders.json?limit=1&page=3&locale=pt&fields=id')).toEqual(['Pending Payment'])
  expect(await listed('/orders.json?status_filters[]=paid&status_filters[]=abandoned')).toEqual(['Abandoned', 'Paid'])
  expect(await listed('/orders.json?status_filters%5B%5D=created')).toEqual(['Canceled', 'Pending Payment', 'Paid'])
  expect(await listed('/orders.json?fulfillment_filters=fulfilled')).toEqual([])
  expect(await listed('/orders.json?fulfillment_filters=fulfilled,unfulfilled&dateFilter=today')).toHaveLength(4)
  expect(await listed('/orders.json?dateFilter=yesterday')).toEqual([])
  expect(await listed('/orders.json?dateFilter=customDate&initialDate=2026-11-20&finalDate=2026-11-20')).toHaveLength(4)
  expect(await listed('/orders.json?dateFilter=customDate&finalDate=2026-11-19')).toEqual([])
  expect(await listed('/orders/status/pending_payment.json')).toEqual(['Pending Payment'])
  expect(await listed(`/orders/after/${first}.json?limit=2`)).toEqual(['Canceled', 'Pending Payment'])
  expect(await listed('/orders/search.json?query=PAID@')).toEqual(['Paid'])
  expect(await listed('/orders/search.json?query=Paid@Example.com')).toEqual(['Paid'])
  expect(await listed('/orders/search.json?query=d@example.com')).toEqual(['Abandoned', 'Canceled', 'Paid'])
  for (const other of ['paid@example.org', 'paid@ex_mple.com']) {
    expect(await listed(`/orders/search.json?query=${other}`)).toEqual([])
  }
  expect((await stack.ask('GET /orders/search.json?query=example&limit=1', { as: shop })).json).toMatchObject({
    orders: [{ order: { id: first } }],
    count: 4,
  })
  expect((await stack.ask('GET /orders/count.json', { as: shop })).text).toBe('{"count":4}')
  for (const [path, status, field] of [
    ['/orders.json?status_filters[]=lost', 400, 'status_filters[]'],
    ['/orders.json?dateFilter=tomorrow', 400, 'dateFilter'],
    ['/orders.json?dateFilter=customDate&initialDate=2026-02-30', 400, 'initialDate'],
    ['/orders.json?limit=0', 400, 'limit'],
    ['/orders/search.json?page=-1', 400, 'page'],
  ] as const) {
    const refused = await stack.ask(`GET ${path}`, { as: shop })
    expect([path, refused.status, Object.keys(refused.json.errors)]).toEqual([path, status, [field]])
  }
  expect((await stack.ask('GET /orders/after/0.json', { as: shop })).json).toHaveLength(
    (await stack.ask('GET /orders/count.json', { as: shop })).json.count,
  )
  for (const path of ['/orders/status/lost.json', '/orders/99999999999.json', '/orders/1.json', '/carts/1.json']) {
    expect([path, (await stack.ask(`GET ${path}`, { as: shop })).status]).toEqual([path, 404])
  }
})

test("a customer's orders are listed, by state as well", async () => {
  const shop = await stack.aStore()
  const customer = { email: 'eva@example.com' }
  const { customer: known, id } = await anOrder({ customer, status: 'Paid' }, shop)
  await anOrder({ customer }, shop)
  await anOrder({ customer: { email: 'other@example.com' } }, shop)
  const ids = async (path: string) =>
    (await stack.ask(`GET ${path}`, { as: shop })).json.map(({ order }: { order: { id: number } }) => order.id)
  expect(await ids(`/customers/${known.id}/orders.json`)).toEqual([id, expect.any(Number)])
  expect(await ids(`/customers/${known.id}/orders.json?limit=1&page=2`)).toHaveLength(1)
  expect(await ids(`/customers/${known.id}/orders/status/Paid.json`)).toEqual([id])
  expect(await ids(`/customers/${known.id}/orders/status/pending_payment.json`)).toHaveLength(1)
  expect((await stack.ask('GET /customers/2147483647/orders.json', { as: shop })).status).toBe(404)
  expect((await stack.ask(`GET /customers/${known.id}/orders/status/lost.json`, { as: shop })).status).toBe(404)
})

test('the history of an order is written and read', async () => {
  const { id } = await anOrder()
  const path = `/orders/${id}/history.json`
  expect((await stack.ask(`GET ${path}`)).json).toEqual([])
  const body = { order_history: { message: 'Called the customer', log: { by: 'Rui', minutes: 3 } } }
  const entry = (await stack.ask(`POST ${path}`, { body })).json
  expect(entry).toEqual({
    order_history: { id: expect.any(Number), message: 'Called the customer', created_at: '2026-11-20 12:00:00 UTC' },
  })
  await stack.ask(`PUT /orders/${id}.json`, { body: { order: { status: 'Canceled' } } })
  expect((await stack.ask(`GET ${path}`)).json).toEqual([
    entry,
    { order_history: expect.objectContaining({ message: 'Pending Payment became Canceled.' }) },
  ])
  for (const wrong of [
    {},
    { message: ' ' },
    { message: null },
    { message: 'x', log: [] },
    { message: 'x', log: { a: 'b\0' } },
    { message: 'x', log: { a: 'y'.repeat(10_000) } },
  ]) {
    const refused = await stack.ask(`POST ${path}`, { body: { order_history: wrong } })
    expect([wrong, refused.status, Object.keys(refused.json.errors)[0]]).toEqual([
      wrong,
      400,
      expect.stringMatching(/^order_history\.(message|log)$/),
    ])
  }
  expect((await stack.ask('GET /orders/2147483647/history.json')).status).toBe(404)
  expect((await stack.ask('POST /orders/2147483647/history.json', { body })).status).toBe(404)
})

test('the whole history of an order can be read, page by page', async () => {
  const { id } = await anOrder()
  await stack.sql(
    `INSERT INTO order_history (store_id, order_id, message, created_at)
     SELECT $1, $2, 'Call ' || n, now() FROM generate_series(1, 260) AS n`,
    [stack.own.storeId, id],
  )
  const messages = async (query: string) =>
    (await stack.ask(`GET /orders/${id}/history.json${query}`)).json.map(
      (entry: { order_history: { message: string } }) => entry.order_history.message,
    )
  const whole = await messages('')
  expect([whole.length, whole[0], whole[249]]).toEqual([250, 'Call 1', 'Call 250'])
  expect(await messages('?page=2')).toEqual(Array.from({ length: 10 }, (_, n) => `Call ${251 + n}`))
  expect(await messages('?limit=2&page=130')).toEqual(['Call 259', 'Call 260'])
  expect(await messages('?page=3')).toEqual([])
})

test('documents of an order are created, listed, changed and deleted', async () => {
  const shop = await stack.aStore()
  const { id } = await anOrder({}, shop)
  const path = `/orders/${id}/documents`
  const document = { document_type: 1, external_id: 'F-1', public_id: '4711', url: 'https://docs.example/F-1', app_code: 'bills' }
  const made = (await stack.ask(`POST ${path}.json`, { as: shop, body: { document } })).json
  expect(made).toEqual({ document: { ...document, order_id: id } })
  // Without an envelope, and with the wire's other spelling of the type.
  const bare = (await stack.ask(`POST ${path}.json`, { as: shop, body: { document_type: '0', order_id: 1 } })).json
  expect(bare.document).toMatchObject({ document_type: 0, order_id: id, public_id: expect.stringMatching(/^\d+$/) })
  expect((await stack.ask(`GET ${path}.json`, { as: shop })).json).toEqual([made, bare])
  expect((await stack.ask('GET /documents.json?limit=1&page=2', { as: shop })).json).toEqual([bare])
  expect((await stack.ask(`GET ${path}.json?limit=1&page=2`, { as: shop })).json).toEqual([bare])
  // The contract's own words for the types.
  for (const [word, type] of [
    ['0 - credit note', 0],
    ['1 - invoice', 1],
  ] as const) {
    const worded = await stack.ask(`POST ${path}.json`, { as: shop, body: { document: { document_type: word } } })
    expect([word, worded.json.document?.document_type]).toEqual([word, type])
  }

  const taken = await stack.ask(`POST ${path}.json`, { as: shop, body: { document } })
  expect([taken.status, Object.keys(taken.json.errors)]).toEqual([400, ['document.public_id']])
  const changed = await stack.ask(`PUT ${path}/4711.json`, {
    as: shop,
    body: { external_id: null, document_type: 0 },
    headers: { 'if-match': '"1"' },
  })
  expect(changed.json.document).toEqual({ ...document, order_id: id, external_id: null, document_type: 0 })
  const stale = await stack.ask(`PUT ${path}/4711.json`, {
    as: shop,
    body: { document: { url: null } },
    headers: { 'if-match': '"1"' },
  })
  expect([stale.status, stale.json.current_version]).toEqual([409, 2])
  const clash = await stack.ask(`PUT ${path}/4711.json`, { as: shop, body: { public_id: bare.document.public_id } })
  expect([clash.status, Object.keys(clash.json.errors)]).toEqual([400, ['public_id']])
  expect((await stack.ask(`DELETE ${path}/4711.json`, { as: shop, headers: { 'if-match': '"1"' } })).status).toBe(409)
  expect((await stack.ask(`DELETE ${path}/4711.json`, { as: shop })).text).toBe('"OK"')
  expect((await stack.ask(`DELETE ${path}/4711.json`, { as: shop })).status).toBe(404)
  expect((await stack.ask(`PUT ${path}/4711.json`, { as: shop, body: {} })).status).toBe(404)
  for (const [wrong, field] of [
    [{ document_type: 2 }, 'document.document_type'],
    [{}, 'document.document_type'],
    [{ document_type: '1 - credit note' }, 'document.document_type'],
    [{ document_type: 1, url: 'javascript:alert(1)' }, 'document.url'],
    [{ document_type: 1, public_id: '0' }, 'document.public_id'],
    [{ document_type: 1, public_id: '4711a' }, 'document.public_id'],
  ] as const) {
    const refused = await stack.ask(`POST ${path}.json`, { as: shop, body: { document: wrong } })
    expect([wrong, refused.status, Object.keys(refused.json.errors)]).toEqual([wrong, 400, [field]])
  }
})

test('the balance is what was paid', async () => {
  const shop = await stack.aStore({ country: 'CL' })
  expect((await stack.ask('GET /transaction_ledger/balance.json', { as: shop })).json).toEqual([
    { balance: 0, currency: 'CLP', balance_formatted: '$0' },
  ])
  const id = await aProduct({ price: 1500 }, shop)
  await anOrder({ status: 'Paid', products: [{ id, qty: 2 }] }, shop)
  await anOrder({ products: [{ id }] }, shop)
  expect((await stack.ask('GET /transaction_ledger/balance.json', { as: shop })).json).toEqual([
    { balance: 3000, currency: 'CLP', balance_formatted: '$3.000' },
  ])
})

test('one key twenty times at once is one order and twenty equal answers', async () => {
  const id = await aProduct({ stock: 100 })
  const body = { order: { products: [{ id }], customer: { email: 'twenty@example.com' } } }
  const headers = { 'idempotency-key': 'twenty' }
  const replies = await Promise.all(Array.from({ length: 20 }, () => stack.ask('POST /orders.json', { body, headers })))
  expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  expect((await stack.ask(`GET /products/${id}.json`)).json.product.stock).toBe(99)
  const other = await stack.ask('POST /orders.json', { body: { order: { products: [{ id, qty: 2 }] } }, headers })
  expect([other.status, other.json.current_version]).toEqual([409, null])
})

test('fifty orders at once for one piece: one gets it', async () => {
  const id = await aProduct({ stock: 1 })
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      stack.ask('POST /orders.json', {
        body: { order: { products: [{ id }], customer: { email: `buyer${index}@example.com` } } },
      }),
    ),
  )
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  const refused = replies.filter(({ status }) => status === 400)
  expect(refused).toHaveLength(49)
  expect(refused[0]?.json.message).toContain(`Expected 1 of product ${id} in stock, but there are 0.`)
  expect((await stack.ask(`GET /products/${id}.json`)).json.product.stock).toBe(0)
})

test('of two changes of one version one is made, and the other gets the current version', async () => {
  const { id } = await anOrder()
  const replies = await Promise.all(
    ['a', 'b'].map((additional_information) =>
      stack.ask(`PUT /orders/${id}.json`, { body: { order: { additional_information } }, headers: { 'if-match': '"1"' } }),
    ),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(replies.find(({ status }) => status === 409)?.json.current_version).toBe(2)
})

test('every invalid field of an order is reported by its wire name, and nothing is written', async () => {
  const id = await aProduct()
  const before = (await stack.ask('GET /orders/count.json')).text
  const cases: [unknown, string | null, number?][] = [
    [{ order: {} }, 'order.products'],
    [{ order: { products: [] } }, 'order.products'],
    [{ order: { products: [{ qty: 1 }] } }, 'order.products.0.id'],
    [{ order: { products: [{ id, qty: 0 }] } }, 'order.products.0.qty'],
    [{ order: { products: [{ id, qty: 1.5 }] } }, 'order.products.0.qty'],
    [{ order: { products: [{ id, qty: -3 }] } }, 'order.products.0.qty'],
    ['{"order":{"products":[{"id":1,"price":1e400}]}}', 'order.products.0.price'],
    [{ order: { products: [{ id, price: -1 }] } }, 'order.products.0.price'],
    [{ order: { products: [{ id, price: '0.00001' }] } }, 'order.products.0.price'],
    [{ order: { products: [{ id, discount: 11 }] } }, 'order.products.0.discount'],
    [{ order: { products: 'all' } }, 'order.products'],
    [{ order: { status: 'Lost', products: [{ id }] } }, 'order.status'],
    [{ order: { shipping_price: -1, products: [{ id }] } }, 'order.shipping_price'],
    [
      { order: { customer: { shipping_address: { country: 'Atlantis' } }, products: [{ id }] } },
      'order.customer.shipping_address.country',
    ],
    [{ order: { customer: { billing_address: { city: 'a\0' } }, products: [{ id }] } }, 'order.customer.billing_address.city'],
    [{ order: { customer: { email: 'nobody' }, products: [{ id }] } }, 'order.customer.email'],
    [`{"order":{"products":[{"id":12345678901234567890}]}}`, 'order.products.0.id'],
    [{ order: { products: [{ id: 2147483647 }] } }, null, 404],
    [{ order: { products: [{ id, variant_id: 2147483647 }] } }, null, 404],
    [{ order: { customer: { id: 2147483647 }, products: [{ id }] } }, null, 404],
    [{ order: { shipping_method_id: 2147483647, products: [{ id }] } }, null, 404],
    ['{"order":', null, 400],
    [`${'['.repeat(20_000)}`, null, 400],
    ['"\\ud800"', null, 400],
  ]
  for (const [body, field, status = 400] of cases) {
    const reply = await stack.ask('POST /orders.json', { body })
    const name = typeof body === 'string' ? body.slice(0, 60) : body
    expect([name, reply.status, Object.keys(reply.json.errors ?? {})[0] ?? null]).toEqual([name, status, field])
  }
  expect((await stack.ask('POST /orders.json', { body: 'x'.repeat(2_000_000) })).status).toBe(413)
  expect((await stack.ask('POST /orders.json', { body: '{}', headers: { 'content-type': 'text/plain' } })).status).toBe(415)
  const locale = await stack.ask('POST /orders.json?locale=xx', { body: { order: { products: [{ id }] } } })
  expect([locale.status, locale.json.message]).toEqual([400, expect.stringContaining('locale')])
  expect((await stack.ask('GET /orders/count.json')).text).toBe(before)
})

test("another store's orders are not found by any operation", async () => {
  const other = await stack.aStore()
  const order = await anOrder({ customer: { email: 'mine@example.com' } })
  await stack.ask(`POST /orders/${order.id}/documents.json`, { body: { document: { document_type: 1, public_id: '99' } } })
  const write = { order: { additional_information: 'x' } }
  for (const [on, body] of [
    [`GET /orders/${order.id}.json`],
    [`PUT /orders/${order.id}.json`, write],
    [`GET /carts/${order.id}.json`],
    [`GET /orders/${order.id}/history.json`],
    [`POST /orders/${order.id}/history.json`, { order_history: { message: 'x' } }],
    [`GET /orders/${order.id}/documents.json`],
    [`POST /orders/${order.id}/documents.json`, { document: { document_type: 1 } }],
    [`PUT /orders/${order.id}/documents/99.json`, {}],
    [`DELETE /orders/${order.id}/documents/99.json`],
    [`GET /customers/${order.customer.id}/orders.json`],
    [`GET /customers/${order.customer.id}/orders/status/paid.json`],
    ['POST /orders.json', { order: { products: [{ id: order.products[0].id }] } }],
  ] as const) {
    const reply = await stack.ask(on, { as: other, ...(body && { body }) })
    expect([on, reply.status]).toEqual([on, 404])
  }
  for (const path of ['/orders.json', '/orders/after/1.json', '/documents.json']) {
    expect((await stack.ask(`GET ${path}`, { as: other })).json).toEqual([])
  }
})
