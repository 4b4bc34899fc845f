import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StoreRestStack, startStoreStack } from './stack.ts'

let stack: StoreRestStack
beforeAll(async () => {
  stack = await startStoreStack()
})
afterAll(() => stack.close())

test('categories are created, read, listed, counted, changed and deleted', async () => {
  const { ask } = stack
  expect((await ask('GET /categories.json')).json).toEqual([])
  const made = await ask('POST /categories.json', { body: { category: { name: 'Shoes' } } })
  expect(made.status).toBe(200)
  const { id } = made.json.category
  expect(made.text).toBe(`{"category":{"id":${id},"name":"Shoes","parent_id":null,"permalink":"shoes"}}`)

  const inner = (await ask('POST /categories.json', { body: { category: { name: 'Boots', parent_id: String(id) } } })).json
    .category
  expect(inner.parent_id).toBe(id)
  expect((await ask('GET /categories.json')).json).toEqual([{ category: made.json.category }, { category: inner }])
  expect((await ask('GET /categories/count.json')).text).toBe('{"count":2}')
  expect((await ask(`GET /categories/${inner.id}.json`)).json).toEqual({ category: inner })

  const moved = await ask(`PUT /categories/${inner.id}.json`, { body: { category: { parent_id: null } } })
  expect(moved.json.category).toEqual({ ...inner, parent_id: null })
  const gone = await ask(`DELETE /categories/${inner.id}.json`)
  expect([gone.status, gone.text]).toEqual([200, '"OK"'])
  expect((await ask(`GET /categories/${inner.id}.json`)).status).toBe(404)
  expect((await ask(`DELETE /categories/${inner.id}.json`)).status).toBe(404)
})

test('a category of another store is not found by any operation', async () => {
  const other = await stack.aStore()
  const { id } = (await stack.ask('POST /categories.json', { body: { category: { name: 'Ours' } } })).json.category
  const body = { category: { name: 'Theirs' } }
  for (const on of [`GET /categories/${id}.json`, `DELETE /categories/${id}.json`]) {
    expect([on, (await stack.ask(on, { as: other })).status]).toEqual([on, 404])
  }
  expect((await stack.ask(`PUT /categories/${id}.json`, { as: other, body })).status).toBe(404)
  const below = await stack.ask('POST /categories.json', { as: other, body: { category: { name: 'Below', parent_id: id } } })
  expect(below.status).toBe(404)
  expect((await stack.ask('GET /categories.json', { as: other })).json).toEqual([])
})

test('every invalid field of a category is reported by its wire name', async () => {
  const blank = await stack.ask('POST /categories.json', { body: { category: { name: ' ' } } })
  expect([blank.status, Object.keys(blank.json.errors)]).toEqual([400, ['category.name']])
  expect(blank.json.message).toMatch(/^Expected `category.name` to be 1 to 200 characters/)
  const { id } = (await stack.ask('POST /categories.json', { body: { category: { name: 'Round' } } })).json.category
  const circle = await stack.ask(`PUT /categories/${id}.json`, { body: { category: { parent_id: id } } })
  expect([circle.status, Object.keys(circle.json.errors)]).toEqual([400, ['category.parent_id']])
})

test('a stale version is a conflict with the current one, and an idempotency key creates once', async () => {
  const { ask } = stack
  const body = { category: { name: 'Once' } }
  const headers = { 'idempotency-key': 'key-1' }
  const replies = await Promise.all(Array.from({ length: 5 }, () => ask('POST /categories.json', { body, headers })))
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  const other = await ask('POST /categories.json', { body: { category: { name: 'Another' } }, headers })
  expect([other.status, other.json.current_version]).toEqual([409, null])

  const [{ id }] = replies.map(({ json }) => json.category) as [{ id: number }]
  const change = (name: string) =>
    ask(`PUT /categories/${id}.json`, { body: { category: { name } }, headers: { 'if-match': '"1"' } })
  expect((await change('Twice')).status).toBe(200)
  const stale = await change('Thrice')
  expect([stale.status, stale.json.current_version]).toEqual([409, 2])
  expect((await ask(`DELETE /categories/${id}.json`, { headers: { 'if-match': '"1"' } })).status).toBe(409)
})

test('pages are as long as the client says, and empty behind the end', async () => {
  const shop = await stack.aStore()
  for (const name of ['A', 'B', 'C']) await stack.ask('POST /categories.json', { as: shop, body: { category: { name } } })
  const names = async (query: string) =>
    (await stack.ask(`GET /categories.json${query}`, { as: shop })).json.map(
      ({ category }: { category: { name: string } }) => category.name,
    )
  expect(await names('?limit=2')).toEqual(['A', 'B'])
  expect(await names('?limit=2&page=2')).toEqual(['C'])
  expect(await names('?limit=2&page=2147483647')).toEqual([])
  expect(await names('?limit=100000000000000000000&utm_source=x')).toEqual(['A', 'B', 'C'])
  for (const query of ['?limit=0', '?page=0', '?page=-1', '?limit=x', '?page=1.5', '?page=', '?page=1&page=2', '?limit=%ff']) {
    const refused = await stack.ask(`GET /categories.json${query}`, { as: shop })
    expect([query, refused.status, Object.keys(refused.json.errors)]).toEqual([query, 400, [query.slice(1).split('=')[0]]])
  }
})
