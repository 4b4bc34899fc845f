import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type Client, createClient } from 'graphql-ws'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { serveWebSockets } from '../../gateway/transports/websocket.ts'
import { createHttpServer } from '../../platform/http/server.ts'
import { type StoreRestStack, startStoreStack } from '../rest-facade/store/stack.ts'
import type { TestStore } from '../subgraphs/store/support/store.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
type Data = any

let stack: StoreRestStack
let app: FastifyInstance
let url: string
let shop: TestStore
const clients: Client[] = []

beforeAll(async () => {
  stack = await startStoreStack()
  app = createHttpServer({ log: pino({ level: 'silent' }) })
  serveWebSockets(app, stack.gateway)
  await app.listen({ port: 0, host: '127.0.0.1' })
  url = `ws://127.0.0.1:${(app.server.address() as AddressInfo).port}/graphql`
})
afterAll(async () => {
  await app.close()
  await stack.close()
})
beforeEach(async () => {
  shop = await stack.aStore()
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.dispose()))
})

/** What one subscriber is told. `done` is why the subscription ended. */
type Received = { readonly events: Data[]; readonly errors: Data[]; readonly ended: Promise<void> }

/** Subscribes over a socket of its own; resolves when the subscription runs, or has ended. */
async function subscribe(who: TestStore | null, query: string, variables: Record<string, unknown> = {}): Promise<Received> {
  const before = stack.subgraph.listeners?.() ?? 0
  const authorization = who && `Basic ${Buffer.from(`${who.login}:${who.authtoken}`).toString('base64')}`
  const client = createClient({
    url,
    webSocketImpl: WebSocket,
    connectionParams: { ...(authorization && { authorization }) },
    retryAttempts: 0,
  })
  clients.push(client)
  const received = { events: [] as Data[], errors: [] as Data[] }
  let hasEnded = false
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      hasEnded = true
      resolve()
    }
    client.subscribe(
      { query, variables },
      {
        next: ({ data, errors }: Data) => {
          if (data) received.events.push(data)
          received.errors.push(...(errors ?? []))
        },
        error: (errors: Data) => {
          received.errors.push(...[errors].flat())
          end()
        },
        complete: end,
      },
    )
  })
  while (!hasEnded && (stack.subgraph.listeners?.() ?? 0) === before) await sleep(5)
  return { ...received, ended }
}

const until = async (holds: () => boolean) => {
  while (!holds()) await sleep(5)
}
const post = async (path: string, body: object, as = shop) => (await stack.ask(`POST ${path}`, { as, body })).json
const put = (path: string, body: object) => stack.ask(`PUT ${path}`, { as: shop, body })
const aProduct = async (name: string, as = shop): Promise<number> =>
  (await post('/products.json', { product: { name, price: 1 } }, as)).product.id

const PRODUCT = 'subscription ($id: ID) { productUpdated(productId: $id) { number name } }'

test('productUpdated sends a product after each change, in order, and no product of other ids or stores', async () => {
  const [one, other] = [await aProduct('One'), await aProduct('Other')]
  const elsewhere = await stack.aStore()
  const only = await subscribe(shop, PRODUCT, { id: String(one) })
  const all = await subscribe(shop, PRODUCT)
  const stranger = await subscribe(elsewhere, PRODUCT)
  await put(`/products/${one}.json`, { product: { name: 'a' } })
  await put(`/products/${other}.json`, { product: { name: 'b' } })
  await put(`/products/${one}.json`, { product: { name: 'c' } })
  await until(() => all.events.length === 3 && only.events.length === 2)
  expect([...only.errors, ...all.errors]).toEqual([])
  // What is told is read after the event, so that only the last is certain.
  expect(only.events.map(({ productUpdated: { number } }) => number)).toEqual([one, one])
  expect(only.events.at(-1).productUpdated.name).toBe('c')
  expect(all.events.map(({ productUpdated: { number } }) => number)).toEqual([one, other, one])
  expect([stranger.events, stranger.errors]).toEqual([[], []])
})

test('a stock level is sent for the changed location only', async () => {
  const product = await aProduct('Counted')
  const address = { email: 'shop@example.org', address: 'Rua 1', city: 'Porto', country: 'PT', Region: 'Norte' }
  const place = async (name: string): Promise<number> =>
    (await post('/locations.json', { location: { ...address, name } })).location.id
  const [here, there] = [await place('Here'), await place('There')]
  const LEVEL = 'subscription ($id: ID) { inventoryLevelChanged(locationId: $id) { locationNumber productNumber stock } }'
  const received = await subscribe(shop, LEVEL, { id: String(here) })
  const SET = `mutation ($location: ID!, $product: ID!, $stock: Int!) {
    setInventoryLevel(input: { locationId: $location, productId: $product, stock: $stock }) { __typename } }`
  for (const [location, stock] of [
    [there, 4],
    [here, 7],
  ])
    await stack.graph(shop, SET, { location: String(location), product: String(product), stock })
  await until(() => received.events.length > 0)
  expect(received.events).toEqual([{ inventoryLevelChanged: { locationNumber: here, productNumber: product, stock: 7 } }])
})

test('customerCreated sends a new customer, and not a changed one', async () => {
  const received = await subscribe(shop, 'subscription { customerCreated { number email } }')
  const { customer } = await post('/customers.json', { customer: { email: 'ann@example.org' } })
  await put(`/customers/${customer.id}.json`, { customer: { phone: '1' } })
  await post('/customers.json', { customer: { email: 'bob@example.org' } })
  await until(() => received.events.length === 2)
  expect(received.events.map(({ customerCreated: { email } }) => email)).toEqual(['ann@example.org', 'bob@example.org'])
})

const ORDER = 'subscription ($id: ID) { orderUpdated(orderId: $id) { number status shipmentStatus } }'

test('orderUpdated sends an order after its creation and once per change, and no order of other ids or stores', async () => {
  const product = await aProduct('Sold')
  const anOrder = async (as = shop): Promise<number> => {
    const products = [{ id: as === shop ? product : await aProduct('Sold', as), qty: 1 }]
    return (await post('/orders.json', { order: { products } }, as)).order.id
  }
  const other = await anOrder()
  const elsewhere = await stack.aStore()
  const all = await subscribe(shop, ORDER)
  const one = await anOrder()
  const only = await subscribe(shop, ORDER, { id: String(one) })
  const stranger = await subscribe(elsewhere, ORDER)
  await put(`/orders/${one}.json`, { order: { status: 'Paid' } })
  await put(`/orders/${other}.json`, { order: { status: 'Canceled' } })
  // Paid already: nothing of its state is told a second time, but what else was said.
  await put(`/orders/${one}.json`, { order: { status: 'Paid', shipment_status: 'requested' } })
  await put(`/products/${product}.json`, { product: { name: 'Sold again' } })
  await put(`/orders/${other}.json`, { order: { additional_information: 'Off' } })
  const theirs = await anOrder(elsewhere)
  await until(() => all.events.length === 5 && only.events.length === 2 && stranger.events.length === 1)
  expect([...all.errors, ...only.errors, ...stranger.errors]).toEqual([])
  const numbers = ({ events }: Received) => events.map(({ orderUpdated: { number } }) => number)
  expect([numbers(all), numbers(only), numbers(stranger)]).toEqual([[one, one, other, one, other], [one, one], [theirs]])
  expect(only.events.at(-1).orderUpdated).toEqual({ number: one, status: 'PAID', shipmentStatus: 'REQUESTED' })
})

test('a subscription ends when its credentials are reset', async () => {
  const product = await aProduct('Lamp')
  const received = await subscribe(shop, PRODUCT)
  await stack.sql(`UPDATE credential SET token_hash = 'x' WHERE login = $1`, [shop.login])
  // A judgement holds for a second.
  await sleep(1_100)
  await stack.sql('SELECT 1')
  await stack.sql(
    `WITH next AS (UPDATE event_topic SET last_number = last_number + 1 WHERE name = $1 RETURNING last_number)
     INSERT INTO event (topic, number, payload) SELECT $1, last_number, $2 FROM next`,
    [`store:${shop.storeId}`, JSON.stringify({ event: 'product_updated', entity: 'Product', id: product })],
  )
  await stack.sql(`SELECT pg_notify('store_event', $1)`, [`store:${shop.storeId}`])
  await received.ended
  expect(received.events).toEqual([])
  expect(received.errors[0].extensions.code).toBe('UNAUTHENTICATED')
})

test.each([
  ['nobody in particular', null, PRODUCT, {}, 'UNAUTHENTICATED'],
  ['who names a product that is not there', 'shop', PRODUCT, { id: '2147483647' }, 'NOT_FOUND'],
  ['who names no id', 'shop', PRODUCT, { id: 'x' }, 'NOT_FOUND'],
  [
    'who names an order that is not there',
    'shop',
    'subscription ($id: ID) { orderUpdated(orderId: $id) { id } }',
    { id: '2147483647' },
    'NOT_FOUND',
  ],
  [
    'who names a location that is not there',
    'shop',
    'subscription { inventoryLevelChanged(locationId: "999999") { id } }',
    {},
    'NOT_FOUND',
  ],
] as const)('%s is refused', async (_, who, query, variables, code) => {
  const received = await subscribe(who && shop, query, variables)
  await received.ended
  expect(received.errors[0].extensions.code).toBe(code)
})
