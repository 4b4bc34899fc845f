import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ANONYMOUS, type StoreStack, startStore, type TestStore, withToken } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
let now = new Date('2026-11-20T09:00:00Z')
beforeAll(async () => {
  stack = await startStore(() => now)
  shop = await stack.aStore({ name: 'Corner shop' })
})
afterAll(() => stack.close())

const aProduct = async (input: object, who = shop) => {
  const { data, errors } = await stack.ask(
    who,
    'mutation ($input: CreateProductInput!) { made: createProduct(input: $input) { ... on CreateProductSuccess { product { id } } } }',
    { input },
  )
  expect(errors).toBeUndefined()
  return data.made.product.id as string
}
const SHOP = `query ($code: String!, $first: Int, $after: String) { shop(code: $code) {
  code name url logo currency
  products(first: $first, after: $after) { nodes { name price image permalink } pageInfo { hasNextPage endCursor } totalCount } } }`
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe('a shop', () => {
  test('shows all visitors the products on sale, newest first, at the current price; hidden products stay hidden', async () => {
    const cup = await aProduct({ name: 'Cup', price: '12.50', discount: '2.25', costPerItem: '3' })
    await aProduct({ name: 'Hidden', price: '1', status: 'DISABLED' })
    await aProduct({ name: 'Sold out', price: '1', status: 'NOT_AVAILABLE' })
    await aProduct({ name: 'Plate', price: '8' })
    await aProduct({ name: 'Of somebody else', price: '8' }, await stack.aStore({ name: 'Another shop' }))
    await stack.ask(shop, 'mutation ($input: CreateProductImageInput!) { createProductImage(input: $input) { __typename } }', {
      input: { productId: cup, url: PICTURE },
    })
    const { data, errors } = await stack.ask(ANONYMOUS, SHOP, { code: shop.code })
    expect(errors).toBeUndefined()
    expect(data.shop).toEqual({
      code: 'corner-shop',
      name: 'Corner shop',
      url: 'https://atrium.example/shops/corner-shop',
      logo: null,
      currency: 'EUR',
      products: {
        nodes: [
          { name: 'Plate', price: '8', image: null, permalink: 'plate' },
          { name: 'Cup', price: '10.25', image: expect.stringMatching(/^https:\/\/atrium\.example\/.+/), permalink: 'cup' },
        ],
        pageInfo: { hasNextPage: false, endCursor: expect.any(String) },
        totalCount: 2,
      },
    })
  })

  test('is read page by page', async () => {
    const first = (await stack.ask(ANONYMOUS, SHOP, { code: shop.code, first: 1 })).data.shop.products
    expect([first.nodes[0].name, first.pageInfo.hasNextPage]).toEqual(['Plate', true])
    const second = (await stack.ask(ANONYMOUS, SHOP, { code: shop.code, first: 1, after: first.pageInfo.endCursor })).data.shop
    expect([second.products.nodes[0].name, second.products.pageInfo.hasNextPage]).toEqual(['Cup', false])
  })

  test.each([
    ['first', { first: 51 }],
    ['after', { after: 'nonsense' }],
  ])('an invalid %s is refused by name', async (name, variables) => {
    const { errors } = await stack.ask(ANONYMOUS, SHOP, { code: shop.code, ...variables })
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument: name })
  })

  test.each(['nothing', '', '\0', 'CORNER-SHOP', "' OR 1=1 --", 'x'.repeat(100_000)])(
    'there is no shop with code %.20j',
    async (code) => {
      const { data, errors } = await stack.ask(ANONYMOUS, SHOP, { code })
      expect([data, errors]).toEqual([{ shop: null }, undefined])
    },
  )

  test('exposes nothing else without credentials', async () => {
    const { data, errors } = await stack.ask(ANONYMOUS, `{ shop(code: "${shop.code}") { name } products { nodes { name } } }`)
    expect(data).toBeNull()
    expect(errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED')
  })
})

describe('resetting the authtoken', () => {
  const RESET = `mutation ($key: String) { reset: resetAuthtoken(idempotencyKey: $key) {
    __typename ... on ResetAuthtokenSuccess { login authtoken } ... on ConflictError { message } } }`

  test('gives the store a new one, returns it once, and revokes the previous one', async () => {
    const own = await stack.aStore({ name: 'Lost keys' })
    const { reset } = (await stack.ask(own, RESET, { key: 'once' })).data
    expect(reset).toEqual({
      __typename: 'ResetAuthtokenSuccess',
      login: own.login,
      authtoken: expect.stringMatching(/^[\w-]{32}$/),
    })
    expect((await stack.ask(own, RESET, { key: 'once' })).data.reset).toEqual({ ...reset, authtoken: null })
    // A judgement holds for a second.
    now = new Date(now.getTime() + 1_001)
    const before = await stack.ask(own, '{ storeAccess { storeCode } }')
    expect(before.errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED')
    const after = await stack.ask(withToken(own.login, reset.authtoken), '{ storeAccess { storeCode } }')
    expect(after.data.storeAccess.storeCode).toBe(own.code)
    const stored = await stack.sql(
      'SELECT outcome::text FROM idempotency_key UNION ALL SELECT encode(token_hash, $1) FROM credential',
      ['escape'],
    )
    expect(JSON.stringify(stored)).not.toContain(reset.authtoken)
    // Nobody else's.
    expect((await stack.ask(shop, '{ storeAccess { storeCode } }')).data.storeAccess.storeCode).toBe(shop.code)
  })

  test('requires the authtoken', async () => {
    const { errors } = await stack.ask(ANONYMOUS, RESET)
    expect(errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED')
  })
})
