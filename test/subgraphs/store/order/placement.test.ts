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
