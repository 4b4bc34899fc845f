import { setTimeout as sleep } from 'node:timers/promises'
import { TestClock } from 'pg-boss'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestStore } from '../../subgraphs/store/support/store.ts'
import { type HttpServer, startHttpServer } from '../../support/http-server.ts'
import { type StoreRestStack, startStoreStack } from './stack.ts'

/** Ahead of the machine's clock, which nothing may wait for. */
const clock = new TestClock(Date.now() + 24 * 3_600_000)
const ADDRESS = { name: 'Ana', address: 'Rua 7', city: 'Porto', country: 'PT' }
/** Times of the last change, and signatures of links, are those of the answer. */
const seen = (order: object) => JSON.stringify(order).replaceAll(/expires=\d+&signature=[\w-]+/g, 'signed')

let stack: StoreRestStack
let receiver: HttpServer
const received: string[] = []
beforeAll(async () => {
  receiver = await startHttpServer({
    '*': (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        received.push(Buffer.concat(chunks).toString())
        response.writeHead(200).end()
      })
    },
  })
  stack = await startStoreStack({
    now: () => new Date(clock.now()),
    webhooks: {
      jobClock: clock,
      webhookNetwork: { resolvers: [], allow: ({ address, port }) => address === '127.0.0.1' && port === receiver.port },
    },
  })
})
afterAll(async () => {
  await stack.close()
  await receiver.close()
})

async function ask(shop: TestStore, query: string, variables: Record<string, unknown> = {}) {
  const { data, errors } = await stack.graph(shop, query, variables)
  expect(errors).toBeUndefined()
  for (const [name, value] of Object.entries<{ __typename: string }>(data))
    expect([name, value.__typename]).toEqual([name, expect.stringMatching(/Success$/)])
  return data
}
const create = (shop: TestStore, field: string, input: object, selected = '') =>
  ask(
    shop,
    `mutation ($input: ${field[0]?.toUpperCase()}${field.slice(1)}Input!) { made: ${field}(input: $input) { __typename ${selected} } }`,
    { input },
  )

/** A shop with taxes, a promotion and shipping, whose orders have each of them. */
async function aShop() {
  const shop = await stack.aStore()
  await create(shop, 'createTax', { name: 'VAT', country: 'PT', rate: '23' })
  await create(shop, 'createTax', { name: 'Recycling', country: 'PT', rate: '0.5', fixed: true })
  await create(shop, 'createTax', { name: 'Freight', country: 'PT', rate: '0.35', fixed: true, shipping: true })
  const method = { type: 'FLAT', name: 'Post', fees: [{ type: 'FIXED', value: '3.15' }] }
  await create(shop, 'createShippingMethod', method)
  await create(shop, 'createPromotion', { name: 'Ten', type: 'PERCENTAGE', discountAmountPercent: '10' })
  const { json } = await stack.ask('POST /products.json', {
    as: shop,
    body: { product: { name: 'Cup', price: 10.15, stock: 500 } },
  })
  const methods = (await stack.ask('GET /shipping_methods.json', { as: shop })).json
  const order = async (more: object = {}): Promise<number> => {
    const input = {
      ...{ customer: { email: 'ana@example.org', shippingAddress: ADDRESS, billingAddress: ADDRESS }, applyPromotions: true },
      ...{ shippingMethodId: String(methods[0].shipping_method.id), additionalInformation: 'Ring twice' },
      ...{ additionalFields: [{ label: 'Gift', value: 'yes' }], lines: [{ productId: String(json.product.id), quantity: 3 }] },
      ...more,
    }
    return (await create(shop, 'createOrder', input, '... on CreateOrderSuccess { order { number } }')).made.order.number
  }
  return { shop, order }
}
const read = async (shop: TestStore, number: number) => (await stack.ask(`GET /orders/${number}.json`, { as: shop })).json
/** The rows of an order that are not events, without their times and versions. */
const rows = async (number: number) =>
  JSON.stringify(
    await stack.sql(
      `SELECT to_jsonb(o) - 'updated_at' - 'version' AS "order", (SELECT jsonb_agg(l ORDER BY id) FROM order_line l WHERE l.order_id = o.id AND l.store_id = o.store_id) AS lines,
        (SELECT jsonb_agg(h ORDER BY id) FROM order_history h WHERE h.order_id = o.id AND h.store_id = o.store_id) AS history,
        (SELECT jsonb_agg(e ORDER BY id) FROM ledger_entry e WHERE e.order_id = o.id AND e.store_id = o.store_id) AS ledger
       FROM "order" o WHERE id = $1`,
      [number],
    ),
  )

async function expectPutBack(shop: TestStore, number: number, currency: string) {
  const before = await read(shop, number)
  const stored = await rows(number)
  expect(before.order).toMatchObject({ currency, total: expect.any(Number) })
  const { status, json } = await stack.ask(`PUT /orders/${number}.json`, { as: shop, body: before })
  expect([status, seen(json)]).toEqual([200, seen(before)])
  expect(await rows(number)).toBe(stored)
}

test('an order in another currency, of every status, is put back as it was read, and changes nothing', async () => {
  const { shop, order } = await aShop()
  await create(shop, 'createStoreCurrency', { code: 'JPY', rate: '160', roundingStep: '100' })
  await create(shop, 'createStoreCurrency', { code: 'KWD', rate: '0.331' })
  for (const currency of ['JPY', 'KWD'])
    for (const status of ['PENDING_PAYMENT', 'PAID', 'ABANDONED', 'CANCELED'])
      await expectPutBack(shop, await order({ currency, status }), currency)
})

test('an order of a store in another currency, and of one that had another before, is put back as it was read', async () => {
  const { shop, order } = await aShop()
  const euros = [await order({ status: 'PAID' }), await order({ status: 'PENDING_PAYMENT' })]
  await ask(shop, 'mutation { made: updateStore(input: { currency: "JPY" }) { __typename } }')
  for (const number of euros) await expectPutBack(shop, number, 'EUR')
  const yen = await order({ status: 'PAID' })
  await expectPutBack(shop, yen, 'JPY')
  expect(await read(shop, yen)).toMatchObject({ order: { products: [{ price: 10.15 }] } })
})

test('the webhook of an order in another currency has the body that REST answers', async () => {
  const { shop, order } = await aShop()
  await create(shop, 'createStoreCurrency', { code: 'JPY', rate: '160', roundingStep: '100' })
  const listen = (event: string) =>
    stack.ask('POST /hooks.json', { as: shop, body: { hook: { event, url: `${receiver.url}/${event}` } } })
  await listen('order_created')
  const number = await order({ currency: 'JPY', status: 'PAID' })
  const until = async (many: number) => {
    for (let round = 0; received.length < many && round < 600; round += 1) {
      await clock.tick(1_000)
      await sleep(5)
    }
    expect(received).toHaveLength(many)
  }
  await until(1)
  const answer = await read(shop, number)
  // 3 x 1600, as the shop lists 1624 yen, less a tenth; 504 yen of shipping for each.
  expect(answer.order).toMatchObject({ currency: 'JPY', subtotal: 4800, discount: 480, shipping: 1512, shipping_tax: 56 })
  expect(seen(JSON.parse(received[0] ?? ''))).toBe(seen(answer))
  await listen('order_updated')
  await stack.ask(`PUT /orders/${number}.json`, { as: shop, body: answer })
  await until(2)
  expect(seen(JSON.parse(received[1] ?? ''))).toBe(seen(await read(shop, number)))
})

test('the published contract says which amounts are in the currency of the order', async () => {
  const { components } = (await stack.ask('GET /openapi.json')).json
  const { OrderProduct, OrderProductTax, OrderShippingTax, ShippingTablesValue } = components.schemas
  const said = (schema: { properties: object }) => JSON.stringify(schema.properties)
  for (const schema of [OrderProduct, OrderProductTax, OrderShippingTax])
    expect(said(schema)).not.toContain('currency of the store')
  expect(OrderProduct.properties.price.description).toContain('currency of the order')
  expect(ShippingTablesValue.properties.price.description).toContain('shipping')
})
