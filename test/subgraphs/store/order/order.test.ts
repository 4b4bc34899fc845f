import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StoreStack, startStore, type TestStore } from '../support/store.ts'
import { shopping } from './support.ts'

const NOON = new Date('2026-11-20T12:00:00Z')
let at = NOON
let stack: StoreStack
let shop: TestStore
let shopper: ReturnType<typeof shopping>
beforeAll(async () => {
  stack = await startStore(() => at)
  shop = await stack.aStore()
  shopper = shopping(stack, shop)
})
afterAll(() => stack.close())

const line = (productId: number, more: Record<string, unknown> = {}) => ({ productId: String(productId), ...more })

test('an order takes missing fields from the catalogue, and reserves its stock', async () => {
  const { id } = await shopper.aProduct({ name: 'Lamp', price: '10', discount: '1.5', sku: 'L-1', weight: '2' })
  const order = await shopper.anOrder({
    customer: { email: 'ana@example.com', fullname: 'Ana Sousa', shippingAddress: { country: 'pt', city: 'Porto' } },
    lines: [line(id, { quantity: 2 })],
  })
  expect(order).toMatchObject({
    status: 'PENDING_PAYMENT',
    fulfillmentStatus: 'UNFULFILLED',
    currency: 'EUR',
    subtotal: '20',
    discount: '3',
    tax: '0',
    total: '17',
    shippingOption: 'DELIVERY',
    customer: { email: 'ana@example.com', fullname: 'Ana Sousa' },
    shippingAddress: { country: 'Portugal', countryCode: 'PT', city: 'Porto' },
    completedAt: NOON.toISOString(),
    version: 1,
  })
  expect(order.lines).toMatchObject([
    {
      productNumber: id,
      sku: 'L-1',
      name: 'Lamp',
      quantity: 2,
      price: '10',
      discount: '3',
      weight: '2',
      total: '17',
      allocations: [{ locationNumber: null, quantity: 2 }],
    },
  ])
  expect((await shopper.stockOf(id)).stock).toBe(3)
  expect(await shopper.order(order.number)).toEqual(order)
  expect(await shopper.order(order.id)).toEqual(order)
})

test('prices keep all decimals, discounts are rounded, and the lines add up to the order', async () => {
  const { id } = await shopper.aProduct({ price: '10', discount: '1', stock: 10 })
  const half = line(id, { quantity: 3, price: '3.3333', discount: '0.005' })
  const order = await shopper.anOrder({
    lines: [half, half, half, line(id, { price: '4' })],
  })
  // 9.9999 is 10.00, and half a cent off is one.
  const rounded = { price: '3.3333', discount: '0.01', subtotal: '10', total: '9.99' }
  const whole = { price: '4', discount: '0', subtotal: '4', total: '4' }
  expect(order.lines).toMatchObject([rounded, rounded, rounded, whole])
  expect(order).toMatchObject({ subtotal: '34', discount: '0.03', total: '33.97' })
})

test('an order keeps its lines when its product is deleted', async () => {
  const { id } = await shopper.aProduct({ name: 'Vase' })
  const order = await shopper.anOrder({ lines: [line(id)] })
  await stack.ask(shop, 'mutation ($id: ID!) { deleteProduct(id: $id) { __typename } }', { id: String(id) })
  expect((await shopper.order(order.id)).lines).toEqual(order.lines)
  const { data } = await stack.ask(
    shop,
    'query ($id: ID!) { order(id: $id) { lines { product { name } variant { number } } } }',
    {
      id: order.id,
    },
  )
  expect(data.order.lines).toEqual([{ product: null, variant: null }])
  // What it holds has nowhere to go back to.
  expect((await shopper.cancel(order.id)).__typename).toBe('CancelOrderSuccess')
})

test('a line of a product with variants names one, and has its price, and its options in the name', async () => {
  const { id, variants } = await shopper.aProduct({
    name: 'Shirt',
    stock: 0,
    variants: ['M', 'L'].map((value, index) => ({
      price: String(20 + index),
      stock: 3,
      sku: `S-${value}`,
      options: [{ name: 'Size', value }],
    })),
  })
  expect(await shopper.create({ lines: [line(id)] })).toMatchObject({
    __typename: 'ValidationError',
    errors: [{ field: 'lines.0.variantId' }],
  })
  const order = await shopper.anOrder({ lines: [line(id, { variantId: String(variants[1]), quantity: 2 })] })
  expect(order.lines).toMatchObject([{ name: 'Shirt (L)', sku: 'S-L', price: '21', variantNumber: variants[1] }])
  expect((await shopper.stockOf(id)).variants).toEqual([{ stock: 3 }, { stock: 1 }])
})

test('products outside the catalogue are accepted only with allowMissingProducts, and reserve no stock', async () => {
  const missing = { lines: [line(2_000_000_000, { price: '5', name: 'Gift wrap' })] }
  expect(await shopper.create(missing)).toMatchObject({ __typename: 'NotFoundError' })
  const order = await shopper.anOrder({ ...missing, allowMissingProducts: true })
  expect(order).toMatchObject({ total: '5', lines: [{ productNumber: 2_000_000_000, name: 'Gift wrap', allocations: [] }] })
  const { id } = await shopper.aProduct({ stock: 3 })
  const mixed = await shopper.anOrder({ lines: [...missing.lines, line(id, { quantity: 2 })], allowMissingProducts: true })
  expect(mixed.lines).toMatchObject([{ allocations: [] }, { productNumber: id, allocations: [{ quantity: 2 }] }])
})

test('what is not available can not be ordered, nor less or more than a product allows, over all lines', async () => {
  const hidden = await shopper.aProduct({ status: 'DISABLED' })
  expect(await shopper.create({ lines: [line(hidden.id)] })).toMatchObject({ errors: [{ field: 'lines.0.productId' }] })
  const { id } = await shopper.aProduct({ minimumQuantity: 2, maximumQuantity: 3 })
  expect(await shopper.create({ lines: [line(id)] })).toMatchObject({ errors: [{ field: 'lines.0.quantity' }] })
  expect(await shopper.create({ lines: [line(id, { quantity: 2 }), line(id, { quantity: 2 })] })).toMatchObject({
    errors: [{ field: 'lines.0.quantity' }],
  })
  await shopper.anOrder({ lines: [line(id), line(id)] })
})

test('two lines of one product share its stock, and a shortage is reported in full', async () => {
  const { id } = await shopper.aProduct({ stock: 3 })
  const result = await shopper.create({ lines: [line(id, { quantity: 2 }), line(id, { quantity: 2 })] })
  expect(result).toMatchObject({
    __typename: 'InsufficientStock',
    items: [{ productNumber: id, variantNumber: null, wanted: 4, available: 3 }],
  })
  expect((await shopper.stockOf(id)).stock).toBe(3)
})

test('an order that fails leaves nothing behind, not even its customer', async () => {
  const { id } = await shopper.aProduct({ stock: 0 })
  const before = (
    await stack.sql('SELECT (SELECT count(*) FROM customer) AS customers, (SELECT count(*) FROM event) AS events')
  )[0]
  const result = await shopper.create({ customer: { email: 'nobody@example.com' }, lines: [line(id)] })
  expect(result.__typename).toBe('InsufficientStock')
  expect(
    (await stack.sql('SELECT (SELECT count(*) FROM customer) AS customers, (SELECT count(*) FROM event) AS events'))[0],
  ).toEqual(before)
})

test('customers are found by id and by e-mail address in any case, and created once', async () => {
  const { id } = await shopper.aProduct({ stock: 50 })
  const orders = await Promise.all(
    ['Rui@example.com', 'rui@example.com', 'RUI@EXAMPLE.COM', 'rui@example.com'].map((email) =>
      shopper.anOrder({ customer: { email }, lines: [line(id)] }),
    ),
  )
  const numbers = new Set(orders.map(({ customer }) => customer.number))
  expect(numbers.size).toBe(1)
  const [number] = [...numbers]
  const again = await shopper.anOrder({ customer: { id: String(number) }, lines: [line(id)] })
  expect(again.customer.number).toBe(number)
  const { data } = await stack.ask(shop, 'query ($id: ID) { orders(filter: { customerId: $id }) { totalCount } }', {
    id: String(number),
  })
  expect(data.orders.totalCount).toBe(5)
  expect(await shopper.create({ customer: { id: '2000000000' }, lines: [line(id)] })).toMatchObject({
    __typename: 'NotFoundError',
  })
})

test('a customer gets the addresses that are known where an order has none', async () => {
  const { id } = await shopper.aProduct()
  const first = await shopper.anOrder({
    customer: { email: 'eva@example.com', billingAddress: { name: 'Eva', surname: 'Lima', country: 'Spain' } },
    lines: [line(id)],
  })
  expect(first.customer.fullname).toBe('Eva Lima')
  const second = await shopper.anOrder({ customer: { email: 'eva@example.com' }, lines: [line(id)] })
  expect([second.customer.fullname, second.billingAddress]).toEqual([
    'Eva Lima',
    { name: 'Eva', country: 'Spain', countryCode: 'ES' },
  ])
})

test('carts hold no stock; an order that leaves being one takes it, and is completed once', async () => {
  const { id } = await shopper.aProduct({ stock: 5 })
  const cart = await shopper.anOrder({ status: 'ABANDONED', lines: [line(id, { quantity: 2 })] })
  expect([cart.completedAt, cart.recoveryUrl !== null, (await shopper.stockOf(id)).stock]).toEqual([null, true, 5])
  const asCart = 'query ($id: ID!) { cart(id: $id) { number } }'
  expect((await stack.ask(shop, asCart, { id: cart.id })).data.cart).toEqual({ number: cart.number })

  at = new Date('2026-11-20T13:00:00Z')
  const pending = (await shopper.update(cart.id, { status: 'PENDING_PAYMENT' })).order
  expect([pending.completedAt, pending.recoveryUrl, (await shopper.stockOf(id)).stock]).toEqual([at.toISOString(), null, 3])
  at = new Date('2026-11-20T14:00:00Z')
  const abandoned = (await shopper.update(cart.id, { status: 'ABANDONED' })).order
  expect([abandoned.completedAt, abandoned.lines[0].allocations, (await shopper.stockOf(id)).stock]).toEqual([
    pending.completedAt,
    [],
    5,
  ])
  const paid = (await shopper.pay(cart.id)).order
  expect([paid.status, paid.completedAt, (await shopper.stockOf(id)).stock]).toEqual(['PAID', pending.completedAt, 3])
  expect((await stack.ask(shop, asCart, { id: cart.id })).data.cart).toBeNull()
  at = NOON
})

test('a cart whose goods have gone can not become an order', async () => {
  const { id } = await shopper.aProduct({ stock: 1 })
  const cart = await shopper.anOrder({ status: 'ABANDONED', lines: [line(id)] })
  await shopper.anOrder({ lines: [line(id)] })
  expect(await shopper.pay(cart.id)).toMatchObject({ __typename: 'InsufficientStock', items: [{ wanted: 1, available: 0 }] })
  expect((await shopper.order(cart.id)).status).toBe('ABANDONED')
})

const TRANSITIONS = {
  ABANDONED: ['PENDING_PAYMENT', 'PAID', 'CANCELED'],
  PENDING_PAYMENT: ['PAID', 'CANCELED', 'ABANDONED'],
  PAID: ['CANCELED'],
  CANCELED: [],
} as const
test.each(Object.entries(TRANSITIONS))('from %s only %j follow, and a forbidden transition names them', async (from, allowed) => {
  const { id } = await shopper.aProduct({ stock: 100 })
  for (const to of Object.keys(TRANSITIONS)) {
    const order = await shopper.anOrder({ status: from, lines: [line(id)] })
    const result = await shopper.update(order.id, { status: to })
    if (to === from || (allowed as readonly string[]).includes(to)) {
      expect(result).toMatchObject({ __typename: 'UpdateOrderSuccess', order: { status: to, version: 2 } })
    } else {
      expect(result).toMatchObject({ __typename: 'ValidationError', errors: [{ field: 'status' }] })
      for (const next of allowed) expect(result.errors[0].message).toContain(next)
      if (allowed.length === 0) expect(result.errors[0].message).toContain('final')
    }
  }
})

test('goods move through states, shown as shipment status and fulfillment status', async () => {
  const { id } = await shopper.aProduct()
  const cart = await shopper.anOrder({ status: 'ABANDONED', lines: [line(id)] })
  expect(await shopper.update(cart.id, { shipmentStatus: 'REQUESTED' })).toMatchObject({ errors: [{ field: 'shipmentStatus' }] })
  // One change may do both.
  expect((await shopper.update(cart.id, { status: 'PAID', shipmentStatus: 'REQUESTED' })).order).toMatchObject({
    status: 'PAID',
    shipmentStatus: 'REQUESTED',
    fulfillmentStatus: 'FULFILLED',
  })
  const skipped = await shopper.update(cart.id, { shipmentStatus: 'DELIVERED' })
  expect(skipped.errors[0].message).toMatch(/REQUESTED, or next IN_TRANSIT or FAILED/)
  const tracked = await shopper.update(cart.id, {
    shipmentStatus: 'IN_TRANSIT',
    trackingNumber: 'T1',
    trackingCompany: 'ctt',
    trackingUrl: 'https://track.example/T1',
  })
  expect(tracked.order).toMatchObject({ trackingNumber: 'T1', trackingUrl: 'https://track.example/T1' })
  expect((await shopper.update(cart.id, { shipmentStatus: 'DELIVERED', trackingNumber: null })).order.trackingNumber).toBeNull()
  expect((await shopper.update(cart.id, { shipmentStatus: 'REQUESTED' })).errors[0].message).toContain(
    'DELIVERED, which is final',
  )
  const emitted = (await shopper.events())
    .filter((event) => event.id === cart.number && event.entity === 'Order')
    .map(({ event }) => event)
  expect(emitted).toEqual([
    'order_created',
    'order_abandoned',
    'order_updated',
    'order_paid',
    'order_updated',
    'order_shipped',
    'order_updated',
    'order_updated',
  ])
})

test('a cancelled order gives its stock back, unless that is gone', async () => {
  const { id } = await shopper.aProduct({ stock: 10 })
  const [one, other] = [
    await shopper.anOrder({ lines: [line(id, { quantity: 3 })] }),
    await shopper.anOrder({ lines: [line(id, { quantity: 2 })] }),
  ]
  expect((await shopper.cancel(one.id, { reason: 'Changed their mind' })).order).toMatchObject({ status: 'CANCELED' })
  expect((await shopper.stockOf(id)).stock).toBe(8)
  expect((await shopper.cancel(other.id, { restock: false })).order.lines[0].allocations).toEqual([
    { locationNumber: null, quantity: 2 },
  ])
  expect((await shopper.stockOf(id)).stock).toBe(8)
  const { data } = await stack.ask(shop, 'query ($id: ID!) { order(id: $id) { history { totalCount nodes { message log } } } }', {
    id: one.id,
  })
  expect(data.order.history).toEqual({
    totalCount: 1,
    nodes: [
      {
        message: 'Pending Payment became Canceled: Changed their mind',
        log: { event: 'status', from: 'PENDING_PAYMENT', to: 'CANCELED', reason: 'Changed their mind' },
      },
    ],
  })
})

test('a payment is entered into the ledger once, and what is paid back of it', async () => {
  const own = await stack.aStore({ country: 'PT' })
  const at = shopping(stack, own)
  const { id } = await at.aProduct({ price: '10', stock: 10 })
  const order = await at.anOrder({ lines: [line(id, { quantity: 3, price: '3.3333' }), line(id)] })
  expect(await at.refund(order.id)).toMatchObject({ __typename: 'ValidationError', errors: [{ field: 'id' }] })
  await at.pay(order.id, { paymentNotificationId: 'pay-1' })
  // A gateway may say so twice.
  expect((await at.pay(order.id, { paymentNotificationId: 'pay-1' })).__typename).toBe('MarkOrderPaidSuccess')

  const lineId = String(order.lines[0].number)
  const parts = []
  for (let unit = 0; unit < 3; unit += 1)
    parts.push((await at.refund(order.id, { lines: [{ lineId, quantity: 1 }], restock: unit === 0 })).refund)
  // 10.00 in three parts.
  expect(parts.map(({ amount }) => amount)).toEqual(['3.33', '3.34', '3.33'])
  expect((await at.stockOf(id)).stock).toBe(7)
  expect((await at.refund(order.id, { lines: [{ lineId, quantity: 1 }] })).errors[0].field).toBe('lines.0.quantity')
  for (const amount of ['0', '-1', '10.01', '0.005']) {
    expect([amount, (await at.refund(order.id, { amount })).errors[0].field]).toEqual([amount, 'amount'])
  }
  expect((await at.cancel(order.id, { restock: false })).order.status).toBe('CANCELED')
  const rest = await at.refund(order.id, { restock: true, reason: 'Returned' })
  expect(rest).toMatchObject({ refund: { amount: '10', lines: [] }, order: { refunded: '20', total: '20' } })
  expect((await at.stockOf(id)).stock).toBe(10)
  expect((await at.refund(order.id)).errors[0].field).toBe('amount')

  const { data } = await stack.ask(
    own,
    '{ store { balance { amount currency formatted } } ledgerEntries { totalCount nodes { kind amount order { number } } } }',
  )
  expect(data.store.balance).toEqual({ amount: '0', currency: 'EUR', formatted: '0,00\u00a0€' })
  expect(data.ledgerEntries.nodes.map(({ amount }: { amount: string }) => amount)).toEqual([
    '20',
    '-3.33',
    '-3.34',
    '-3.33',
    '-10',
  ])
  expect(data.ledgerEntries.nodes[0]).toEqual({ kind: 'PAYMENT', amount: '20', order: { number: order.number } })
})

test('an order that ten pay, and ten pay back, at once is paid once and paid back once', async () => {
  const { id } = await shopper.aProduct()
  const order = await shopper.anOrder({ lines: [line(id)] })
  const all = (change: () => Promise<{ __typename: string }>) => Promise.all(Array.from({ length: 10 }, change))
  await all(() => shopper.pay(order.id))
  const refunds = await all(() => shopper.refund(order.id, { amount: '6' }))
  expect(refunds.filter(({ __typename }) => __typename === 'RefundOrderSuccess')).toHaveLength(1)
  const entries = await stack.sql('SELECT kind, amount FROM ledger_entry WHERE order_id = $1 ORDER BY id', [order.number])
  expect(entries).toEqual([
    { kind: 'PAYMENT', amount: '10.0000' },
    { kind: 'REFUND', amount: '-6.0000' },
  ])
})

test('additional fields are added and changed by id or by name, and the others stay', async () => {
  const { id } = await shopper.aProduct()
  const order = await shopper.anOrder({
    lines: [line(id)],
    additionalFields: [
      { label: 'Gift', value: 'yes', area: 'other' },
      { label: 'Floor', value: '3' },
    ],
  })
  const [gift, floor] = order.additionalFields
  const changed = await shopper.update(order.id, {
    additionalFields: [
      { id: String(floor.number), value: '4' },
      { label: 'Gift', area: 'other', value: null },
      { label: 'Gift', value: 'new' },
    ],
  })
  expect(changed.order.additionalFields).toEqual([
    { ...gift, value: null },
    { ...floor, value: '4' },
    { number: expect.any(Number), label: 'Gift', value: 'new', area: null },
  ])
  const other = await shopper.anOrder({ lines: [line(id)] })
  expect(await shopper.update(other.id, { additionalFields: [{ id: String(gift.number), value: 'x' }] })).toMatchObject({
    __typename: 'NotFoundError',
  })
  for (const [field, wrong] of [
    ['additionalFields.0.label', { value: 'x' }],
    ['additionalFields.0.label', { label: '' }],
    ['additionalFields.0.area', { label: 'x', area: 'cellar' }],
    ['additionalFields.0.value', { label: 'x', value: 'a\0b' }],
  ] as const) {
    expect([field, (await shopper.update(other.id, { additionalFields: [wrong] })).errors?.[0].field]).toEqual([field, field])
  }
})

test('a stale version changes nothing and gets the current one; of two at once, one wins', async () => {
  const { id } = await shopper.aProduct()
  const order = await shopper.anOrder({ lines: [line(id)] })
  const results = await Promise.all(
    ['one', 'two'].map((additionalInformation) => shopper.update(order.id, { additionalInformation, expectedVersion: 1 })),
  )
  expect(results.map(({ __typename }) => __typename).sort()).toEqual(['ConflictError', 'UpdateOrderSuccess'])
  expect(results.find(({ __typename }) => __typename === 'ConflictError').currentVersion).toBe(2)
})

test('apps keep facts about orders', async () => {
  const { id } = await shopper.aProduct()
  const order = await shopper.anOrder({ lines: [line(id)] })
  const set = await stack.ask(shop, 'mutation ($input: SetMetafieldsInput!) { setMetafields(input: $input) { __typename } }', {
    input: { ownerId: order.id, metafields: [{ namespace: 'erp', key: 'number', type: 'TEXT', value: 'A-1' }] },
  })
  expect([set.errors, set.data?.setMetafields.__typename]).toEqual([undefined, 'SetMetafieldsSuccess'])
  const { data } = await stack.ask(shop, 'query ($id: ID!) { order(id: $id) { metafields { key value } } }', { id: order.id })
  expect(data.order.metafields).toEqual([{ key: 'number', value: 'A-1' }])
})

test('many orders are changed together: all or none, or those that can be', async () => {
  const { id } = await shopper.aProduct({ stock: 10 })
  const [one, two, cancelled] = await Promise.all(
    ['PENDING_PAYMENT', 'ABANDONED', 'CANCELED'].map((status) => shopper.anOrder({ status, lines: [line(id)] })),
  )
  const bulk = async (onError: string, orders: { id: string; input: Record<string, unknown> }[]) =>
    (
      await stack.ask(
        shop,
        `mutation ($input: BulkUpdateOrdersInput!) { bulkUpdateOrders(input: $input) { __typename
          ... on BulkOrdersSuccess { rows { index order { number status } failure { __typename } } }
          ... on BulkOrdersRefused { message rows { index order { number } failure { __typename ... on ValidationError { field } } } }
          ... on ValidationError { errors { field } } } }`,
        { input: { onError, orders } },
      )
    ).data.bulkUpdateOrders
  const changes = [cancelled, two, one].map((order) => ({ id: order.id, input: { status: 'PAID' } }))
  expect(await bulk('ALL_OR_NOTHING', changes)).toMatchObject({
    __typename: 'BulkOrdersRefused',
    message: '1 of 3 changes were refused, so nothing was changed.',
    rows: [{ failure: { field: 'status' } }, { order: null, failure: null }, { order: null, failure: null }],
  })
  expect([(await shopper.order(one.id)).status, (await shopper.stockOf(id)).stock]).toEqual(['PENDING_PAYMENT', 9])
  const events = (await shopper.events()).length
  expect((await bulk('SKIP', changes)).rows).toEqual([
    { index: 0, order: null, failure: { __typename: 'ValidationError' } },
    { index: 1, order: { number: two.number, status: 'PAID' }, failure: null },
    { index: 2, order: { number: one.number, status: 'PAID' }, failure: null },
  ])
  expect((await shopper.stockOf(id)).stock).toBe(8)
  // Stock of one, and two states of two orders each.
  expect((await shopper.events()).length - events).toBe(5)
  expect(await bulk('SKIP', [])).toMatchObject({ errors: [{ field: 'orders' }] })
  expect(await bulk('SKIP', [changes[1], changes[1]] as never)).toMatchObject({ errors: [{ field: 'orders.1.id' }] })
})

test('an order collected in the store takes its goods from there, as far as they go', async () => {
  const [main, counter] = [await shopper.aLocation(), await shopper.aLocation({ name: 'Counter', pickupPoint: true })]
  const { id } = await shopper.aProduct({ stock: 0 })
  await shopper.setStock({ productId: id, locationId: main, stock: 5 })
  await shopper.setStock({ productId: id, locationId: counter, stock: 2 })
  expect((await shopper.create({ pickupLocationId: String(main), lines: [line(id)] })).errors[0].field).toBe('pickupLocationId')
  const order = await shopper.anOrder({ pickupLocationId: String(counter), lines: [line(id, { quantity: 2 })] })
  expect(order).toMatchObject({
    shippingOption: 'STORE_PICKUP',
    pickupAddress: { pickupPlaceName: 'Counter', city: 'Porto' },
    lines: [{ allocations: [{ locationNumber: counter, quantity: 2 }] }],
  })
  const split = await shopper.anOrder({ lines: [line(id, { quantity: 4 }), line(id)] })
  expect(split.lines.map(({ allocations }: { allocations: object[] }) => allocations)).toEqual([
    [{ locationNumber: main, quantity: 4 }],
    [{ locationNumber: main, quantity: 1 }],
  ])
  expect(await shopper.create({ lines: [line(id)] })).toMatchObject({ __typename: 'InsufficientStock' })
  await shopper.cancel(order.id)
  expect(await shopper.stockOf(id)).toMatchObject({ stock: 2, inventoryLevels: [{ stock: 0 }, { stock: 2 }] })
})

test('orders are found by state, customer, product, days and words', async () => {
  const own = await stack.aStore({ country: 'PT' })
  const mine = shopping(stack, own)
  const { id } = await mine.aProduct({ name: 'Cadeira Ébano', sku: 'C-9', stock: 100 })
  const made: Record<string, number> = {}
  // The store's day begins an hour before that of UTC in summer.
  for (const [name, time, status] of [
    ['old', '2026-07-01T10:00:00Z', 'PENDING_PAYMENT'],
    ['late', '2026-07-09T22:59:59Z', 'PAID'],
    ['first', '2026-07-09T23:00:00Z', 'ABANDONED'],
    ['now', '2026-07-10T10:00:00Z', 'PAID'],
  ] as const) {
    at = new Date(time)
    made[name] = (await mine.anOrder({ status, customer: { email: `${name}@example.com` }, lines: [line(id)] })).number
  }
  const found = async (filter: Record<string, unknown> | null, search: string | null = null, more = '') =>
    (
      await stack.ask(
        own,
        `query ($filter: OrderFilter, $search: String) { orders(filter: $filter, search: $search${more}) { nodes { number } } }`,
        {
          filter,
          search,
        },
      )
    ).data.orders.nodes.map(({ number }: { number: number }) => Object.keys(made).find((name) => made[name] === number))

  expect(await found(null)).toEqual(['old', 'late', 'first', 'now'])
  expect(await found(null, null, ', orderBy: ID_DESC, first: 2')).toEqual(['now', 'first'])
  expect(await found({ status: ['PAID', 'ABANDONED'] })).toEqual(['late', 'first', 'now'])
  expect(await found({ afterId: String(made.first) })).toEqual(['now'])
  expect(await found({ productId: String(id), createdBefore: '2026-07-05T00:00:00Z' })).toEqual(['old'])
  expect(await found({ createdWithin: { period: 'TODAY' } })).toEqual(['first', 'now'])
  expect(await found({ createdWithin: { period: 'YESTERDAY' } })).toEqual(['late'])
  expect(await found({ createdWithin: { period: 'LAST_7_DAYS' } })).toEqual(['late', 'first', 'now'])
  expect(await found({ createdWithin: { period: 'CUSTOM', firstDay: '2026-07-01', lastDay: '2026-07-09' } })).toEqual([
    'old',
    'late',
  ])
  expect(await found(null, 'cadeira ebano')).toEqual(['old', 'late', 'first', 'now'])
  expect(await found(null, 'LATE@')).toEqual(['late'])
  expect(await found(null, `#${made.now}`)).toEqual(['now'])
  expect(await found(null, '%')).toEqual([])
  for (const [filter, field] of [
    [{ createdWithin: { period: 'CUSTOM', firstDay: '2026-02-30' } }, 'filter.createdWithin.firstDay'],
    [{ createdWithin: { period: 'TODAY', lastDay: '2026-02-03' } }, 'filter.createdWithin.lastDay'],
    [{ afterId: 'x' }, 'filter.afterId'],
  ] as const) {
    const { errors } = await stack.ask(own, 'query ($filter: OrderFilter) { orders(filter: $filter) { nodes { number } } }', {
      filter,
    })
    expect(errors?.[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', argument: field })
  }
  at = NOON
})

test('an order whose time is behind that of orders before it, as of another clock, is found by its day', async () => {
  const own = await stack.aStore({ country: 'PT' })
  const mine = shopping(stack, own)
  const { id } = await mine.aProduct({ stock: 100 })
  const made: number[] = []
  for (const time of [
    '2026-07-09T12:00:00Z',
    '2026-07-10T11:00:00Z',
    '2026-07-09T12:00:01Z',
    '2026-07-10T11:00:01Z',
    '2026-07-09T12:00:02Z',
  ]) {
    at = new Date(time)
    made.push((await mine.anOrder({ lines: [line(id)] })).number)
  }
  const found = async (filter: object) =>
    (await stack.ask(own, 'query ($filter: OrderFilter) { orders(filter: $filter) { totalCount nodes { number } } }', { filter }))
      .data.orders
  const [first, second, third, fourth, fifth] = made
  const of = (...numbers: (number | undefined)[]) => ({
    totalCount: numbers.length,
    nodes: numbers.map((number) => ({ number })),
  })
  expect(await found({ createdSince: '2026-07-10T10:00:00Z' })).toEqual(of(second, fourth))
  expect(await found({ createdBefore: '2026-07-10T10:00:00Z' })).toEqual(of(first, third, fifth))
  expect(await found({ createdSince: '2026-07-09T12:00:01Z', createdBefore: '2026-07-09T12:00:02Z' })).toEqual(of(third))
  at = NOON
})

test("another store's orders, lines and references are not there", async () => {
  const other = await stack.aStore()
  const theirs = shopping(stack, other)
  const { id } = await shopper.aProduct()
  const order = await shopper.anOrder({ status: 'PAID', customer: { email: 'ours@example.com' }, lines: [line(id)] })
  expect(await theirs.order(order.number)).toBeNull()
  for (const result of [
    await theirs.update(order.number, { additionalInformation: 'x' }, other),
    await theirs.pay(order.number),
    await theirs.cancel(order.number),
    await theirs.refund(order.number),
    await theirs.create({ lines: [line(id)] }, other),
  ]) {
    expect(result.__typename).toBe('NotFoundError')
  }
  const own = await theirs.aProduct()
  expect(await theirs.create({ customer: { id: String(order.customer.number) }, lines: [line(own.id)] }, other)).toMatchObject({
    __typename: 'NotFoundError',
  })
})

test('every invalid field of an order is reported', async () => {
  const { id } = await shopper.aProduct({ stock: 10 })
  const cases: [string, Record<string, unknown>][] = [
    ['lines', { lines: [] }],
    ['lines', { lines: Array.from({ length: 501 }, () => line(id)) }],
    ['lines.0.quantity', { lines: [line(id, { quantity: 0 })] }],
    ['lines.0.quantity', { lines: [line(id, { quantity: -2147483648 })] }],
    ['lines.0.price', { lines: [line(id, { price: '-1' })] }],
    ['lines.0.discount', { lines: [line(id, { price: '1', discount: '1.01' })] }],
    ['lines.0.discount', { lines: [line(id, { discount: '-1' })] }],
    ['lines', { lines: Array.from({ length: 20 }, () => line(id, { quantity: 1_000_000, price: '9999999999' })) }],
    ['customer.email', { customer: { email: 'nobody' }, lines: [line(id)] }],
    ['customer.email', { customer: { email: 'a\0@b.c' }, lines: [line(id)] }],
    ['customer.email', { customer: { phone: '1' }, lines: [line(id)] }],
    ['customer.ip', { customer: { email: 'a@b.c', ip: 'home' }, lines: [line(id)] }],
    ['customer.shippingAddress.country', { customer: { shippingAddress: { country: 'Atlantis' } }, lines: [line(id)] }],
    ['customer.billingAddress.city', { customer: { billingAddress: { city: '\ud800' } }, lines: [line(id)] }],
    ['shippingPrice', { shippingPrice: '-1', lines: [line(id)] }],
    ['couponCodes', { couponCodes: ['X'], lines: [line(id)] }],
    ['couponCodes.0', { applyPromotions: true, couponCodes: ['X\0'], lines: [line(id)] }],
    ['locale', { locale: 'xx', lines: [line(id)] }],
    ['additionalInformation', { additionalInformation: 'x'.repeat(5001), lines: [line(id)] }],
    ['billingInformation.companyName', { billingInformation: { companyName: '\0' }, lines: [line(id)] }],
  ]
  for (const [field, input] of cases) {
    const result = await shopper.create(input)
    expect([field, result.__typename, result.errors?.[0].field]).toEqual([field, 'ValidationError', field])
  }
  for (const input of [
    { shippingMethodId: '9' },
    { paymentMethodId: '9' },
    { pickupLocationId: '9' },
    { lines: [line(id, { variantId: '9' })] },
  ]) {
    expect([input, (await shopper.create({ lines: [line(id)], ...input })).__typename]).toEqual([input, 'NotFoundError'])
  }
})
