import { afterAll, beforeAll, expect, test } from 'vitest'
import { watchStatements } from '../support/statements.ts'
import { type StoreStack, startStore, type TestStore } from '../support/store.ts'
import { shopping } from './support.ts'

let stack: StoreStack
let shop: TestStore
let shopper: ReturnType<typeof shopping>
let shippingMethod: number
let product: number
beforeAll(async () => {
  stack = await startStore()
  shop = await stack.aStore()
  shopper = shopping(stack, shop)
  product = (await shopper.aProduct({ price: '10', stock: 100 })).id
  const made = await stack.ask(
    shop,
    `mutation ($input: CreateShippingMethodInput!) { createShippingMethod(input: $input) {
      ... on CreateShippingMethodSuccess { shippingMethod { number } } } }`,
    {
      input: {
        type: 'TABLES',
        name: 'Van',
        tables: [{ basedOn: 'PRICE', values: [{ amount: 0, price: '4.99' }], locations: [{ country: 'PT' }] }],
      },
    },
  )
  shippingMethod = made.data.createShippingMethod.shippingMethod.number
})
afterAll(() => stack.close())

const order = (more: Record<string, unknown> = {}) => ({
  lines: [{ productId: String(product), quantity: 2 }],
  customer: { email: 'ana@example.com', shippingAddress: { country: 'PT' } },
  shippingMethodId: String(shippingMethod),
  ...more,
})

/** How often an operation reads the products of an order, which is once per preparation. */
async function preparations(operation: () => Promise<unknown>): Promise<number> {
  const watch = watchStatements()
  try {
    await operation()
    return watch.texts().filter((text) => text.includes('LEFT JOIN product_translation translation')).length
  } finally {
    watch.stop()
  }
}

test.each([
  ['whose shipping is quoted', {}],
  ['whose shipping price is given', { shippingPrice: '3' }],
  ['with promotions', { applyPromotions: true }],
])('an order %s is prepared once', async (_, more) => {
  let placed: Record<string, unknown> = {}
  const count = await preparations(async () => {
    placed = await shopper.create(order(more))
  })
  expect(placed).toMatchObject({ __typename: 'CreateOrderSuccess', order: { shippingMethodName: 'Van' } })
  expect(count).toBe(1)
})

test('a calculation whose shipping is quoted is prepared once', async () => {
  const count = await preparations(async () => {
    const { data } = await stack.ask(
      shop,
      'query ($input: CreateOrderInput!) { calculateOrder(input: $input) { ... on CalculatedOrder { shipping } } }',
      { input: order() },
    )
    expect(data.calculateOrder).toEqual({ shipping: '4.99' })
  })
  expect(count).toBe(1)
})

test('a repeated request with an idempotency key returns the first result, also when its products are gone', async () => {
  const { id } = await shopper.aProduct({ stock: 5 })
  const input = order({ lines: [{ productId: String(id) }], idempotencyKey: 'placed-once' })
  const first = await shopper.create(input)
  expect(first).toMatchObject({ __typename: 'CreateOrderSuccess' })
  await stack.sql('DELETE FROM product WHERE id = $1', [id])
  expect((await shopper.create(input)).order.number).toBe(first.order.number)
})

test('another attempt of the transaction that completes a draft is prepared anew: prices may have changed', async () => {
  const { data } = await stack.ask(
    shop,
    'mutation ($input: CreateDraftOrderInput!) { made: createDraftOrder(input: $input) { ... on DraftOrderSuccess { draftOrder { id } } } }',
    { input: { contents: order({ lines: [{ productId: String(product), quantity: 1 }] }) } },
  )
  const complete = () =>
    stack.ask(
      shop,
      'mutation ($id: ID!) { done: completeDraftOrder(id: $id, input: {}) { __typename ... on DraftOrderSuccess { draftOrder { order { total } } } ... on ValidationError { message } } }',
      { id: data.made.draftOrder.id },
    )
  // A sequence counts attempts: what a transaction took of it stays taken.
  await stack.sql('CREATE SEQUENCE attempts')
  await stack.sql(`CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF nextval('store.attempts') = 1 THEN RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END IF; RETURN NEW; END $$`)
  await stack.sql('CREATE TRIGGER fail_once BEFORE INSERT ON "order" FOR EACH ROW EXECUTE FUNCTION fail_once()')
  let completed: Awaited<ReturnType<typeof complete>> | null = null
  const count = await preparations(async () => {
    completed = await complete()
  })
  await stack.sql('DROP TRIGGER fail_once ON "order"')
  expect(completed).toMatchObject({ data: { done: { draftOrder: { order: { total: '14.99' } } } } })
  // For the quote, and for the second attempt.
  expect(count).toBe(2)
})

test('a history is listed from its end, too', async () => {
  const placed = await shopper.create(order())
  const id = String(placed.order.number)
  for (const message of ['one', 'two', 'three'])
    await stack.ask(
      shop,
      'mutation ($id: ID!, $message: String!) { addOrderHistoryEntry(orderId: $id, input: {message: $message}) { __typename } }',
      { id, message },
    )
  const page = async (after: string | null) =>
    (
      await stack.ask(
        shop,
        'query ($id: ID!, $after: String) { order(id: $id) { history(first: 2, after: $after, orderBy: ID_DESC) { totalCount nodes { message } pageInfo { endCursor hasNextPage } } } }',
        { id, after },
      )
    ).data.order.history
  const first = await page(null)
  expect(first).toMatchObject({ totalCount: 3, nodes: [{ message: 'three' }, { message: 'two' }] })
  const second = await page(first.pageInfo.endCursor)
  expect(second).toMatchObject({ nodes: [{ message: 'one' }], pageInfo: { hasNextPage: false } })
})
