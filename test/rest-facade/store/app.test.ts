import { afterAll, beforeAll, expect, test } from 'vitest'
import { agreedApp, anApp } from '../../subgraphs/store/support/app.ts'
import type { TestStore } from '../../subgraphs/store/support/store.ts'
import { type StoreRestStack, startStoreStack } from './stack.ts'

let clock = new Date('2026-05-15T12:00:00Z')
let stack: StoreRestStack
beforeAll(async () => {
  stack = await startStoreStack({ now: () => clock })
})
afterAll(() => stack.close())

const SCRIPT = { url: 'https://app.example/banner.js', template: 'layout', element: 'body' }
const putBy = (token: string, script: object = {}) => ask(token, 'POST /jsapps.json', { app: { ...SCRIPT, ...script } })
const ask = (token: string, on: string, body?: object) =>
  stack.ask(on, { as: null, headers: { authorization: `Bearer ${token}` }, ...(body && { body }) })

test('an app puts a script into pages, finds it, and takes it out', async () => {
  const own = await stack.aStore()
  const { code, token } = await agreedApp(stack, own)
  const { json: made } = await putBy(token)
  const { js_app: script } = made
  expect(script).toEqual({ id: expect.any(Number), ...SCRIPT, application_id: expect.any(Number) })
  for (const path of ['/jsapps.json', `/jsapps/${code}.json`]) {
    expect((await ask(token, `GET ${path}`)).json).toEqual([made])
    expect((await stack.ask(`GET ${path}`, { as: own })).json).toEqual([made])
  }
  expect((await ask(token, `DELETE /jsapps/${script.id}.json`)).json).toEqual({ message: 'JsApp deleted' })
  const again = await ask(token, `DELETE /jsapps/${script.id}.json`)
  expect(again.status).toBe(404)
})

test('without a subscription the answer has the published text', async () => {
  const own = await stack.aStore()
  const { code, token } = await agreedApp(stack, own)
  const [ofStore, ofApp] = ["This store doesn't have any JsApps", "This app doesn't have any JsApps"]
  for (const [reply, message] of [
    [await stack.ask('GET /jsapps.json', { as: own }), ofStore],
    [await ask(token, 'GET /jsapps.json'), ofApp],
    [await stack.ask(`GET /jsapps/${code}.json`, { as: own }), ofApp],
    [await ask(token, `GET /jsapps/${code}.json`), ofApp],
    [await stack.ask('GET /jsapps/unheard-of.json', { as: own }), 'App with code "unheard-of" not found.'],
  ] as const) {
    expect([reply.status, reply.json]).toEqual([404, { message }])
  }
})

test('every invalid field of a script is reported in a sentence', async () => {
  const { status, json } = await stack.ask('POST /jsapps.json', {
    body: { app: { url: 'https://app.example/', template: 'everywhere', element: 'foot' } },
  })
  expect([status, json.errors]).toEqual([
    400,
    [
      'Expected `app.template` to be one of layout, home, product, page, category, cart, checkout, got "everywhere".',
      'Expected `app.element` to be one of head, body, got "foot".',
    ],
  ])
  const insecure = await stack.ask('POST /jsapps.json', { body: { app: { ...SCRIPT, url: 'http://app.example/' } } })
  expect(insecure.json.errors).toEqual([expect.stringContaining('Expected `app.url` to be an https URL')])
})

test('an app gets at its own scripts only, and at those of the shop that agreed', async () => {
  const own = await stack.aStore()
  const [one, other] = [await agreedApp(stack, own), await agreedApp(stack, own)]
  const theirs = await agreedApp(stack, await stack.aStore(), { code: one.code })
  const { id } = (await putBy(one.token)).json.js_app
  expect((await ask(other.token, `GET /jsapps/${one.code}.json`)).status).toBe(403)
  expect((await ask(other.token, `DELETE /jsapps/${id}.json`)).status).toBe(403)
  expect((await ask(theirs.token, `DELETE /jsapps/${id}.json`)).status).toBe(404)
  expect((await ask(theirs.token, 'GET /jsapps.json')).status).toBe(404)
  expect((await stack.ask(`DELETE /jsapps/${id}.json`)).status).toBe(404)
  expect((await ask(one.token, 'GET /jsapps.json')).json).toHaveLength(1)
})

test('a retry with its key puts one script, and a version that is old deletes none', async () => {
  const own = await stack.aStore()
  const put = (headers: Record<string, string>, script = SCRIPT) =>
    stack.ask('POST /jsapps.json', { as: own, headers, body: { app: script } })
  const first = await put({ 'idempotency-key': 'a' })
  expect((await put({ 'idempotency-key': 'a' })).json).toEqual(first.json)
  expect((await put({ 'idempotency-key': 'a' }, { ...SCRIPT, element: 'head' })).status).toBe(409)
  const path = `DELETE /jsapps/${first.json.js_app.id}.json`
  expect((await stack.ask(path, { as: own, headers: { 'if-match': '"2"' } })).json).toMatchObject({ current_version: 1 })
  expect((await stack.ask(path, { as: own, headers: { 'if-match': '"1"' } })).status).toBe(200)
})

/** Sells so many pieces, each with an order of its own. */
async function sell(shop: TestStore, count: number): Promise<number[]> {
  const { json } = await stack.ask('POST /products.json', { as: shop, body: { product: { name: 'Lamp', price: 20 } } })
  const made: number[] = []
  for (let n = 0; n < count; n += 1) {
    const { json: sold } = await stack.ask('POST /orders.json', {
      as: shop,
      body: { order: { status: 'paid', products: [{ id: json.product.id, qty: 1, price: 20 }] } },
    })
    made.push(sold.order.id)
  }
  return made
}

test('an app learns whether it is installed, by which plan, and which orders it is paid by', async () => {
  const shop = await stack.aStore()
  const { data } = await stack.graph(
    shop,
    `mutation { createApp(input: { name: "Paid", redirectUris: ["https://a.example/"], scopes: ["read_apps"] }) {
      ... on CreateAppSuccess { app { id code } } } }`,
  )
  const { id, code } = data.createApp.app
  const status = {
    app_code: code,
    store_id: shop.storeId,
    installed: false,
    subscription_plan: null,
    subscription_status: null,
    code: shop.code,
  }
  const get = (name: string) => stack.ask(`GET /apps/${code}/${name}`, { as: shop })
  expect((await get('install_status.json')).json).toEqual(status)
  const { token } = await agreedApp(stack, shop, { code, scopes: ['read_apps'] })
  expect((await ask(token, `GET /apps/${code}/install_status.json`)).json).toEqual({ ...status, installed: true })
  for (const name of ['billing_cycle_dates', 'billing_cycle_orders', 'check_billing_cycle_order']) {
    const none = await get(`${name}.json`)
    expect([none.status, none.json.message]).toEqual([404, 'The store has no subscription to this app on this day.'])
  }

  const plans = await stack.graph(
    shop,
    `mutation ($id: ID!) { setAppPlans(id: $id, input: { plans: [{ name: "Shop", currency: "EUR", monthlyPrice: 5, freeOrders: 1, pricePerOrder: 0.1 }] }) { __typename } }`,
    { id },
  )
  const subscribed = await stack.graph(
    shop,
    'mutation ($code: String!) { subscribeToApp(input: { code: $code, plan: "Shop" }) { __typename } }',
    { code },
  )
  expect([plans.data.setAppPlans.__typename, subscribed.data.subscribeToApp.__typename]).toEqual([
    'SetAppPlansSuccess',
    'SubscribeToAppSuccess',
  ])
  expect((await get(`install_status_by_store_id.json?store_id=${shop.storeId}`)).json).toEqual({
    ...status,
    installed: true,
    subscription_plan: 'Shop',
    subscription_status: 'active',
  })
  const made = await sell(shop, 3)
  const dates = { billing_start: '2026-05-15', billing_end: '2026-06-14' }
  expect((await ask(token, `GET /apps/${code}/billing_cycle_dates.json`)).json).toEqual(dates)
  const ids = (orders: { order: { id: number } }[]) => orders.map(({ order }) => order.id)
  const { json: orders } = await ask(token, `GET /apps/${code}/billing_cycle_orders.json`)
  expect([ids(orders.free_orders), ids(orders.billable_orders)]).toEqual([made.slice(0, 1), made.slice(1)])
  const second = (await get('billing_cycle_orders.json?limit=1&page=2')).json
  expect([ids(second.free_orders), ids(second.billable_orders)]).toEqual([[], made.slice(2)])
  expect((await get('check_billing_cycle_order.json')).json).toEqual({ ...dates, paid: false })
  const paid = await stack.graph(shop, `mutation { payAppBillingCycle(code: "${code}") { __typename } }`)
  expect(paid.data.payAppBillingCycle.__typename).toBe('PayAppBillingCycleSuccess')
  expect((await get('check_billing_cycle_order.json?date=2026-06-14')).json).toEqual({ ...dates, paid: true })
  expect((await stack.ask('GET /transaction_ledger/balance.json', { as: shop })).json[0].balance).toBe(54.8)

  clock = new Date('2026-06-15T12:00:00Z')
  expect((await get('check_billing_cycle_order.json')).json).toEqual({
    billing_start: '2026-06-15',
    billing_end: '2026-07-14',
    paid: false,
  })
  expect((await get('billing_cycle_dates.json?date=2026-13-01')).json.errors).toEqual({ date: [expect.any(String)] })
})

test('other stores are not found, and neither are their apps', async () => {
  const code = await anApp(stack)
  const other = await stack.aStore()
  const { status } = await stack.ask(`GET /apps/${code}/install_status_by_store_id.json?store_id=${other.storeId}`)
  expect(status).toBe(404)
  const { json } = await stack.ask(`GET /apps/${code}/install_status_by_store_id.json`)
  expect(json.errors).toEqual({ store_id: [expect.stringContaining('got nothing')] })
  const { token } = await agreedApp(stack, stack.own)
  expect((await ask(token, `GET /apps/${code}/install_status.json`)).status).toBe(403)
})

test('a day at the end of the calendar finds orders, or is refused, and breaks nothing', async () => {
  const on = (day: string) => stack.ask(`GET /orders.json?dateFilter=customDate&finalDate=${day}`)
  expect((await on('9999-12-30')).status).toBe(200)
  expect((await on('9999-12-31')).status).toBe(400)
  expect((await on('0001-01-01')).status).toBe(200)
})
