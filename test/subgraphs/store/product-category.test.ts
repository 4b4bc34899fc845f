import { afterAll, beforeAll, expect, test } from 'vitest'
import { watchStatements } from './support/statements.ts'
import { ANONYMOUS, type StoreStack, startStore, type TestStore, withToken } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
beforeAll(async () => {
  stack = await startStore()
  shop = await stack.aStore()
})
afterAll(() => stack.close())

const CREATE = `mutation ($input: CreateProductCategoryInput!) { createProductCategory(input: $input) {
  __typename
  ... on CreateProductCategorySuccess { productCategory { id number name permalink version parent { name } } }
  ... on ValidationError { errors { field message } }
  ... on NotFoundError { message }
  ... on ConflictError { message currentVersion }
} }`
const UPDATE = `mutation ($id: ID!, $input: UpdateProductCategoryInput!) { updateProductCategory(id: $id, input: $input) {
  __typename
  ... on UpdateProductCategorySuccess { productCategory { id name permalink version parent { name } children { name } } }
  ... on ValidationError { errors { field message } }
  ... on ConflictError { message currentVersion }
} }`

async function aCategory(input: Record<string, unknown>, who = shop) {
  const { data, errors } = await stack.ask(who, CREATE, { input })
  expect(errors).toBeUndefined()
  expect(data.createProductCategory.__typename).toBe('CreateProductCategorySuccess')
  return data.createProductCategory.productCategory
}

const update = async (id: string, input: Record<string, unknown>, who = shop) =>
  (await stack.ask(who, UPDATE, { id, input })).data.updateProductCategory

test('a category has a permalink made from its name, and another one when that is in use', async () => {
  expect(await aCategory({ name: 'Café & Crème' })).toMatchObject({ permalink: 'cafe-creme', version: 1, parent: null })
  expect(await aCategory({ name: 'Cafe creme' })).toMatchObject({ permalink: 'cafe-creme-1' })
  expect(await aCategory({ name: '日本' })).toMatchObject({ permalink: '日本' })
})

test('two stores have the same permalink, and neither sees the other: not by id, not as a parent, not to change', async () => {
  const other = await stack.aStore({ name: 'Another shop' })
  const own = await aCategory({ name: 'Only mine' })
  const theirs = await aCategory({ name: 'Only mine' }, other)
  expect(theirs.permalink).toBe(own.permalink)

  const seen = await stack.ask(other, 'query ($id: ID!) { productCategory(id: $id) { name } }', { id: own.id })
  expect(seen).toEqual({ data: { productCategory: null } })
  expect((await stack.ask(other, CREATE, { input: { name: 'x', parentId: own.id } })).data.createProductCategory).toEqual({
    __typename: 'NotFoundError',
    message: `There is no category with the id "${own.id}".`,
  })
  expect((await update(own.id, { name: 'Taken over' }, other)).__typename).toBe('NotFoundError')
  const gone = await stack.ask(other, 'mutation ($id: ID!) { deleteProductCategory(id: $id) { __typename } }', { id: own.id })
  expect(gone.data.deleteProductCategory.__typename).toBe('NotFoundError')
})

test('the number of the REST API is an id, too', async () => {
  const { number, name } = await aCategory({ name: 'Numbered' })
  const { data } = await stack.ask(shop, 'query ($id: ID!) { productCategory(id: $id) { name } }', { id: String(number) })
  expect(data.productCategory).toEqual({ name })
})

test.each([
  [{ name: '' }, 'name'],
  [{ name: ' \n' }, 'name'],
  [{ name: 'x'.repeat(201) }, 'name'],
  [{ name: 'nul \0' }, 'name'],
  [{ name: 'half \ud800' }, 'name'],
  [{ name: 'fine', permalink: '' }, 'permalink'],
])('%j is refused by its field', async (input, field) => {
  const { data } = await stack.ask(shop, CREATE, { input })
  expect(data.createProductCategory).toMatchObject({ __typename: 'ValidationError', errors: [{ field }] })
})

test('a category never goes below itself, not even when two are moved below each other at once', async () => {
  const top = await aCategory({ name: 'Top' })
  const inner = await aCategory({ name: 'Inner', parentId: top.id })
  expect(await update(top.id, { parentId: inner.id })).toMatchObject({
    __typename: 'ValidationError',
    errors: [{ field: 'parentId' }],
  })
  expect(await update(top.id, { parentId: top.id })).toMatchObject({ __typename: 'ValidationError' })

  for (let round = 0; round < 5; round += 1) {
    const [one, two] = [await aCategory({ name: `One ${round}` }), await aCategory({ name: `Two ${round}` })]
    const results = await Promise.all([update(one.id, { parentId: two.id }), update(two.id, { parentId: one.id })])
    expect(results.map(({ __typename }) => __typename).sort()).toEqual(['UpdateProductCategorySuccess', 'ValidationError'])
  }
})

test('absent keeps, null moves to the top, and every change counts', async () => {
  const top = await aCategory({ name: 'Wine' })
  const inner = await aCategory({ name: 'Port', parentId: top.id })
  expect(inner.parent).toEqual({ name: 'Wine' })
  expect(await update(inner.id, { name: 'Port wine' })).toMatchObject({
    productCategory: { name: 'Port wine', permalink: 'port', parent: { name: 'Wine' }, version: 2 },
  })
  expect(await update(inner.id, { parentId: null, permalink: null })).toMatchObject({
    productCategory: { parent: null, permalink: 'port-wine', version: 3 },
  })
})

test('of two changes of one version one succeeds, and the other gets the current version', async () => {
  const { id } = await aCategory({ name: 'Contended' })
  const results = await Promise.all(['a', 'b'].map((name) => update(id, { name, expectedVersion: 1 })))
  expect(results.map(({ __typename }) => __typename).sort()).toEqual(['ConflictError', 'UpdateProductCategorySuccess'])
  expect(results.find(({ __typename }) => __typename === 'ConflictError')).toMatchObject({ currentVersion: 2 })
})

test('20 creations at once with one key make one category and have one answer; another input under it is a conflict', async () => {
  const input = { name: 'Only once', idempotencyKey: 'key-1' }
  const answers = await Promise.all(Array.from({ length: 20 }, () => stack.ask(shop, CREATE, { input })))
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  expect(answers[0]?.data.createProductCategory.__typename).toBe('CreateProductCategorySuccess')
  const [{ count } = {}] = await stack.sql(`SELECT count(*) FROM product_category WHERE name = 'Only once'`)
  expect(count).toBe('1')

  const other = await stack.ask(shop, CREATE, { input: { ...input, name: 'Something else' } })
  expect(other.data.createProductCategory.__typename).toBe('ConflictError')
})

test('a key whose change failed is free again, and one of 24 hours ago means something new', async () => {
  const failed = await stack.ask(shop, CREATE, { input: { name: '', idempotencyKey: 'again' } })
  expect(failed.data.createProductCategory.__typename).toBe('ValidationError')
  const first = await aCategory({ name: 'Again', idempotencyKey: 'again' })
  await stack.sql(`UPDATE idempotency_key SET created_at = created_at - interval '25 hours' WHERE key = 'again'`)
  const second = await aCategory({ name: 'Again', idempotencyKey: 'again' })
  expect(second.number).toBeGreaterThan(first.number)
})

test('parts of a category that goes move up to where it was', async () => {
  const top = await aCategory({ name: 'A' })
  const middle = await aCategory({ name: 'B', parentId: top.id })
  const bottom = await aCategory({ name: 'C', parentId: middle.id })
  const gone = await stack.ask(
    shop,
    'mutation ($id: ID!) { deleteProductCategory(id: $id) { ... on DeleteProductCategorySuccess { id number } } }',
    {
      id: middle.id,
    },
  )
  expect(gone.data.deleteProductCategory).toEqual({ id: middle.id, number: middle.number })
  expect(await update(bottom.id, {})).toMatchObject({ productCategory: { parent: { name: 'A' } } })
})

test('a list is read page by page, by cursor or by offset, and counts all', async () => {
  const lister = await stack.aStore({ name: 'Lister' })
  for (const name of ['a', 'b', 'c', 'd', 'e']) await aCategory({ name }, lister)
  const LIST = `query ($first: Int, $after: String, $offset: Int) { productCategories(first: $first, after: $after, offset: $offset) {
    nodes { name } pageInfo { hasNextPage hasPreviousPage endCursor } totalCount } }`
  const list = async (variables: object) => (await stack.ask(lister, LIST, { ...variables })).data.productCategories
  const names = (page: { nodes: { name: string }[] }) => page.nodes.map(({ name }) => name).join('')

  const first = await list({ first: 2 })
  expect([names(first), first.totalCount, first.pageInfo.hasNextPage]).toEqual(['ab', 5, true])
  const second = await list({ first: 2, after: first.pageInfo.endCursor })
  expect([names(second), second.pageInfo.hasPreviousPage]).toEqual(['cd', true])
  expect(names(await list({ first: 2, offset: 4 }))).toBe('e')
  expect(names(await list({ first: 2, offset: 2_147_483_647 }))).toBe('')
  const refused = await stack.ask(lister, LIST, { first: 251 })
  expect(refused.errors?.[0]?.message).toBe('Expected "first" to be 1 to 250, got 251.')
})

test('a wrong authtoken gets no data, and repeated guesses are rate-limited', async () => {
  const LIST = '{ productCategories { totalCount } }'
  const codeOf = async (who: TestStore | typeof ANONYMOUS) => (await stack.ask(who, LIST)).errors?.[0]?.extensions.code
  expect(await codeOf(ANONYMOUS)).toBe('UNAUTHENTICATED')
  expect(await codeOf(withToken(shop.login, 'wrong'))).toBe('UNAUTHENTICATED')
  expect(await codeOf(withToken('nobody', shop.authtoken))).toBe('UNAUTHENTICATED')
  const guesser = { ...withToken(shop.login, 'guess'), address: '192.0.2.7' }
  const codes = await Promise.all(Array.from({ length: 61 }, () => codeOf(guesser)))
  expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(1)
  expect(await codeOf(shop)).toBeUndefined()
})

test('a page of categories with their parents takes the same number of statements whatever its size', async () => {
  const reader = await stack.aStore({ name: 'Reader' })
  const parents = [await aCategory({ name: 'P' }, reader), await aCategory({ name: 'Q' }, reader)]
  for (let index = 0; index < 10; index += 1) await aCategory({ name: `c${index}`, parentId: parents[index % 2]?.id }, reader)
  const queries = watchStatements()
  const statements = async (first: number) => {
    const before = queries.texts().length
    const query = `{ productCategories(first: ${first}) { nodes { name parent { name } children { name } } totalCount } }`
    const { data } = await stack.ask(reader, query)
    return { rows: data.productCategories.nodes.length, statements: queries.texts().length - before }
  }
  try {
    const small = await statements(3)
    expect(small.rows).toBe(3)
    expect(await statements(12)).toEqual({ rows: 12, statements: small.statements })
  } finally {
    queries.stop()
  }
})
