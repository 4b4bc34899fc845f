import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StoreRestStack, startStoreStack } from './stack.ts'

let stack: StoreRestStack
beforeAll(async () => {
  stack = await startStoreStack({ now: () => new Date('2026-11-20T12:00:00Z') })
})
afterAll(() => stack.close())

const create = (promotion: Record<string, unknown>, headers = {}) =>
  stack.ask('POST /promotions.json', { body: { promotion }, headers })

test('promotions are created, read, listed, changed and deleted', async () => {
  const { ask } = stack
  const category = (await ask('POST /categories.json', { body: { category: { name: 'Wine' } } })).json.category
  const made = await create({
    name: 'Summer',
    discount_target: 'categories',
    buys_at_least: 'qty',
    condition_qty: 2,
    type: 'percentage',
    discount_amount_percent: 12.5,
    lasts: 'date',
    begins_at: '2026-06-01T00:00:00Z',
    expires_at: '2026-12-01 00:00:00 UTC',
    cumulative: true,
    categories: [{ id: category.id }],
    coupons: [{ code: 'Summer-26', usage_limit: 10 }],
  })
  expect(made.status).toBe(200)
  const { promotion } = made.json
  expect(promotion).toEqual({
    id: promotion.id,
    name: 'Summer',
    status: 'active',
    enabled: true,
    discount_target: 'categories',
    condition_price: null,
    condition_qty: 2,
    quantity_x: null,
    discount_amount_fix: null,
    discount_amount_percent: 12.5,
    lasts: 'date',
    begins_at: '2026-06-01T00:00:00Z',
    expires_at: '2026-12-01T00:00:00Z',
    times_used: 0,
    max_times_used: null,
    cumulative: true,
    categories: [{ id: category.id }],
    customer_categories: [],
    products: [],
    products_x: [],
    coupons: [{ id: promotion.coupons[0].id, code: 'Summer-26', usage_limit: 10, times_used: 0 }],
    countries: [],
    regions: [],
    municipalities: [],
  })
  expect((await ask(`GET /promotions/${promotion.id}.json`)).json).toEqual({ promotion })
  expect((await ask('GET /promotions.json')).json).toEqual([{ promotion }])

  const changed = await ask(`PUT /promotions/${promotion.id}.json`, {
    body: { promotion: { discount_target: 'shipping', countries: ['*'], regions: ['CL_03'], coupons: [] } },
  })
  expect(changed.json.promotion).toEqual({
    ...promotion,
    discount_target: 'shipping',
    categories: [],
    coupons: [],
    countries: ['*'],
    regions: ['CL_03'],
  })
  const gone = await ask(`DELETE /promotions/${promotion.id}.json`)
  expect([gone.status, gone.text]).toEqual([200, '"OK"'])
  for (const on of ['GET', 'DELETE']) expect((await ask(`${on} /promotions/${promotion.id}.json`)).status).toBe(404)
})

test('a promotion with every field of the published example has its documented effect', async () => {
  const example = {
    name: 'Everything',
    enabled: true,
    discount_target: 'order',
    buys_at_least: 'price',
    condition_price: 0,
    condition_qty: 0,
    quantity_x: 0,
    type: 'fix',
    discount_amount_fix: 10000,
    discount_amount_percent: 0,
    lasts: 'none',
    max_times_used: 1,
    cumulative: false,
    customers: 'all',
    categories: [],
    products: [],
    products_x: [],
    coupons: [{ code: 'GIFT-1', usage_limit: 1 }],
    countries: [],
    regions: [],
    municipalities: [],
  }
  const { status, json } = await create(example)
  expect([status, json.promotion]).toMatchObject([
    200,
    { condition_price: 0, condition_qty: null, discount_amount_fix: 10000, discount_amount_percent: null, max_times_used: null },
  ])
})

test('what is wrong between fields names them as the wire does', async () => {
  const refused = async (promotion: object) => {
    const body = { promotion: { name: 'x', type: 'percentage', discount_amount_percent: 5, ...promotion } }
    return (await stack.ask('POST /promotions.json', { body })).json.errors
  }
  expect(await refused({ discount_target: 'categories' })).toEqual({
    'promotion.categories': [
      'Expected `promotion.categories` to be not empty, or `products`, as `discount_target` is CATEGORIES, got "none".',
    ],
  })
  expect(await refused({ lasts: 'date', begins_at: '2026-02-02', expires_at: '2026-02-01' })).toEqual({
    'promotion.expires_at': [expect.stringContaining('to be after `begins_at`, got "2026-02-01')],
  })
})

test('pages are at most 200 long', async () => {
  const shop = await stack.aStore()
  const names = ['a', 'b', 'c']
  for (const name of names) {
    await stack.ask('POST /promotions.json', { as: shop, body: { promotion: { name, discount_amount_fix: 1 } } })
  }
  const page = async (query: string) =>
    (await stack.ask(`GET /promotions.json${query}`, { as: shop })).json.map(
      ({ promotion }: { promotion: { name: string } }) => promotion.name,
    )
  expect(await page('?limit=2&page=2')).toEqual(['c'])
  expect(await page('?limit=100000')).toEqual(names)
  expect((await stack.ask('GET /promotions.json?limit=0', { as: shop })).status).toBe(400)
})

test.each([
  [{ discount_amount_fix: 1 }, 400, 'promotion.name'],
  [{ name: 'x' }, 400, 'promotion.discount_amount_percent'],
  [{ name: 'x', discount_amount_fix: 12345678901 }, 400, 'promotion.discount_amount_fix'],
  [{ name: 'x', discount_amount_fix: 1, discount_target: 'everything' }, 400, 'promotion.discount_target'],
  [{ name: 'x', discount_amount_fix: 1, lasts: 'date', begins_at: 'string' }, 400, 'promotion.begins_at'],
  [{ name: 'x', discount_amount_fix: 1, discount_target: 'categories', categories: 'all' }, 400, 'promotion.categories'],
  [{ name: 'x', discount_amount_fix: 1, coupons: [{ code: 'a' }, { code: 'A' }] }, 400, 'promotion.coupons.1.code'],
  [{ name: 'x', discount_amount_fix: 1, discount_target: 'categories', categories: [{ id: 2147483647 }] }, 404, null],
])('%j is answered by %i', async (promotion, status, field) => {
  const refused = await create(promotion)
  expect(refused.status).toBe(status)
  if (field !== null) expect(Object.keys(refused.json.errors)).toContain(field)
})

test('codes that differ by an accent are two', async () => {
  const body = { promotion: { name: 'x', type: 'fix', discount_amount_fix: 1, coupons: [{ code: 'CRÈME' }, { code: 'CREME' }] } }
  const { status, json } = await stack.ask('POST /promotions.json', { body })
  expect([status, json.promotion.coupons.map(({ code }: { code: string }) => code)]).toEqual([200, ['CRÈME', 'CREME']])
})

test('a code that another promotion has is a fault of its field, in any case', async () => {
  await create({ name: 'First', discount_amount_fix: 1, coupons: [{ code: 'Taken' }] })
  const second = await create({ name: 'Second', discount_amount_fix: 1, coupons: [{ code: 'TAKEN' }] })
  expect([second.status, Object.keys(second.json.errors)]).toEqual([400, ['promotion.coupons.0.code']])
})

test('no operation finds a promotion of another store', async () => {
  const other = await stack.aStore()
  const { id } = (await create({ name: 'Ours', discount_amount_fix: 1 })).json.promotion
  const body = { promotion: { name: 'Theirs' } }
  expect((await stack.ask(`GET /promotions/${id}.json`, { as: other })).status).toBe(404)
  expect((await stack.ask(`PUT /promotions/${id}.json`, { as: other, body })).status).toBe(404)
  expect((await stack.ask(`DELETE /promotions/${id}.json`, { as: other })).status).toBe(404)
  expect((await stack.ask('GET /promotions.json', { as: other })).json).toEqual([])
})

test('an idempotency key creates once, and an old version is a conflict', async () => {
  const replies = await Promise.all(
    Array.from({ length: 4 }, () => create({ name: 'Once', discount_amount_fix: 1 }, { 'idempotency-key': 'promotion-1' })),
  )
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  const [{ id }] = replies.map(({ json }) => json.promotion) as [{ id: number }]
  const change = (name: string) =>
    stack.ask(`PUT /promotions/${id}.json`, { body: { promotion: { name } }, headers: { 'if-match': '"1"' } })
  expect([(await change('Twice')).status, (await change('Thrice')).status]).toEqual([200, 409])
})
