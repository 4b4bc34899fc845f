import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { operationIdOf } from '../../../rest-facade/http/route.ts'
import { type ContractOperation, type ContractSchema, operationsOf } from '../../../rest-facade/store/contract.ts'
import { storeRoutes } from '../../../rest-facade/store/routes.ts'
import { PNG } from '../../support/images.ts'
import { contract } from './contract.ts'
import { aFullShop, type FullShop, idsInPath, pathOf } from './full-shop.ts'
import { type StoreRestStack, startStoreStack } from './stack.ts'

let stack: StoreRestStack
let own: FullShop
let other: FullShop
let before: unknown
beforeAll(async () => {
  stack = await startStoreStack()
  own = await aFullShop(stack, 2)
  other = await aFullShop(stack, 2)
}, 60_000)
afterAll(() => stack.close())
beforeEach(async () => {
  before = await everything()
})

/**
 * What both shops have in all tables, as sums of their rows; what was only asked leaves it as it
 * is.
 */
async function everything(): Promise<unknown> {
  const tables = await stack.sql(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'store' AND column_name = 'store_id' AND table_name NOT IN ('idempotency_key') ORDER BY 1`,
  )
  const sums = tables.map(
    ({
      name,
    }) => `SELECT '${name}' AS name, store_id, count(*)::integer, md5(string_agg(each::text, '' ORDER BY each::text)) FROM "${name}" AS each
      WHERE store_id IN ($1, $2) GROUP BY store_id`,
  )
  return stack.sql(`${sums.join(' UNION ALL ')} ORDER BY 1, 2`, [own.shop.storeId, other.shop.storeId])
}

const rows = new Set(storeRoutes.map(({ run }) => operationIdOf(run)))
const operations = [...operationsOf(contract).values()].filter(({ operationId }) => rows.has(operationId))

/** Ids that need not be of anything: lists go on behind them. Addresses are not ids. */
const ONLY_COMPARED = ['listProductsAfter', 'listOrdersAfter']
const places = operations.flatMap((operation) =>
  idsInPath(operation).flatMap(({ name, of }) =>
    of === null || of === 'email' || ONLY_COMPARED.includes(operation.operationId)
      ? []
      : [{ operationId: operation.operationId, operation, name, of }],
  ),
)

const picture = { url: `data:image/png;base64,${PNG.toString('base64')}` }
/** What is right to add below something, so that nothing but the path is wrong. */
const ADDED: Readonly<Record<string, (ids: FullShop['ids']) => object>> = {
  createProductOption: () => ({ option: { name: 'Colour' } }),
  createProductOptionValue: () => ({ value: { name: 'XL' } }),
  createProductVariant: () => ({ variant: { options: [{ name: 'Size', value: 'XL' }] } }),
  createProductImage: () => ({ image: picture }),
  moveProductImage: () => ({ image: { position: 1 } }),
  createProductAttachment: () => ({ attachment: { filename: 'a.txt', url: 'data:text/plain;base64,YQ==' } }),
  createDigitalProduct: () => ({ digital_product: { url: 'https://example.com/a', external: true } }),
  addProductField: ({ custom_fields: id }) => ({ field: { id, value: 'value 1' } }),
  updateProductField: () => ({ field: { value: 'value 1' } }),
  createOrderHistory: () => ({ order_history: { message: 'Seen' } }),
  createOrderDocument: () => ({ document_type: 1, url: 'https://example.com/invoice' }),
  createPageImage: () => ({ image: picture }),
  updatePageImage: () => ({ image: picture }),
  addCustomerCategoryMembers: ({ customers: id }) => ({ customers: [{ id }] }),
  createCustomerField: ({ checkout_custom_fields: id }) => ({
    customer_additional_field: { value: 'x', checkout_custom_field_id: id },
  }),
  createCustomFieldSelectOption: () => ({ custom_field_select_option: { value: 'new' } }),
  updateCustomFieldSelectOption: () => ({ custom_field_select_option: { value: 'new' } }),
}
/** Nothing is changed by a body that says nothing: what is told of it is of the path. */
function bodyOf({ operationId, method, body }: ContractOperation, { ids }: FullShop): { body?: object } {
  if (!body || method === 'DELETE') return {}
  const [envelope] = Object.entries(body.schema.properties ?? {}).find(([, { type }]) => type === 'object') ?? []
  return { body: ADDED[operationId]?.(ids) ?? (envelope ? { [envelope]: {} } : {}) }
}

test.each(places)(
  '$operationId finds nothing by the $name of another store, and changes nothing',
  async ({ operation, name, of }) => {
    const foreign = { [name]: other.ids[of] ?? '' }
    // One operation wants to be told which store it is.
    const query = operation.parameters.some((each) => each.name === 'store_id') ? `?store_id=${own.shop.storeId}` : ''
    const on = `${operation.method} ${pathOf(operation, own, foreign)}${query}`
    const { status, text } = await stack.ask(on, { as: own.shop, ...bodyOf(operation, own) })
    expect([status, text]).toEqual([404, expect.any(String)])
    expect(await everything()).toEqual(before)
  },
)

test('lists that go on behind the id of another store have things of their own store only', async () => {
  for (const [path, key] of [
    ['products', 'product'],
    ['orders', 'order'],
  ] as const) {
    const ids = async (full: FullShop) =>
      (await stack.ask(`GET /${path}.json`, { as: full.shop })).json.map((each: Record<string, { id: number }>) => each[key]?.id)
    const [mine, theirs] = [await ids(own), await ids(other)]
    const behind = async (full: FullShop, id: number) =>
      (await stack.ask(`GET /${path}/after/${id}.json`, { as: full.shop })).json.map(
        (each: Record<string, { id: number }>) => each[key]?.id,
      )
    expect(await behind(own, theirs[0])).toEqual([])
    expect(await behind(other, mine[0])).toEqual(theirs)
  }
})

test('another store does not find a customer by e-mail address', async () => {
  const path = `GET /customers/email/${encodeURIComponent(other.ids.email ?? '')}.json`
  expect((await stack.ask(path, { as: other.shop })).status).toBe(200)
  expect((await stack.ask(path, { as: own.shop })).status).toBe(404)
})

/** Keys of bodies that name something elsewhere, or are not read. */
const OF_OTHERS = [
  'createOrderDocument .document.external_id',
  'createOrderDocument .document.public_id',
  'updateOrderDocument .external_id',
  'updateOrderDocument .public_id',
  'createFulfillment .fulfillment.external_id',
  'updateFulfillment .fulfillment.external_id',
  'updateProduct .product.variants[].image.id',
]

/** Every key of a body that holds the id of something of the store, or several. */
function idsInBody({ operationId, body }: ContractOperation): string[] {
  const found: string[] = []
  if (body) look(body.schema, '')
  return found.map((at) => `${operationId} ${at}`)

  function look(schema: ContractSchema, at: string): void {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if (property.readOnly) continue
      if (/(?:^|_)ids?$/.test(name) || (property.type === 'array' && property.items?.type === 'integer'))
        found.push(`${at}.${name}`)
      look(property, `${at}.${name}`)
    }
    if (schema.items) look(schema.items, `${at}[]`)
  }
}

type Ids = FullShop['ids']
/**
 * A request for each of these keys in which nothing but the id is of another store; `mine` are ids
 * of the one that asks.
 */
const REQUESTS: Readonly<Record<string, (their: Ids, mine: Ids) => object>> = {
  'createProduct .product.categories[].id': ({ categories: id }) => ({ product: { name: 'x', price: 1, categories: [{ id }] } }),
  'createProduct .product.categories[].parent_id': ({ categories: parent_id }) => ({
    product: { name: 'x', price: 1, categories: [{ name: 'New', parent_id }] },
  }),
  'createProduct .product.variants[].variant.image_id': ({ 'products images': image_id }) => ({
    product: { name: 'x', price: 1, variants: [{ variant: { image_id, options: [{ name: 'Size', value: 'S' }] } }] },
  }),
  'updateProduct .product.categories[].id': ({ categories: id }) => ({ product: { categories: [{ id }] } }),
  'updateProduct .product.categories[].parent_id': ({ categories: parent_id }) => ({
    product: { categories: [{ name: 'New', parent_id }] },
  }),
  'updateProduct .product.variants[].id': ({ variants: id }) => ({ product: { variants: [{ id, price: 2 }] } }),
  'updateProductVariant .variant.image_id': ({ 'products images': image_id }) => ({ variant: { image_id } }),
  'createProductVariant .variant.image_id': ({ 'products images': image_id }) => ({
    variant: { image_id, options: [{ name: 'Size', value: 'XXL' }] },
  }),
  'addProductField .field.id': ({ custom_fields: id }) => ({ field: { id, value: 'value 0' } }),
  'addProductField .field.variants': ({ variants }, { custom_fields: id }) => ({
    field: { id, value: 'value 1', variants: [variants] },
  }),
  'createCategory .category.parent_id': ({ categories: parent_id }) => ({ category: { name: 'x', parent_id } }),
  'updateCategory .category.parent_id': ({ categories: parent_id }) => ({ category: { parent_id } }),
  'createOrder .order.shipping_method_id': ({ shipping_methods }, { products: id, variants: variant_id }) => ({
    order: { shipping_method_id: shipping_methods, products: [{ id, variant_id, qty: 1 }] },
  }),
  'createOrder .order.customer.id': ({ customers }, { products: id, variants: variant_id }) => ({
    order: { customer: { id: customers }, products: [{ id, variant_id, qty: 1 }] },
  }),
  'createOrder .order.products[].id': ({ products: id }) => ({ order: { products: [{ id, qty: 1 }] } }),
  'createOrder .order.products[].variant_id': ({ variants: variant_id }, { products: id }) => ({
    order: { products: [{ id, variant_id, qty: 1 }] },
  }),
  'updateOrder .order.additional_fields[].id': ({ orders: id }) => ({
    order: { additional_fields: [{ id, label: 'x', value: 'y' }] },
  }),
  'quoteFulfillmentRates .rates.order_id': ({ orders: order_id }, { locations: location_id }) => ({
    rates: { order_id, location_id },
  }),
  'quoteFulfillmentRates .rates.location_id': ({ locations: location_id }, { orders: order_id }) => ({
    rates: { order_id, location_id },
  }),
  'createFulfillment .fulfillment.order_id': ({ orders }, { locations }) => ({
    fulfillment: { type: 'manual', order_id: String(orders), location_id: String(locations) },
  }),
  'createFulfillment .fulfillment.location_id': ({ locations }, { orders }) => ({
    fulfillment: { type: 'manual', order_id: String(orders), location_id: String(locations) },
  }),
  'createPage .page.categories': ({ menu }) => ({ page: { title: 'x', categories: [menu] } }),
  'updatePage .page.categories': ({ menu }) => ({ page: { categories: [menu] } }),
  'createCustomer .customer.customer_category': ({ customer_categories: id }) => ({
    customer: { email: 'new@example.com', customer_category: [id] },
  }),
  'updateCustomer .customer.customer_category': ({ customer_categories: id }) => ({ customer: { customer_category: [id] } }),
  'addCustomerCategoryMembers .customers[].id': ({ customers: id }) => ({ customers: [{ id }] }),
  'createCustomerField .customer_additional_field.checkout_custom_field_id': ({ checkout_custom_fields: id }) => ({
    customer_additional_field: { value: 'x', checkout_custom_field_id: id },
  }),
  'updateCustomerField .customer_additional_field.checkout_custom_field_id': ({ checkout_custom_fields: id }) => ({
    customer_additional_field: { value: 'x', checkout_custom_field_id: id },
  }),
  ...promotions('createPromotion'),
  ...promotions('updatePromotion'),
  'createTax .tax.category_id': ({ categories: category_id }) => ({ tax: { name: 'x', tax: 5, country: 'PT', category_id } }),
  'setProductLocationStock .location_id': ({ locations: location_id }, { products: product_id, variants: variant_id }) => ({
    products_location: { location_id, product_id, variant_id, stock: 7, stock_unlimited: false },
  }),
  'setProductLocationStock .product_id': ({ products: product_id }, { locations: location_id }) => ({
    products_location: { location_id, product_id, stock: 7, stock_unlimited: false },
  }),
  'setProductLocationStock .variant_id': ({ variants: variant_id }, { locations: location_id, products: product_id }) => ({
    products_location: { location_id, product_id, variant_id, stock: 7, stock_unlimited: false },
  }),
}

/** Of promotions in which every member counts. */
function promotions(operationId: string): Record<string, (their: Ids, mine: Ids) => object> {
  const members: Readonly<Record<string, string>> = {
    categories: 'categories',
    categories_x: 'categories',
    customer_categories: 'customer_categories',
    products: 'products',
    products_x: 'products',
  }
  return Object.fromEntries(
    Object.keys(members).map((key) => [
      `${operationId} .promotion.${key}[].id`,
      (their: Ids, mine: Ids) => ({
        promotion: {
          name: 'x',
          type: 'fix',
          discount_amount_fix: 1,
          discount_target: 'buy_x_get_y',
          quantity_x: 1,
          customers: 'categories',
          ...Object.fromEntries(
            Object.entries(members).map(([each, word]) => [each, [{ id: (each === key ? their : mine)[word] }]]),
          ),
        },
      }),
    ]),
  )
}

/**
 * Ids that are refused where they are one's own as well: what is named is of another product or
 * order, or has to be there already.
 */
const SAME_FOR_OWN = [
  'createProduct .product.categories[].parent_id',
  'updateProduct .product.categories[].parent_id',
  'createProduct .product.variants[].variant.image_id',
  'updateOrder .order.additional_fields[].id',
]

test('every id in a body of the contract has a request here', () => {
  const ids = operations.flatMap(idsInBody)
  expect(ids.filter((each) => !OF_OTHERS.includes(each)).sort()).toEqual(Object.keys(REQUESTS).sort())
})

test.each(Object.keys(REQUESTS))('%s: that of another store is refused, and nothing is changed', async (place) => {
  const operation = operations.find(({ operationId }) => operationId === place.split(' ')[0])
  if (!operation) throw new Error(`Expected an operation of ${place}.`)
  const body = REQUESTS[place]?.(other.ids, own.ids)
  const { status, text } = await stack.ask(`${operation.method} ${pathOf(operation, own)}`, { as: own.shop, body })
  expect([[400, 404].includes(status), status, text]).toEqual([true, status, text])
  expect(await everything()).toEqual(before)

  if (SAME_FOR_OWN.includes(place)) return
  // It was the id: with one of its own the same is done, or refused for something else.
  const mine = await stack.ask(`${operation.method} ${pathOf(operation, own)}`, {
    as: own.shop,
    body: REQUESTS[place]?.(own.ids, own.ids) ?? {},
  })
  expect([mine.status === 404, mine.text === text, mine.text]).toEqual([false, false, mine.text])
})
