import { afterAll, beforeAll, expect, test } from 'vitest'
import { aProduct } from './support/product.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
let product: number
let other: number
beforeAll(async () => {
  stack = await startStore()
  shop = await stack.aStore()
  ;[product, other] = [await aProduct(stack, shop), await aProduct(stack, shop, 'Chair')]
  // Customers write them in the shop, which is not part of this.
  await stack.sql(
    `INSERT INTO product_review (store_id, product_id, product_name, rating, review, customer_email, created_at)
     SELECT $1, CASE WHEN n % 3 = 0 THEN $3::integer ELSE $2 END, 'Lamp', 1 + n % 5, 'review ' || n, 'a@b.example', now()
     FROM generate_series(1, 9) n`,
    [shop.storeId, product, other],
  )
})
afterAll(() => stack.close())

const OF_PRODUCT = `query ($id: ID!, $first: Int, $after: String, $offset: Int) { product(id: $id) {
  reviews(first: $first, after: $after, offset: $offset) { totalCount nodes { review } pageInfo { endCursor hasNextPage } } } }`

const reviewsOf = async (variables: Record<string, unknown>) =>
  (await stack.ask(shop, OF_PRODUCT, { id: String(product), ...variables })).data.product.reviews
const texts = (nodes: { review: string }[]) => nodes.map(({ review }) => review)

test('reviews of a product are paginated, oldest first', async () => {
  const first = await reviewsOf({ first: 4 })
  expect(first).toMatchObject({ totalCount: 6, pageInfo: { hasNextPage: true } })
  expect(texts(first.nodes)).toEqual(['review 1', 'review 2', 'review 4', 'review 5'])
  expect(texts((await reviewsOf({ first: 4, after: first.pageInfo.endCursor })).nodes)).toEqual(['review 7', 'review 8'])
  expect(texts((await reviewsOf({ first: 2, offset: 3 })).nodes)).toEqual(['review 5', 'review 7'])
})

test('a review outlives its product, and is visible to its own store only', async () => {
  const query = '{ productReviews { totalCount nodes { id number rating status product { name } productNumber productName } } }'
  const { data } = await stack.ask(shop, query)
  expect(data.productReviews.totalCount).toBe(9)
  const review = data.productReviews.nodes[2]
  expect(review).toMatchObject({ status: 'UNREAD', rating: 4, product: { name: 'Chair' }, productNumber: other })
  await stack.sql('DELETE FROM product WHERE id = $1', [other])
  const one =
    'query ($id: ID!) { productReview(id: $id) { productName product { name } productNumber orderNumber customerEmail } }'
  expect((await stack.ask(shop, one, { id: review.id })).data.productReview).toEqual({
    productName: 'Lamp',
    product: null,
    productNumber: null,
    orderNumber: null,
    customerEmail: 'a@b.example',
  })
  const stranger = await stack.aStore()
  expect((await stack.ask(stranger, one, { id: String(review.number) })).data.productReview).toBeNull()
  expect((await stack.ask(stranger, query)).data.productReviews.totalCount).toBe(0)
})

test.each([{ first: 0 }, { first: 251 }, { offset: -1 }, { after: 'nonsense' }])('the page %j is refused', async (page) => {
  const { errors } = await stack.ask(shop, OF_PRODUCT, { id: String(product), ...page })
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' })
})
