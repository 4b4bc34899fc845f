import { afterAll, beforeAll, expect, test } from 'vitest'
import { shopping } from '../order/support.ts'
import { watchStatements } from '../support/statements.ts'
import { type StoreStack, startStore, type TestStore } from '../support/store.ts'
import { FULFILLMENT, shipping } from './support.ts'

const NOON = new Date('2026-11-20T12:00:00Z')
let at = NOON
let stack: StoreStack
let shop: TestStore
let shopper: ReturnType<typeof shopping>
let shipper: ReturnType<typeof shipping>
let location: number
let product: number
beforeAll(async () => {
  stack = await startStore(() => at)
  shop = await stack.aStore()
  shopper = shopping(stack, shop)
  shipper = shipping(stack, shop)
  location = await shopper.aLocation()
  product = (await shopper.aProduct({ weight: '1.5', stock: 10_000 })).id
})
afterAll(() => stack.close())

const ADDRESS = { name: 'Ana', surname: 'Sousa', address: 'Rua das Flores 7', city: 'Porto', postal: '4000-123', country: 'PT' }
const anOrder = (input: Record<string, unknown> = {}) =>
  shopper.anOrder({
    status: 'PAID',
    customer: { email: 'ana@example.com', phone: '912345678', phonePrefix: '+351', shippingAddress: ADDRESS },
    lines: [{ productId: String(product), quantity: 2 }],
    ...input,
  })
const of = (order: { number: number }, more: Record<string, unknown> = {}) => ({
  type: 'MANUAL',
  locationId: String(location),
  orderId: String(order.number),
  ...more,
})
const tracking = ({
  fulfillmentStatus,
  shipmentStatus,
  trackingNumber,
  trackingCompany,
  trackingUrl,
}: Record<string, unknown>) => ({
  fulfillmentStatus,
  shipmentStatus,
  trackingNumber,
  trackingCompany,
  trackingUrl,
})
const eventsOf = async (entity: string, id: number) =>
  (await shopper.events()).filter((event) => event.entity === entity && event.id === id).map(({ event }) => event)

test('what is handed over goes where the order goes, in a package that weighs what its lines weigh', async () => {
  const order = await anOrder()
  const fulfillment = await shipper.aFulfillment(
    of(order, {
      type: 'CTT',
      trackingNumber: 'RR1',
      trackingCompany: 'CTT Expresso',
      serviceType: 'next-day',
      externalId: 'x-1',
    }),
  )
  expect(fulfillment).toMatchObject({
    orderNumber: order.number,
    location: { number: location },
    type: 'CTT',
    serviceType: 'next-day',
    shipmentStatus: 'REQUESTED',
    trackingNumber: 'RR1',
    trackingCompany: 'CTT Expresso',
    trackingUrl: null,
    externalId: 'x-1',
    receiverEmail: 'ana@example.com',
    phone: '912345678',
    phonePrefix: '+351',
    sendEmail: true,
    address: { ...ADDRESS, country: 'Portugal', countryCode: 'PT' },
    packages: [{ length: null, width: null, height: null, weight: '3' }],
    history: {
      nodes: [{ shipmentStatus: 'REQUESTED', message: 'It was handed over.', createdAt: NOON.toISOString() }],
      totalCount: 1,
    },
    version: 1,
  })
  const [byId, byNumber] = [await shipper.fulfillment(fulfillment.id), await shipper.fulfillment(fulfillment.number)]
  // Links to a file are signed for a number of seconds from now.
  const signature = /expires=\d+&signature=[\w-]+$/
  expect(byId.label.url).toMatch(signature)
  const unsigned = (found: typeof byId) => ({ ...found, label: { ...found.label, url: found.label.url.replace(signature, '') } })
  expect(unsigned(byId)).toEqual(unsigned(byNumber))

  // The order is fulfilled by it, and says the same of where its goods are.
  const after = await shopper.order(order.number)
  expect(tracking(after)).toEqual({
    fulfillmentStatus: 'FULFILLED',
    shipmentStatus: 'REQUESTED',
    trackingNumber: 'RR1',
    trackingCompany: 'CTT Expresso',
    trackingUrl: null,
  })
  expect(after.version).toBe(order.version + 1)
  expect(await eventsOf('Fulfillment', fulfillment.number)).toEqual(['fulfillment_created'])
  expect((await eventsOf('Order', order.number)).slice(-1)).toEqual(['order_updated'])
})

test('fields of the request override those of the order', async () => {
  const fulfillment = await shipper.aFulfillment(
    of(await anOrder(), {
      shippingAddress: { name: 'Rui', city: 'Faro', country: 'Portugal' },
      packages: [{ length: 10, width: '20.5', height: 5, weight: 2 }, {}],
      receiverEmail: 'rui@example.com',
      phone: '55',
      sendEmail: false,
      message: 'Happy birthday',
      observations: 'Ring twice',
      expectedArrivalFrom: '2026-11-21T08:00:00Z',
      expectedArrivalTo: '2026-11-21T18:00:00Z',
    }),
  )
  expect(fulfillment).toMatchObject({
    address: { name: 'Rui', surname: null, city: 'Faro', countryCode: 'PT' },
    packages: [
      { length: '10', width: '20.5', height: '5', weight: '2' },
      { length: null, width: null, height: null, weight: null },
    ],
    receiverEmail: 'rui@example.com',
    phone: '55',
    // The prefix of another number would be wrong.
    phonePrefix: null,
    sendEmail: false,
    message: 'Happy birthday',
    observations: 'Ring twice',
    expectedArrivalFrom: '2026-11-21T08:00:00.000Z',
    expectedArrivalTo: '2026-11-21T18:00:00.000Z',
  })
})

test('a fulfillment needs no order, and then has only the fields of the request', async () => {
  const fulfillment = await shipper.aFulfillment({ type: 'MANUAL', locationId: String(location) })
  expect(fulfillment).toMatchObject({
    orderNumber: null,
    address: null,
    packages: [],
    receiverEmail: null,
    phone: null,
    label: null,
  })
  expect((await shipper.update(fulfillment.id, { shipmentStatus: 'IN_TRANSIT' })).fulfillment.shipmentStatus).toBe('IN_TRANSIT')
  const { data } = await stack.ask(shop, 'query ($id: ID!) { fulfillment(id: $id) { order { number } } }', { id: fulfillment.id })
  expect(data.fulfillment.order).toBeNull()
})

test('a tracking URL is used only with the tracking company `other`', async () => {
  const trackingUrl = 'https://track.example/1'
  const [carrier, unnamed, other] = [
    await shipper.aFulfillment(of(await anOrder(), { type: 'DHL', trackingCompany: 'other', trackingUrl })),
    await shipper.aFulfillment(of(await anOrder(), { trackingCompany: 'ctt', trackingUrl })),
    await shipper.aFulfillment(of(await anOrder(), { trackingCompany: 'Other', trackingUrl })),
  ]
  expect([carrier, unnamed, other].map((each) => each.trackingUrl)).toEqual([null, null, trackingUrl])
  expect((await shopper.order(other.orderNumber)).trackingUrl).toBe(trackingUrl)
  // Somebody else carries it now.
  const moved = await shipper.update(other.id, { trackingCompany: 'ctt' })
  expect([moved.fulfillment.trackingUrl, (await shopper.order(other.orderNumber)).trackingUrl]).toEqual([null, null])
})

const STATES = ['UNFULFILLED', 'REQUESTED', 'IN_TRANSIT', 'DELIVERED', 'FAILED', 'PICKUP_AVAILABLE']
const NEXT: Record<string, { by: string[]; allowed: string[] }> = {
  REQUESTED: { by: [], allowed: ['IN_TRANSIT', 'FAILED'] },
  IN_TRANSIT: { by: ['IN_TRANSIT'], allowed: ['DELIVERED', 'FAILED', 'PICKUP_AVAILABLE'] },
  PICKUP_AVAILABLE: { by: ['IN_TRANSIT', 'PICKUP_AVAILABLE'], allowed: ['DELIVERED'] },
  FAILED: { by: ['FAILED'], allowed: ['REQUESTED'] },
  DELIVERED: { by: ['IN_TRANSIT', 'DELIVERED'], allowed: [] },
}
test.each(Object.entries(NEXT))(
  'from %s only allowed transitions succeed, and a refused one names them',
  async (from, { by, allowed }) => {
    for (const to of STATES) {
      const order = await anOrder()
      const { id } = await shipper.aFulfillment(of(order))
      for (const step of by)
        expect((await shipper.update(id, { shipmentStatus: step })).__typename).toBe('UpdateFulfillmentSuccess')
      const result = await shipper.update(id, { shipmentStatus: to })
      if (to === from || allowed.includes(to)) {
        expect(result.fulfillment.shipmentStatus).toBe(to)
        expect((await shopper.order(order.number)).shipmentStatus).toBe(to)
      } else {
        expect(result).toMatchObject({ __typename: 'ValidationError', errors: [{ field: 'shipmentStatus' }] })
        for (const next of allowed) expect(result.errors[0].message).toContain(next)
        if (allowed.length === 0) expect(result.errors[0].message).toContain('final')
        expect((await shipper.fulfillment(id)).shipmentStatus).toBe(from)
      }
    }
  },
)

test('every state of a shipment stays in the history, and the order shows the first state after leaving', async () => {
  const order = await anOrder()
  const { id, number } = await shipper.aFulfillment(of(order))
  const steps = ['FAILED', 'REQUESTED', 'IN_TRANSIT', 'IN_TRANSIT', 'DELIVERED']
  for (const [minute, shipmentStatus] of steps.entries()) {
    at = new Date(NOON.getTime() + (minute + 1) * 60_000)
    await shipper.update(id, { shipmentStatus })
  }
  const fulfillment = await shipper.fulfillment(id)
  at = NOON
  expect(fulfillment.history.nodes.map((entry: { shipmentStatus: string }) => entry.shipmentStatus)).toEqual([
    'REQUESTED',
    'FAILED',
    'REQUESTED',
    'IN_TRANSIT',
    'DELIVERED',
  ])
  expect(fulfillment.history.nodes[1]).toMatchObject({
    message: 'The shipment went from requested to failed.',
    createdAt: '2026-11-20T12:01:00.000Z',
  })
  expect(fulfillment.version).toBe(6)
  expect((await eventsOf('Order', order.number)).filter((event) => event === 'order_shipped')).toHaveLength(1)
  expect((await eventsOf('Fulfillment', number)).filter((event) => event === 'fulfillment_updated')).toHaveLength(5)

  const page = async (after: string | null) =>
    (
      await stack.ask(
        shop,
        `query ($id: ID!, $after: String) { fulfillment(id: $id) { history(first: 2, after: $after) {
          nodes { shipmentStatus } pageInfo { hasNextPage endCursor } totalCount } } }`,
        { id, after },
      )
    ).data.fulfillment.history
  const first = await page(null)
  expect(first).toMatchObject({ nodes: [{}, { shipmentStatus: 'FAILED' }], pageInfo: { hasNextPage: true }, totalCount: 5 })
  expect((await page(first.pageInfo.endCursor)).nodes).toEqual([
    { shipmentStatus: 'REQUESTED' },
    { shipmentStatus: 'IN_TRANSIT' },
  ])
})

test('tracking set on an order is set on its newest fulfillment only', async () => {
  const order = await anOrder()
  const [old, newest] = [await shipper.aFulfillment(of(order, { trackingNumber: 'A' })), await shipper.aFulfillment(of(order))]
  const { order: updated } = await shopper.update(order.number, {
    shipmentStatus: 'IN_TRANSIT',
    trackingNumber: 'B',
    trackingCompany: 'ctt',
    trackingUrl: 'https://track.example/B',
  })
  expect(await shipper.fulfillment(newest.id)).toMatchObject({
    shipmentStatus: 'IN_TRANSIT',
    trackingNumber: 'B',
    trackingCompany: 'ctt',
    trackingUrl: 'https://track.example/B',
    version: 2,
    history: { totalCount: 2 },
  })
  expect(await shipper.fulfillment(old.id)).toMatchObject({ shipmentStatus: 'REQUESTED', trackingNumber: 'A', version: 1 })
  expect(await eventsOf('Fulfillment', newest.number)).toEqual(['fulfillment_created', 'fulfillment_updated'])

  // What becomes of the older one is not what the order tells of.
  await shipper.update(old.id, { shipmentStatus: 'FAILED', trackingNumber: 'C' })
  expect(tracking(await shopper.order(order.number))).toEqual(tracking(updated))
  expect((await shopper.update(order.number, { shipmentStatus: 'PICKUP_AVAILABLE' })).order.shipmentStatus).toBe(
    'PICKUP_AVAILABLE',
  )
  expect((await shipper.update(newest.id, { shipmentStatus: 'FAILED' })).errors[0].message).toContain('DELIVERED')
})

test('the first fulfillment takes the tracking of the order, a further one starts without', async () => {
  const order = await anOrder()
  await shopper.update(order.number, { shipmentStatus: 'REQUESTED', trackingNumber: 'A', trackingUrl: 'https://track.example/A' })
  await shopper.update(order.number, { shipmentStatus: 'IN_TRANSIT' })
  const first = await shipper.aFulfillment(of(order, { type: 'DPD' }))
  expect(first).toMatchObject({ shipmentStatus: 'IN_TRANSIT', trackingNumber: 'A', trackingUrl: 'https://track.example/A' })
  expect(tracking(await shopper.order(order.number))).toMatchObject({ shipmentStatus: 'IN_TRANSIT', trackingNumber: 'A' })

  const second = await shipper.aFulfillment(of(order, { trackingNumber: 'B' }))
  expect(second).toMatchObject({ shipmentStatus: 'REQUESTED', trackingNumber: 'B', trackingUrl: null })
  expect(tracking(await shopper.order(order.number))).toMatchObject({
    fulfillmentStatus: 'FULFILLED',
    shipmentStatus: 'REQUESTED',
    trackingNumber: 'B',
    trackingUrl: null,
  })
  const { data } = await stack.ask(
    shop,
    `query ($id: ID!) { orderFulfillments(orderId: $id) { number } order(id: $id) { fulfillments { number order { number } } } }`,
    { id: order.id },
  )
  expect(data.orderFulfillments).toEqual([{ number: first.number }, { number: second.number }])
  expect(data.order.fulfillments).toMatchObject([{ order: { number: order.number } }, { number: second.number }])
})

test('only agreed orders are fulfilled; a shipment in transit still arrives when its order is cancelled', async () => {
  const cart = await anOrder({ status: 'ABANDONED' })
  expect(await shipper.create(of(cart))).toMatchObject({ errors: [{ field: 'orderId' }] })
  const order = await anOrder({ status: 'PENDING_PAYMENT' })
  const { id } = await shipper.aFulfillment(of(order))
  await shipper.update(id, { shipmentStatus: 'IN_TRANSIT' })
  await shopper.cancel(order.number)
  expect(await shipper.create(of(order))).toMatchObject({ errors: [{ field: 'orderId' }] })
  expect((await shipper.update(id, { shipmentStatus: 'DELIVERED' })).__typename).toBe('UpdateFulfillmentSuccess')
  expect((await shopper.order(order.number)).shipmentStatus).toBe('DELIVERED')
})

test('a fulfillment that has not left can be deleted, and the order shows the one before, or none', async () => {
  const order = await anOrder()
  const first = await shipper.aFulfillment(of(order, { trackingNumber: 'A' }))
  await shipper.update(first.id, { shipmentStatus: 'IN_TRANSIT' })
  expect(await shipper.remove(first.id)).toMatchObject({ errors: [{ field: 'id' }] })
  const second = await shipper.aFulfillment(of(order, { trackingNumber: 'B' }))
  expect(await shipper.remove(second.id, { expectedVersion: 7 })).toMatchObject({
    __typename: 'ConflictError',
    currentVersion: 1,
  })
  expect(await shipper.remove(second.id, { idempotencyKey: 'gone' })).toEqual({
    __typename: 'DeleteFulfillmentSuccess',
    id: second.id,
    number: second.number,
  })
  expect((await shipper.remove(second.id, { idempotencyKey: 'gone' })).number).toBe(second.number)
  expect(await shipper.fulfillment(second.id)).toBeNull()
  expect(tracking(await shopper.order(order.number))).toMatchObject({ shipmentStatus: 'IN_TRANSIT', trackingNumber: 'A' })

  const other = await anOrder()
  await shipper.remove((await shipper.aFulfillment(of(other, { trackingNumber: 'C' }))).id)
  expect(tracking(await shopper.order(other.number))).toEqual({
    fulfillmentStatus: 'UNFULFILLED',
    shipmentStatus: 'UNFULFILLED',
    trackingNumber: null,
    trackingCompany: null,
    trackingUrl: null,
  })
  expect((await eventsOf('Fulfillment', second.number)).at(-1)).toBe('fulfillment_deleted')
})

test.each<[string, Record<string, unknown>, string]>([
  ['a tracking number that is too long', { trackingNumber: 'x'.repeat(201) }, 'trackingNumber'],
  ['a text with half of a character', { message: '\uD800' }, 'message'],
  ['a page that is none', { trackingUrl: 'javascript:alert(1)' }, 'trackingUrl'],
  ['an address of mail that is none', { receiverEmail: 'nobody' }, 'receiverEmail'],
  ['a prefix that is none', { phonePrefix: '351' }, 'phonePrefix'],
  ['a telephone number that is too long', { phone: '1'.repeat(51) }, 'phone'],
  ['a country that nobody knows', { shippingAddress: { country: 'Atlantis' } }, 'shippingAddress.country'],
  ['no package', { packages: [] }, 'packages'],
  ['too many packages', { packages: Array.from({ length: 51 }, () => ({})) }, 'packages'],
  ['a package that is lighter than nothing', { packages: [{ weight: 1 }, { weight: '-0.5' }] }, 'packages.1.weight'],
  [
    'an arrival that ends before it begins',
    { expectedArrivalFrom: '2026-11-22T00:00:00Z', expectedArrivalTo: '2026-11-21T00:00:00Z' },
    'expectedArrivalTo',
  ],
])('%s is refused by field, and nothing is handed over', async (_, wrong, field) => {
  const order = await anOrder()
  const result = await shipper.create(of(order, wrong))
  expect(result).toMatchObject({ __typename: 'ValidationError', errors: [{ field }] })
  expect((await shopper.order(order.number)).fulfillmentStatus).toBe('UNFULFILLED')
})

test('every invalid field of a change is reported, and null clears optional fields', async () => {
  const { id } = await shipper.aFulfillment(
    of(await anOrder(), { trackingNumber: 'A', message: 'Hello', expectedArrivalFrom: NOON.toISOString() }),
  )
  for (const field of ['type', 'shipmentStatus', 'sendEmail']) {
    expect(await shipper.update(id, { [field]: null })).toMatchObject({ errors: [{ field }] })
  }
  expect(await shipper.update(id, { expectedArrivalTo: '2026-11-19T00:00:00Z' })).toMatchObject({
    errors: [{ field: 'expectedArrivalTo' }],
  })
  expect(await shipper.update(id, { expectedVersion: 9, trackingNumber: 'B' })).toMatchObject({
    __typename: 'ConflictError',
    currentVersion: 1,
  })
  const { fulfillment } = await shipper.update(id, {
    expectedVersion: 1,
    trackingNumber: null,
    message: ' ',
    expectedArrivalFrom: null,
    sendEmail: false,
  })
  expect(fulfillment).toMatchObject({
    trackingNumber: null,
    message: null,
    expectedArrivalFrom: null,
    sendEmail: false,
    version: 2,
    history: { totalCount: 1 },
  })
})

test('locations and orders have to be there, and a location in use', async () => {
  const order = await anOrder()
  expect((await shipper.create(of(order, { locationId: '999999' }))).__typename).toBe('NotFoundError')
  expect((await shipper.create(of({ number: 999_999 }))).message).toContain('order')
  expect((await shipper.update('999999', {})).__typename).toBe('NotFoundError')
  expect((await shipper.update('nonsense', {})).__typename).toBe('NotFoundError')
  expect((await shipper.remove('999999')).__typename).toBe('NotFoundError')
  const closed = await shopper.aLocation({ active: false })
  expect(await shipper.create(of(order, { locationId: String(closed) }))).toMatchObject({ errors: [{ field: 'locationId' }] })
})

test('a repetition with the same key hands over once', async () => {
  const order = await anOrder()
  const input = of(order, { type: 'CTT', idempotencyKey: 'once' })
  const [first, second] = [await shipper.create(input), await shipper.create(input)]
  expect(second.fulfillment.number).toBe(first.fulfillment.number)
  expect((await shipper.create({ ...input, type: 'DPD' })).__typename).toBe('ConflictError')
})

test('of two methods that exclude each other one is gone, however they meet', async () => {
  for (let turn = 0; turn < 5; turn += 1) {
    const order = await anOrder()
    const { id } = await shipper.aFulfillment(of(order))
    const results = await Promise.all([
      shipper.update(id, { shipmentStatus: 'FAILED' }),
      shopper.update(order.number, { shipmentStatus: 'IN_TRANSIT' }),
      shipper.update(id, { shipmentStatus: 'IN_TRANSIT', trackingNumber: 'B' }),
    ])
    const after = await shipper.fulfillment(id)
    expect(tracking(await shopper.order(order.number))).toMatchObject({
      shipmentStatus: after.shipmentStatus,
      trackingNumber: after.trackingNumber,
    })
    expect(results.filter(({ __typename }) => __typename.endsWith('Success')).length).toBeGreaterThan(0)
    // Each step of the history follows from the one before.
    const steps = after.history.nodes.map((entry: { shipmentStatus: string }) => entry.shipmentStatus)
    expect([
      ['REQUESTED', 'FAILED'],
      ['REQUESTED', 'IN_TRANSIT'],
      ['REQUESTED', 'IN_TRANSIT', 'FAILED'],
    ]).toContainEqual(steps)
  }
})

test('concurrent fulfillments and orders do not deadlock', async () => {
  const order = await anOrder()
  const results = await Promise.all(
    Array.from({ length: 6 }, (_, index) => shipper.create(of(order, { trackingNumber: `T${index}` }))),
  )
  expect(results.map(({ __typename }) => __typename)).toEqual(Array(6).fill('CreateFulfillmentSuccess'))
  const { data } = await stack.ask(shop, 'query ($id: ID!) { orderFulfillments(orderId: $id) { number trackingNumber } }', {
    id: order.id,
  })
  expect((await shopper.order(order.number)).trackingNumber).toBe(data.orderFulfillments.at(-1).trackingNumber)
})

test('an order has at most 100 fulfillments', async () => {
  const order = await anOrder()
  await stack.sql(
    `INSERT INTO fulfillment (store_id, order_id, location_id, type, shipment_status, created_at, updated_at)
     SELECT $1, $2, $3, 'MANUAL', 'REQUESTED', now(), now() FROM generate_series(1, 100)`,
    [shop.storeId, order.number, location],
  )
  expect(await shipper.create(of(order))).toMatchObject({ errors: [{ field: 'orderId' }] })
})

test('lists are paginated, and can be filtered by location', async () => {
  const own = await stack.aStore()
  const there = shipping(stack, own)
  const locationId = String(await shopping(stack, own).aLocation())
  const made = []
  for (const shipmentStatus of ['REQUESTED', 'IN_TRANSIT', 'FAILED', 'IN_TRANSIT']) {
    const { id, number } = await there.aFulfillment({ type: 'MANUAL', locationId })
    await there.update(id, { shipmentStatus })
    made.push(number)
  }
  const list = async (given: string) =>
    (await stack.ask(own, `{ fulfillments${given} { nodes { number } pageInfo { hasNextPage endCursor } totalCount } }`)).data
      .fulfillments
  const numbers = ({ nodes }: { nodes: { number: number }[] }) => nodes.map(({ number }) => number)
  const first = await list('(first: 3)')
  expect([numbers(first), first.pageInfo.hasNextPage, first.totalCount]).toEqual([made.slice(0, 3), true, 4])
  expect(numbers(await list(`(after: "${first.pageInfo.endCursor}")`))).toEqual(made.slice(3))
  expect(numbers(await list('(offset: 2)'))).toEqual(made.slice(2))
  const moving = await list('(shipmentStatus: [IN_TRANSIT, FAILED])')
  expect([numbers(moving), moving.totalCount]).toEqual([made.slice(1), 3])
  expect(await list('(shipmentStatus: [])')).toMatchObject({ nodes: [], totalCount: 0 })
})

test('a page of fulfillments takes the same number of statements whatever its size', async () => {
  for (let index = 0; index < 9; index += 1) await shipper.aFulfillment(of(await anOrder(), { type: 'CTT' }))
  const queries = watchStatements()
  const statements = async (first: number) => {
    const before = queries.texts().length
    const { data } = await stack.ask(
      shop,
      `{ fulfillments(first: ${first}) { nodes { ${FULFILLMENT} order { number lines { name } fulfillments { number } } } totalCount } }`,
    )
    return { rows: data.fulfillments.nodes.length, statements: queries.texts().length - before }
  }
  try {
    const small = await statements(2)
    expect(small.rows).toBe(2)
    expect(await statements(9)).toEqual({ rows: 9, statements: small.statements })
  } finally {
    queries.stop()
  }
})

test('nothing of a store is seen or changed by another', async () => {
  const order = await anOrder()
  const { id, number } = await shipper.aFulfillment(of(order, { type: 'CTT' }))
  const other = await stack.aStore()
  const there = shipping(stack, other)
  const elsewhere = String(await shopping(stack, other).aLocation())
  expect(await there.fulfillment(number)).toBeNull()
  expect((await there.update(id, { shipmentStatus: 'FAILED' })).__typename).toBe('NotFoundError')
  expect((await there.remove(id)).__typename).toBe('NotFoundError')
  expect((await there.label(id)).__typename).toBe('NotFoundError')
  expect((await there.create({ type: 'MANUAL', locationId: String(location) })).__typename).toBe('NotFoundError')
  expect((await there.create(of(order, { locationId: elsewhere }))).__typename).toBe('NotFoundError')
  expect((await there.rates({ locationId: elsewhere, orderId: String(order.number) })).__typename).toBe('NotFoundError')
  const { data } = await stack.ask(
    other,
    'query ($id: ID!) { fulfillments { totalCount } orderFulfillments(orderId: $id) { number } }',
    {
      id: order.id,
    },
  )
  expect(data).toEqual({ fulfillments: { totalCount: 0 }, orderFulfillments: null })
  expect((await shipper.fulfillment(id)).version).toBe(1)
})

test('a location with fulfillments cannot be deleted', async () => {
  const locationId = String(await shopper.aLocation())
  const results = await Promise.all([
    shipper.create({ type: 'MANUAL', locationId }),
    stack.ask(shop, 'mutation ($id: ID!) { deleteLocation(id: $id) { __typename } }', { id: locationId }),
  ])
  const [made, deleted] = [results[0].__typename, results[1].data.deleteLocation.__typename]
  expect([
    ['CreateFulfillmentSuccess', 'ValidationError'],
    ['NotFoundError', 'DeleteLocationSuccess'],
  ]).toContainEqual([made, deleted])
})
