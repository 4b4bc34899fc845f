import { afterAll, beforeAll, expect, test } from 'vitest'
import { changer } from './support/change.ts'
import { deletedMeanwhile } from './support/deleted-meanwhile.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
let change: ReturnType<typeof changer>
beforeAll(async () => {
  stack = await startStore()
  shop = await stack.aStore()
  change = changer(stack, {
    Product: 'number',
    ProductCategory: 'number',
    CustomerCategory: 'number',
    Location: 'number',
    Tax: 'number',
    Promotion: 'number',
    InventoryLevel: 'stock',
  })
})
afterAll(() => stack.close())

/** What each kind of thing is made with. */
const MADE = {
  product: { name: 'createProduct', field: 'product', input: { name: 'Thing', price: '1' } },
  product_category: { name: 'createProductCategory', field: 'productCategory', input: { name: 'Things' } },
  customer_category: { name: 'createCustomerCategory', field: 'customerCategory', input: { name: 'Regulars' } },
  location: {
    name: 'createLocation',
    field: 'location',
    input: { name: 'Shelf', address: 'Rua 1', city: 'Porto', country: 'PT' },
  },
} as const

async function make(kind: keyof typeof MADE): Promise<string> {
  const { name, field, input } = MADE[kind]
  const made = await change(shop, name, { input })
  return String(made[field].number)
}

const PERCENT = { name: 'Sale', type: 'PERCENTAGE', discountAmountPercent: '10' }

test.each<[why: string, goes: keyof typeof MADE, mutation: string, variables: (id: string, other: string) => object]>([
  [
    'a category of a new product',
    'product_category',
    'createProduct',
    (id) => ({ input: { name: 'x', price: '1', categoryIds: [id] } }),
  ],
  ['a category of a product', 'product_category', 'updateProduct', (id, other) => ({ id: other, input: { categoryIds: [id] } })],
  ['the parent of a category', 'product_category', 'createProductCategory', (id) => ({ input: { name: 'x', parentId: id } })],
  ['the category of a tax', 'product_category', 'createTax', (id) => ({ input: { name: 'x', rate: '5', categoryId: id } })],
  [
    'a category of a promotion',
    'product_category',
    'createPromotion',
    (id) => ({ input: { ...PERCENT, discountTarget: 'CATEGORIES', categoryIds: [id] } }),
  ],
  [
    'a product of a promotion',
    'product',
    'createPromotion',
    (id) => ({ input: { ...PERCENT, discountTarget: 'CATEGORIES', productIds: [id] } }),
  ],
  [
    'a customer category of a promotion',
    'customer_category',
    'createPromotion',
    (id) => ({ input: { ...PERCENT, customers: 'CATEGORIES', customerCategoryIds: [id] } }),
  ],
  [
    'the location of a stock',
    'location',
    'setInventoryLevel',
    (id, other) => ({ input: { productId: other, locationId: id, stock: 3 } }),
  ],
])('%s that is deleted at that moment is not found', async (_, goes, mutation, variables) => {
  const id = await make(goes)
  const other = await make('product')
  const deletion = `DELETE FROM ${goes} WHERE store_id = ${shop.storeId} AND id = ${id}`
  const result = await deletedMeanwhile(stack, deletion, () => change(shop, mutation, { ...variables(id, other) }))
  expect(result).toMatchObject({ __typename: 'NotFoundError', message: expect.stringContaining(`"${id}"`) })
})
