import { afterAll, beforeAll, expect, test } from 'vitest'
import { aFilledStore } from '../../subgraphs/store/support/sample.ts'
import type { TestStore } from '../../subgraphs/store/support/store.ts'
import { type StoreRestStack, startStoreStack } from './stack.ts'

let stack: StoreRestStack
let shop: TestStore
beforeAll(async () => {
  stack = await startStoreStack()
  shop = await aFilledStore(stack)
})
afterAll(() => stack.close())

/** What every list has at least. `ask` fails where an answer breaks the contract. */
const LISTS: readonly (readonly [path: string, floor: number])[] = [
  ['/products.json?limit=100', 40],
  ['/products/search.json?query=linen', 3],
  ['/products/reviews.json', 10],
  ['/categories.json', 20],
  ['/orders.json?limit=100', 30],
  ['/orders/status/paid.json', 20],
  ['/orders.json?status_filters[]=abandoned', 2],
  ['/orders.json?status_filters[]=canceled', 2],
  ['/orders.json?status_filters[]=pending_payment', 2],
  ['/orders.json?fulfillment_filters=fulfilled', 20],
  ['/fulfillments.json', 20],
  ['/customers.json', 12],
  ['/customers/search.json?query=aoife', 1],
  ['/customer_categories.json', 3],
  ['/pages.json', 5],
  ['/promotions.json', 1],
  ['/payment_methods.json', 2],
  ['/shipping_methods.json', 2],
  ['/locations.json', 2],
  ['/taxes.json', 2],
]

test.for(LISTS)('%s conform to the contract, with at least %i', async ([path, floor]) => {
  const { status, json } = await stack.ask(`GET ${path}`, { as: shop })
  expect(status).toBe(200)
  expect(json.length).toBeGreaterThanOrEqual(floor)
})

test('every product and every order conforms to the contract, one by one', async () => {
  const { json: products } = await stack.ask('GET /products.json?limit=100', { as: shop })
  for (const { product } of products) {
    expect(product.images.length).toBeGreaterThanOrEqual(1)
    for (const part of ['', '/options', '/variants', '/images', '/reviews']) {
      expect((await stack.ask(`GET /products/${product.id}${part}.json`, { as: shop })).status).toBe(200)
    }
  }
  const { json: orders } = await stack.ask('GET /orders.json?limit=100', { as: shop })
  for (const { order } of orders) {
    for (const part of ['', '/history', '/fulfillments']) {
      expect((await stack.ask(`GET /orders/${order.id}${part}.json`, { as: shop })).status).toBe(200)
    }
  }
})

type Variant = { readonly sku: string }

test('a client works with the sample data: too large a quantity is refused, available stock is sold', async () => {
  const find = async (sku: string) => {
    const { json } = await stack.ask(`GET /products/search.json?query=${sku}&fields=sku`, { as: shop })
    return json[0]?.product
  }
  const plate = await find('PLATE')
  const ink = plate?.variants.find(({ sku }: Variant) => sku === 'PLATE-INK')
  const order = (qty: number, variant: number | undefined) =>
    stack.ask('POST /orders.json', { as: shop, body: { order: { products: [{ id: plate?.id, variant_id: variant, qty }] } } })
  expect([ink?.stock, (await order(1, ink?.id)).status]).toEqual([0, 400])
  const moss = plate?.variants.find(({ sku }: Variant) => sku === 'PLATE-MOSS')
  expect((await order(2, moss?.id)).status).toBe(200)
  expect((await find('PLATE'))?.variants.find(({ sku }: Variant) => sku === 'PLATE-MOSS')?.stock).toBe(Number(moss?.stock) - 2)
})
