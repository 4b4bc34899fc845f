import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StoreRestStack, startStoreStack } from './stack.ts'

const NOON = new Date('2026-11-20T12:00:00Z')
let stack: StoreRestStack
let location: number
beforeAll(async () => {
  stack = await startStoreStack({ now: () => NOON })
  location = await aLocation()
})
afterAll(() => stack.close())

async function aLocation(as = stack.own): Promise<number> {
  const { json } = await stack.ask('POST /locations.json', {
    as,
    body: { location: { name: 'Store room', address: 'Rua A', city: 'Braga', country: 'PT' } },
  })
  return json.location.id
}
async function anOrder(as = stack.own) {
  const product = await stack.ask('POST /products.json', {
    as,
    body: { product: { name: 'Lamp', price: 10, weight: 2, stock: 9 } },
  })
  const shipping_address = { name: 'Ana', surname: 'Sousa', address: 'Rua B 7', city: 'Porto', postal: '4000', country: 'PT' }
  const { json } = await stack.ask('POST /orders.json', {
    as,
    body: {
      order: {
        status: 'Paid',
        customer: { email: 'ana@example.com', shipping_address },
        products: [{ id: product.json.product.id, qty: 3 }],
      },
    },
  })
  return json.order
}
const create = (fulfillment: Record<string, unknown>, as = stack.own) =>
  stack.ask('POST /fulfillments.json', { as, body: { fulfillment: { type: 'manual', location_id: location, ...fulfillment } } })
async function aFulfillment(fulfillment: Record<string, unknown>) {
  const { status, json, text } = await create(fulfillment)
  expect([status, text]).toEqual([200, expect.any(String)])
  return json.fulfillment
}
const change = (id: number, fulfillment: Record<string, unknown>, headers = {}) =>
  stack.ask(`PUT /fulfillments/${id}.json`, { body: { fulfillment }, headers })
const orderOf = async (id: number) => (await stack.ask(`GET /orders/${id}.json`)).json.order

test('what is handed over is answered as documented, with its order as that is from then on', async () => {
  const order = await anOrder()
  // Ids of the contract are texts here and numbers there.
  const fulfillment = await aFulfillment({
    order_id: String(order.id),
    location_id: String(location),
    type: 'correos_express',
    tracking_number: 'RR1',
    tracking_company: 'Correos',
    expected_arrival_from: '2026-11-21 08:00:00 UTC',
    expected_arrival_to: '2026-11-22',
    send_email: false,
  })
  expect(fulfillment).toEqual({
    id: fulfillment.id,
    created_at: '2026-11-20 12:00:00 UTC',
    updated_at: '2026-11-20 12:00:00 UTC',
    tracking_number: 'RR1',
    tracking_company: 'Correos',
    type: 'correos_express',
    shipment_status: 'requested',
    label_url: expect.stringContaining('/files/private/'),
    expected_arrival_from: '2026-11-21 08:00:00 UTC',
    expected_arrival_to: '2026-11-22 00:00:00 UTC',
    fulfillment_address: {
      address: {
        name: 'Ana',
        surname: 'Sousa',
        address: 'Rua B 7',
        city: 'Porto',
        postal: '4000',
        municipality: null,
        region: null,
        country: 'Portugal',
      },
    },
    order_id: order.id,
    order: { order: await orderOf(order.id) },
  })
  expect(fulfillment.order.order).toMatchObject({
    fulfillment_status: 'fulfilled',
    shipment_status: 'Requested',
    tracking_number: 'RR1',
    tracking_company: 'Correos',
  })
})

test('fulfillments are read by id, in pages and by order, and counted', async () => {
  const shop = await stack.aStore()
  const as = shop
  const location_id = await aLocation(shop)
  const order = await anOrder(shop)
  const made = []
  for (const order_id of [order.id, null, order.id]) {
    made.push((await create({ location_id, order_id }, shop)).json.fulfillment.id)
  }
  const ids = (reply: { json: { fulfillment: { id: number } }[] }) => reply.json.map(({ fulfillment }) => fulfillment.id)
  expect((await stack.ask(`GET /fulfillments/${made[1]}.json`, { as })).json.fulfillment).toMatchObject({
    id: made[1],
    order_id: null,
    order: null,
    fulfillment_address: null,
    label_url: null,
  })
  expect((await stack.ask('GET /fulfillments/count.json', { as })).json).toEqual({ count: 3 })
  expect(ids(await stack.ask('GET /fulfillments.json', { as }))).toEqual(made)
  expect(ids(await stack.ask('GET /fulfillments.json?limit=2&page=2', { as }))).toEqual(made.slice(2))
  expect((await stack.ask('GET /fulfillments.json?page=9', { as })).json).toEqual([])
  for (const noun of ['order', 'orders']) {
    expect(ids(await stack.ask(`GET /${noun}/${order.id}/fulfillments.json`, { as }))).toEqual([made[0], made[2]])
  }
  // Neither is there for anybody else.
  expect((await stack.ask(`GET /order/${order.id}/fulfillments.json`)).status).toBe(404)
  expect((await stack.ask(`GET /fulfillments/${made[0]}.json`)).status).toBe(404)
  expect((await stack.ask(`GET /fulfillments/${made[0]}/label.json`)).status).toBe(404)
  expect((await change(made[0], { tracking_number: 'X' })).status).toBe(404)
})

test('a change of a fulfillment is copied to the order, and one of the order to its newest fulfillment', async () => {
  const order = await anOrder()
  const { id } = await aFulfillment({ order_id: order.id })
  const moved = await change(id, {
    shipment_status: 'in_transit',
    tracking_company: 'other',
    tracking_number: 'T1',
    tracking_url: 'https://track.example/T1',
    // The contract demands it and does not have it.
    order_id: '1',
  })
  expect(moved.json.fulfillment).toMatchObject({ shipment_status: 'in_transit', tracking_number: 'T1', order_id: order.id })
  expect(await orderOf(order.id)).toMatchObject({
    shipment_status: 'In Transit',
    shipment_status_enum: 'in_transit',
    tracking_number: 'T1',
    tracking_url: 'https://track.example/T1',
  })
  await stack.ask(`PUT /orders/${order.id}.json`, {
    body: { order: { shipment_status: 'pickup_available', tracking_number: 'T2' } },
  })
  expect((await stack.ask(`GET /fulfillments/${id}.json`)).json.fulfillment).toMatchObject({
    shipment_status: 'pickup_available',
    tracking_number: 'T2',
  })
  expect((await change(id, { shipment_status: 'delivered' })).status).toBe(200)
  const back = await change(id, { shipment_status: 'requested' })
  expect([back.status, back.json.errors]).toEqual([
    400,
    { 'fulfillment.shipment_status': [expect.stringContaining('DELIVERED, which is final')] },
  ])
})

test('a label has the time of its expiry, and a missing one is an error of its own form', async () => {
  const order = await anOrder()
  const { id, label_url } = await aFulfillment({ order_id: order.id, type: 'dhl' })
  const label = await stack.ask(`GET /fulfillments/${id}/label.json`)
  expect(label.json).toEqual({ url: expect.any(String), expires_at: '2026-11-21T12:00:00Z' })
  expect(new URL(label.json.url).pathname).toBe(new URL(label_url).pathname)
  const none = await stack.ask(`GET /fulfillments/${(await aFulfillment({ order_id: order.id })).id}/label.json`)
  expect([none.status, none.json]).toEqual([400, { error: 'Invalid Label.', message: 'Invalid Label.' }])
  expect((await stack.ask('GET /fulfillments/999999/label.json')).status).toBe(404)
})

test('rates are those of the shipping methods, for an order or for packages', async () => {
  await stack.ask('POST /shipping_methods.json', {
    body: {
      shipping_method: {
        type: 'tables',
        name: 'Post',
        tables: [
          {
            basedon: 'weight',
            values: [
              { amount: 0, price: 3.5 },
              { amount: 7, price: 9 },
            ],
          },
        ],
      },
    },
  })
  const quote = (rates: Record<string, unknown>) => stack.ask('POST /fulfillments/rates.json', { body: { rates } })
  const order = await anOrder()
  const rate = (amount: number) => [{ fulfillment_company: 'Post', service_label: 'Post', service_type: null, amount }]
  expect((await quote({ location_id: location, order_id: order.id })).json).toEqual(rate(3.5))
  expect((await quote({ location_id: String(location), packages_dimensions: [{ weight: 7.5, length: 10 }] })).json).toEqual(
    rate(9),
  )
  const wrong = await quote({ location_id: location, packages_dimensions: [{ weight: -1 }] })
  expect([wrong.status, Object.keys(wrong.json.errors)]).toEqual([400, ['rates.packages_dimensions.0.weight']])
  expect((await quote({ location_id: location })).json.errors).toHaveProperty(['rates.packages_dimensions'])
  expect((await quote({ location_id: 999_999, packages_dimensions: [{}] })).status).toBe(404)
  expect((await quote({ location_id: location, order_id: '999999' })).status).toBe(404)
  expect((await quote({})).json.errors).toHaveProperty(['rates.location_id'])
})

test.each<[string, Record<string, unknown>, number, string | null]>([
  ['a type that is none', { type: 'pigeon' }, 400, 'fulfillment.type'],
  ['no type', { type: undefined }, 400, 'fulfillment.type'],
  ['no location', { location_id: undefined }, 400, 'fulfillment.location_id'],
  ['an id that is none', { order_id: 'x' }, 400, 'fulfillment.order_id'],
  ['an order that is not there', { order_id: 999_999 }, 404, null],
  ['a location that is not there', { location_id: 999_999 }, 404, null],
  ['a list for a text', { tracking_number: ['x'] }, 400, 'fulfillment.tracking_number'],
  ['an invalid address', { shipping_address: 'Porto' }, 400, 'fulfillment.shipping_address'],
  ['a country that is none', { shipping_address: { country: 'XX' } }, 400, 'fulfillment.shipping_address.country'],
  ['packages that are none', { packages_dimensions: [{ weight: 'heavy' }] }, 400, 'fulfillment.packages_dimensions.0.weight'],
  ['too many packages', { packages_dimensions: Array(51).fill({}) }, 400, 'fulfillment.packages_dimensions'],
  ['a time that is none', { expected_arrival_from: 'soon' }, 400, 'fulfillment.expected_arrival_from'],
  ['an e-mail address that is none', { receiver_email: 'x' }, 400, 'fulfillment.receiver_email'],
  ['a page that is none', { tracking_url: 'ftp://x' }, 400, 'fulfillment.tracking_url'],
])('%s is refused, and nothing is handed over', async (_, wrong, status, field) => {
  const order = await anOrder()
  const before = (await stack.ask('GET /fulfillments/count.json')).json.count
  const reply = await create({ order_id: order.id, ...wrong })
  expect([reply.status, field === null ? [] : Object.keys(reply.json.errors)]).toEqual([status, field === null ? [] : [field]])
  expect((await stack.ask('GET /fulfillments/count.json')).json.count).toBe(before)
})

test('invalid bodies, other media types and oversized values are refused', async () => {
  const { id } = await aFulfillment({})
  const paths = ['POST /fulfillments.json', 'POST /fulfillments/rates.json', `PUT /fulfillments/${id}.json`]
  for (const on of paths) {
    for (const body of ['', '{', '[]', '{"fulfillment": 1, "rates": 1}', '{"fulfillment": null, "rates": null}']) {
      expect([on, body, (await stack.ask(on, { body })).status]).toEqual([on, body, 400])
    }
    expect((await stack.ask(on, { body: '{}', headers: { 'content-type': 'text/plain' } })).status).toBe(415)
    expect((await stack.ask(on, { body: JSON.stringify({ x: 'x'.repeat(2_000_000) }) })).status).toBe(413)
  }
  for (const query of ['limit=0', 'limit=x', 'page=-1']) {
    expect([query, (await stack.ask(`GET /fulfillments.json?${query}`)).status]).toEqual([query, 400])
  }
})

test('a repeated request creates once; another body under its key and a stale version are conflicts', async () => {
  const order = await anOrder()
  const headers = { 'idempotency-key': 'parcel-1' }
  const send = (type: string) =>
    stack.ask('POST /fulfillments.json', { headers, body: { fulfillment: { type, location_id: location, order_id: order.id } } })
  const [first, second] = [await send('dhl'), await send('dhl')]
  expect(second.json.fulfillment.id).toBe(first.json.fulfillment.id)
  expect((await send('dpd')).status).toBe(409)
  const { id } = first.json.fulfillment
  expect((await change(id, { tracking_number: 'A' }, { 'if-match': '"1"' })).status).toBe(200)
  const stale = await change(id, { tracking_number: 'B' }, { 'if-match': '"1"' })
  expect([stale.status, stale.json.current_version]).toEqual([409, 2])
})

test('of two concurrent shipments of one parcel with different carriers one succeeds', async () => {
  const order = await anOrder()
  const { id } = await aFulfillment({ order_id: order.id })
  await change(id, { shipment_status: 'in_transit' })
  const replies = await Promise.all([
    change(id, { shipment_status: 'delivered' }),
    change(id, { shipment_status: 'failed' }),
    stack.ask(`PUT /orders/${order.id}.json`, { body: { order: { shipment_status: 'pickup_available' } } }),
  ])
  const { shipment_status } = (await stack.ask(`GET /fulfillments/${id}.json`)).json.fulfillment
  expect((await orderOf(order.id)).shipment_status_enum).toBe(shipment_status)
  // Only to a parcel that waits to be collected something can still happen.
  expect(replies.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(shipment_status === 'delivered' ? 2 : 1)
  expect(replies.map(({ status }) => status).every((status) => status === 200 || status === 400)).toBe(true)
})

test('a fulfillment cannot be deleted over REST', async () => {
  const { id } = await aFulfillment({})
  const { status, headers } = await stack.ask(`DELETE /fulfillments/${id}.json`)
  expect([status, headers.allow]).toEqual([405, expect.stringContaining('PUT')])
})
