import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeQuotas } from '../../../subgraphs/store/quota/quota.ts'
import type { TestStore } from '../../subgraphs/store/support/store.ts'
import { PNG } from '../../support/images.ts'
import { type StoreRestStack, startStoreStack } from './stack.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
type Data = any

const PRODUCTS = 10
const PER_DAY = 14
const PICTURE = `data:image/png;base64,${PNG.toString('base64')}`

let stack: StoreRestStack
beforeAll(async () => {
  const quotas = storeQuotas({
    products: PRODUCTS,
    productsPerDay: PER_DAY,
    fileBytes: 3 * PNG.length,
    fileBytesPerDay: 4 * PNG.length,
  })
  stack = await startStoreStack({ quotas })
})
afterAll(() => stack.close())

const createProduct = (alias: string) =>
  `${alias}: createProduct(input: { name: "Lamp", price: "1" }) { __typename ... on CreateProductSuccess { product { id number } }
    ... on QuotaExceededError { message field limit retryAfterSeconds } }`
const createProducts = (count: number) =>
  `mutation { ${Array.from({ length: count }, (_, index) => createProduct(`a${index}`)).join(' ')} }`

async function graph(store: TestStore, query: string): Promise<Data> {
  const { data, errors } = await stack.graph(store, query)
  expect(errors).toBeUndefined()
  return data
}
const kinds = (data: Data) => Object.values(data).map((each: Data) => each.__typename)
const quotaOf = async (store: TestStore) => {
  const level = '{ limit left fullInSeconds }'
  const { store: own } = await graph(
    store,
    `{ store { quota { products ${level} productsPerDay ${level} fileBytes ${level} fileBytesPerDay ${level} } } }`,
  )
  return own.quota
}

test('aliases of one request make no more products than a store may have, and REST says so', async () => {
  const store = await stack.aStore()
  const made = await graph(store, createProducts(16))
  expect(kinds(made)).toEqual([...Array(PRODUCTS).fill('CreateProductSuccess'), ...Array(6).fill('QuotaExceededError')])
  expect(made.a15).toEqual({
    __typename: 'QuotaExceededError',
    message: 'Expected at most 10 products in a store.',
    field: 'products',
    limit: PRODUCTS,
    retryAfterSeconds: null,
  })
  expect(await stack.sql('SELECT count(*)::int FROM product WHERE store_id = $1', [store.storeId])).toEqual([{ count: PRODUCTS }])
  const refused = await stack.ask('POST /products.json', { as: store, body: { product: { name: 'Lamp', price: 1 } } })
  expect([refused.status, refused.json.message, refused.headers['retry-after']]).toEqual([
    429,
    'Expected at most 10 products in a store.',
    undefined,
  ])
})

test('a deleted product makes room in the store, and none in the day', async () => {
  const store = await stack.aStore()
  const made = await graph(store, createProducts(PRODUCTS))
  for (let count = 0; count < 5; count += 1) {
    await graph(store, `mutation { deleteProduct(id: "${made[`a${count}`].product.id}") { __typename } }`)
  }
  expect(await quotaOf(store)).toMatchObject({
    products: { limit: PRODUCTS, left: 5, fullInSeconds: null },
    productsPerDay: { limit: PER_DAY, left: PER_DAY - PRODUCTS },
  })
  const more = await graph(store, createProducts(5))
  expect(kinds(more)).toEqual([...Array(4).fill('CreateProductSuccess'), 'QuotaExceededError'])
  expect(more.a4).toMatchObject({ field: 'productsPerDay', limit: PER_DAY })
  expect(more.a4.retryAfterSeconds).toBeGreaterThan(0)
  const refused = await stack.ask('POST /products.json', { as: store, body: { product: { name: 'Lamp', price: 1 } } })
  expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true])
  await stack.sql(`UPDATE store_quota SET counted_at = counted_at - interval '1 day' WHERE store_id = $1`, [store.storeId])
  expect(kinds(await graph(store, createProducts(1)))).toEqual(['CreateProductSuccess'])
})

test('requests at the same time make no more either', async () => {
  const store = await stack.aStore()
  const answers = await Promise.all(Array.from({ length: 6 }, () => graph(store, createProducts(4))))
  expect(answers.flatMap(kinds).filter((kind) => kind === 'CreateProductSuccess')).toHaveLength(PRODUCTS)
  expect((await quotaOf(store)).products.left).toBe(0)
})

test('files count by their bytes, and those that are deleted make room', async () => {
  const store = await stack.aStore()
  const { a0 } = await graph(store, createProducts(1))
  const add = `createProductImage(input: { productId: "${a0.product.id}", url: "${PICTURE}" }) { __typename
    ... on CreateProductImageSuccess { productImage { id } } ... on QuotaExceededError { field limit retryAfterSeconds } }`
  const made = await graph(store, `mutation { a: ${add} b: ${add} c: ${add} d: ${add} }`)
  expect(kinds(made)).toEqual([...Array(3).fill('CreateProductImageSuccess'), 'QuotaExceededError'])
  expect(made.d).toMatchObject({ field: 'fileBytes', limit: 3 * PNG.length, retryAfterSeconds: null })
  expect(await stack.sql('SELECT count(*)::int FROM file WHERE store_id = $1', [store.storeId])).toEqual([{ count: 3 }])
  const on = `POST /products/${a0.product.number}/images.json`
  expect((await stack.ask(on, { as: store, body: { image: { url: PICTURE } } })).status).toBe(429)
  await graph(store, `mutation { deleteProductImage(id: "${made.a.productImage.id}") { __typename } }`)
  expect(await quotaOf(store)).toMatchObject({ fileBytes: { left: PNG.length }, fileBytesPerDay: { left: PNG.length } })
  expect(kinds(await graph(store, `mutation { a: ${add} }`))).toEqual(['CreateProductImageSuccess'])
})

test('what was there before counting began counts, and one store takes nothing from another', async () => {
  const [store, other] = [await stack.aStore(), await stack.aStore()]
  await graph(store, createProducts(4))
  await stack.sql('DELETE FROM store_quota WHERE store_id = $1', [store.storeId])
  expect((await quotaOf(store)).products).toEqual({ limit: PRODUCTS, left: PRODUCTS - 4, fullInSeconds: null })
  await stack.sql('DELETE FROM store_quota WHERE store_id = $1', [store.storeId])
  await graph(store, createProducts(1))
  expect((await quotaOf(store)).products.left).toBe(PRODUCTS - 5)
  expect((await quotaOf(other)).products.left).toBe(PRODUCTS)
})
