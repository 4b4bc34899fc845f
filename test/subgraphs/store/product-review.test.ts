import { afterAll, beforeAll, expect, test } from 'vitest'
import { aProduct } from './support/product.ts'
import { storefrontShopper } from './support/shopper.ts'
import { ANONYMOUS, type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
let product: number
let other: number
beforeAll(async () => {
  stack = await startStore()
  shop = await stack.aStore()
  ;[product, other] = [await aProduct(stack, shop), await aProduct(stack, shop, 'Chair')]
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

test('only what was bought and paid is reviewed, once, and only its shop publishes or deletes the review', async () => {
  const shopper = storefrontShopper(stack, shop)
  const bought = await shopper.aProduct({ name: 'Bought', shippingRequired: false })
  const { token } = await shopper.ready([{ productId: bought, quantity: 1 }])
  const { order, secret } = await shopper.complete(token, '10')
  const review = async (input: object) =>
    (
      await stack.ask(
        ANONYMOUS,
        `mutation ($input: CreateStorefrontReviewInput!) { outcome: createStorefrontReview(input: $input) { __typename
          ... on ValidationError { field } ... on CreateStorefrontReviewSuccess { status } } }`,
        { input: { store: shop.code, secret, productId: bought, rating: 5, ...input } },
      )
    ).data.outcome
  expect(await review({})).toEqual({ __typename: 'ConflictError' })
  await shopper.pay(order.number)
  expect(await review({ rating: 0 })).toEqual({ __typename: 'ValidationError', field: 'rating' })
  expect(await review({ text: 'x'.repeat(5_001) })).toEqual({ __typename: 'ValidationError', field: 'text' })
  expect(await review({ text: 'a\0b' })).toEqual({ __typename: 'ValidationError', field: 'text' })
  for (const wrong of [
    { productId: await shopper.aProduct() },
    { productId: 'nonsense' },
    { secret: 'x'.repeat(32) },
    { store: 'none' },
  ])
    expect(await review(wrong)).toEqual({ __typename: 'NotFoundError' })
  const results = await Promise.all([1, 2, 3].map((rating) => review({ rating })))
  expect(results.map(({ __typename }) => __typename).sort()).toEqual([
    'ConflictError',
    'ConflictError',
    'CreateStorefrontReviewSuccess',
  ])

  const { productReviews } = (await stack.ask(shop, '{ productReviews(first: 250) { nodes { id productName } } }')).data
  const { id } = productReviews.nodes.find(({ productName }: { productName: string }) => productName === 'Bought')
  const moderate = (who: typeof ANONYMOUS | TestStore) =>
    stack.ask(who, 'mutation ($id: ID!) { outcome: moderateProductReview(id: $id, status: PUBLISHED) { __typename } }', { id })
  expect((await moderate(ANONYMOUS)).errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED')
  expect((await moderate(await stack.aStore())).data.outcome.__typename).toBe('NotFoundError')
  expect((await moderate(shop)).data.outcome.__typename).toBe('ModerateProductReviewSuccess')
  const rating = async () =>
    (
      await stack.ask(
        ANONYMOUS,
        'query ($store: String!) { storefront(store: $store) { product(permalink: "bought") { rating { count } reviews { verified } } } }',
        { store: shop.code },
      )
    ).data.storefront.product
  expect(await rating()).toEqual({ rating: { count: 1 }, reviews: [{ verified: true }] })
  const remove = await stack.ask(
    shop,
    'mutation ($id: ID!) { outcome: deleteProductReview(id: $id) { ... on DeleteProductReviewSuccess { id } } }',
    { id },
  )
  expect(remove.data.outcome).toEqual({ id })
  expect((await rating()).rating).toEqual({ count: 0 })
})
