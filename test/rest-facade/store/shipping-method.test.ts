import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StoreRestStack, startStoreStack } from './stack.ts'

let stack: StoreRestStack
beforeAll(async () => {
  stack = await startStoreStack()
})
afterAll(() => stack.close())

const create = (shipping_method: Record<string, unknown>, as = stack.own) =>
  stack.ask('POST /shipping_methods.json', { body: { shipping_method }, as })

const TABLE = {
  basedon: 'weight',
  values: [
    { amount: 5, price: 9000 },
    { amount: 0, price: 4500.5 },
  ],
  locations: [{ country: 'CL', region: '03', municipality: '8261495' }],
}

test('shipping methods by tables are created, read, listed, changed and deleted', async () => {
  const { ask } = stack
  const made = await create({ type: 'tables', name: 'Post', tables: [TABLE] })
  expect(made.status).toBe(200)
  const { shipping_method: method } = made.json
  expect(method).toEqual({
    id: method.id,
    type: 'tables',
    name: 'Post',
    enabled: true,
    free_shipping: false,
    free_shipping_minimum_purchase: false,
    fee: [],
    callback_url: null,
    fetch_services_url: null,
    state: null,
    city: null,
    postal: null,
    services: [],
    tables: [
      {
        basedon: 'weight',
        values: [
          { amount: 0, price: 4500.5 },
          { amount: 5, price: 9000 },
        ],
        locations: [
          { country: 'CL', region: '03', municipality: '8261495', postal_code_range_start: null, postal_code_range_end: null },
        ],
      },
    ],
  })
  expect((await ask(`GET /shipping_methods/${method.id}.json`)).json).toEqual({ shipping_method: method })
  expect((await ask('GET /shipping_methods.json')).json).toEqual([{ shipping_method: method }])

  const changed = await ask(`PUT /shipping_methods/${method.id}.json`, {
    body: { shipping_method: { type: 'tables', name: 'Mail', tables: [{ ...TABLE, basedon: 'price', locations: [] }] } },
  })
  expect(changed.json.shipping_method).toMatchObject({
    id: method.id,
    name: 'Mail',
    tables: [{ basedon: 'price', locations: [] }],
  })
  const gone = await ask(`DELETE /shipping_methods/${method.id}.json`)
  expect([gone.status, gone.text]).toEqual([200, '"OK"'])
  for (const on of ['GET', 'DELETE']) expect((await ask(`${on} /shipping_methods/${method.id}.json`)).status).toBe(404)
})

test('an external shipping method does not reveal its token, and is created also when its service does not answer', async () => {
  const { status, json, text } = await create({
    type: 'external',
    name: 'Carrier',
    callback_url: 'http://127.0.0.1:9/rates',
    fetch_services_url: 'http://127.0.0.1:9/services',
    token: 'Do-not-tell',
    state: '03',
    city: 'Calama',
    postal: '1390000',
  })
  expect([status, json.shipping_method]).toMatchObject([
    200,
    { type: 'external', callback_url: 'http://127.0.0.1:9/rates', city: 'Calama', services: [], tables: [] },
  ])
  expect(text).not.toContain('Do-not-tell')
})

test('the list is of those that are enabled, of the others, or of all', async () => {
  const shop = await stack.aStore()
  await create({ type: 'tables', name: 'On', tables: [TABLE] }, shop)
  const off = (await create({ type: 'tables', name: 'Off', tables: [TABLE] }, shop)).json.shipping_method
  await stack.ask(`PUT /shipping_methods/${off.id}.json`, { as: shop, body: { shipping_method: { enabled: false } } })
  const names = async (query: string) =>
    (await stack.ask(`GET /shipping_methods.json${query}`, { as: shop })).json.map(
      ({ shipping_method }: { shipping_method: { name: string } }) => shipping_method.name,
    )
  expect(await names('')).toEqual(['On', 'Off'])
  expect(await names('?enabled=true')).toEqual(['On'])
  expect(await names('?enabled=false')).toEqual(['Off'])
  expect((await stack.ask('GET /shipping_methods.json?enabled=perhaps', { as: shop })).status).toBe(400)
})

test.each([
  [{ name: 'x' }, 'shipping_method.type'],
  [{ type: 'pigeon', name: 'x' }, 'shipping_method.type'],
  [{ type: 'external', name: 'x' }, 'shipping_method.callback_url'],
  [{ type: 'external', name: 'x', callback_url: 'nowhere' }, 'shipping_method.callback_url'],
  [{ type: 'tables', name: 'x' }, 'shipping_method.tables'],
  [{ type: 'tables', name: 'x', tables: [{ ...TABLE, basedon: 'colour' }] }, 'shipping_method.tables.0.basedon'],
  [
    { type: 'tables', name: 'x', tables: [{ ...TABLE, values: [{ amount: -1, price: 1 }] }] },
    'shipping_method.tables.0.values.0.amount',
  ],
  [
    { type: 'tables', name: 'x', tables: [{ ...TABLE, locations: [{ country: 'Chile' }] }] },
    'shipping_method.tables.0.locations.0.country',
  ],
])('%j is refused by its field', async (method, field) => {
  const refused = await create(method)
  expect([refused.status, Object.keys(refused.json.errors)]).toEqual([400, [field]])
})

test('no operation finds a shipping method of another store', async () => {
  const other = await stack.aStore()
  const { id } = (await create({ type: 'tables', name: 'Ours', tables: [TABLE] })).json.shipping_method
  const body = { shipping_method: { name: 'Theirs' } }
  expect((await stack.ask(`GET /shipping_methods/${id}.json`, { as: other })).status).toBe(404)
  expect((await stack.ask(`PUT /shipping_methods/${id}.json`, { as: other, body })).status).toBe(404)
  expect((await stack.ask(`DELETE /shipping_methods/${id}.json`, { as: other })).status).toBe(404)
})
