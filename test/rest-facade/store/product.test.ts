import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StoreRestStack, startStoreStack } from './stack.ts'

let stack: StoreRestStack
beforeAll(async () => {
  stack = await startStoreStack()
})
afterAll(() => stack.close())

const aProduct = async (product: object = {}) =>
  (await stack.ask('POST /products.json', { body: { product: { name: 'Thing', price: 10, ...product } } })).json.product
const names = (list: { product: { name: string } }[]) => list.map(({ product }) => product.name).join(' ')

test('products are created, read, changed and deleted as the published clients do', async () => {
  const { ask } = stack
  const category = (await ask('POST /categories.json', { body: { category: { name: 'Shoes' } } })).json.category
  const made = await ask('POST /products.json', {
    body: {
      product: {
        name: 'Boot',
        price: 59.9,
        status: 'not-available',
        google_product_category_text: 'Apparel > Shoes',
        categories: [{ id: category.id }],
        variants: [{ price: 61, sku: 'B-42', stock: 3, options: [{ name: 'Size', option_type: 'option', value: '42' }] }],
      },
    },
  })
  expect(made.status).toBe(200)
  const { product } = made.json
  expect(product).toMatchObject({
    name: 'Boot',
    price: 59.9,
    status: 'not-available',
    stock: 100,
    google_product_category_text: 'Apparel > Shoes',
    categories: [category],
    variants: [
      {
        price: 61,
        sku: 'B-42',
        stock: 3,
        options: [
          {
            name: 'Size',
            option_type: 'option',
            value: '42',
            custom: null,
            product_option_position: 1,
            product_value_position: 1,
          },
        ],
      },
    ],
  })
  expect(made.text).toContain('"price":59.9,')
  expect((await ask(`GET /products/${product.id}.json`)).json.product).toEqual(product)

  const changed = await ask(`PUT /products/${product.id}.json`, {
    body: { product: { price: '60.0', status: 'available', categories: [] } },
  })
  expect(changed.json.product).toMatchObject({ price: 60, status: 'available', categories: [], name: 'Boot' })
  expect((await ask(`DELETE /products/${product.id}.json`)).text).toBe('"OK"')
  for (const on of [`GET /products/${product.id}.json`, `DELETE /products/${product.id}.json`])
    expect((await ask(on)).status).toBe(404)
})

test('lists go by page, status, category, id and words, and their counts agree', async () => {
  const { ask } = stack
  const category = (await ask('POST /categories.json', { body: { category: { name: 'Tea' } } })).json.category
  const green = await aProduct({ name: 'Green', categories: [category.id], featured: true, sku: 'T-1' })
  await aProduct({ name: 'Black', status: 'disabled', categories: [category.id] })
  await aProduct({ name: 'Chá', description: '100% leaves' })

  expect(names((await ask(`GET /products/category/${category.id}.json`)).json)).toBe('Green Black')
  expect((await ask(`GET /products/category/${category.id}/count.json`)).json).toEqual({ count: 2 })
  expect((await ask('GET /products/category/999999.json')).status).toBe(404)
  expect(names((await ask('GET /products/status/disabled.json')).json)).toBe('Black')
  expect((await ask('GET /products/status/disabled/count.json')).json).toEqual({ count: 1 })
  expect((await ask('GET /products/status/nonsense.json')).status).toBe(404)
  expect(names((await ask(`GET /products/after/${green.id}.json`)).json)).toBe('Black Chá')
  expect((await ask('GET /products/count.json')).json).toEqual({ count: 3 })
  expect(names((await ask('GET /products.json?limit=2&page=2')).json)).toBe('Chá')
  expect((await ask('GET /products.json?limit=2&page=2147483647')).json).toEqual([])
  for (const [query, found] of [
    ['query=cha', 'Chá'],
    ['query=t-1&fields=sku,barcode', 'Green'],
    ['query=t-1&fields=name', ''],
    ['query=100%25', 'Chá'],
    ['query=e&status=featured', 'Green'],
    [`query=e&categories=${category.id}`, 'Green'],
    ['query=a&status=disabled', 'Black'],
  ]) {
    expect([query, names((await ask(`GET /products/search.json?${query}`)).json)]).toEqual([query, found])
  }
  expect((await ask('GET /products/after/0.json')).text).toBe((await ask('GET /products.json')).text)
  expect((await ask('GET /products/after/x.json')).status).toBe(404)
  for (const on of ['GET /products.json?page=0', 'GET /products.json?limit=-1', 'GET /products/search.json']) {
    expect([on, (await ask(on)).status]).toEqual([on, 400])
  }
})

test('variants of a PUT may stand in envelopes as in a GET; an entry without a known key is refused and makes none', async () => {
  const { ask } = stack
  const made = await aProduct({ variants: [{ stock: 3, options: [{ name: 'Size', option_type: 'option', value: 'M' }] }] })
  const [{ id }] = made.variants
  const at = `PUT /products/${made.id}.json`

  const wrapped = await ask(at, { body: { product: { variants: [{ variant: { id, stock: 5 } }] } } })
  expect([wrapped.status, wrapped.json.product.variants.length]).toEqual([200, 1])
  expect(wrapped.json.product.variants[0]).toMatchObject({ id, stock: 5 })
  const flat = await ask(at, { body: { product: { variants: [{ id, stock: 7 }] } } })
  expect(flat.json.product.variants).toMatchObject([{ id, stock: 7 }])

  for (const entry of [{}, { variants: { id } }, { variant: {} }]) {
    const refused = await ask(at, { body: { product: { variants: [entry] } } })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('product.variants.0')])
  }
  expect((await ask(`GET /products/${made.id}.json`)).json.product.variants).toMatchObject([{ id, stock: 7 }])
})

test('options, values and variants have addresses below their product', async () => {
  const { ask } = stack
  const { id } = await aProduct({ name: 'Shirt' })
  const at = `/products/${id}`
  const option = (await ask(`POST ${at}/options.json`, { body: { option: { name: 'Size' } } })).json.option
  expect(option).toEqual({ id: option.id, name: 'Size', position: 1, option_type: 'option', addon_price: null, values: [] })
  const value = (await ask(`POST ${at}/options/${option.id}/values.json`, { body: { value: { name: 'S' } } })).json.value
  expect(value).toMatchObject({ name: 'S', position: 1, variants: [] })
  expect((await ask(`GET ${at}/options/${option.id}/values/${value.id}.json`)).json.value).toEqual(value)
  expect((await ask(`GET ${at}/options/count.json`)).json).toEqual({ count: 1 })
  expect((await ask(`GET ${at}/options/${option.id}/values/count.json`)).json).toEqual({ count: 1 })
  const renamed = await ask(`PUT ${at}/options/${option.id}/values/${value.id}.json`, { body: { value: { name: 'Small' } } })
  expect(renamed.json.value.name).toBe('Small')

  const made = await ask(`POST ${at}/variants.json`, {
    body: { variant: { price: 12, options: [{ name: 'Size', value: 'small' }] } },
  })
  const { variant } = made.json
  expect(variant).toMatchObject({ price: 12, options: [{ name: 'Size', value: 'Small' }], image: null })
  expect((await ask(`GET ${at}/variants.json`)).json).toEqual([{ variant }])
  expect((await ask(`GET ${at}/variants/count.json`)).json).toEqual({ count: 1 })
  const priced = await ask(`PUT ${at}/variants/${variant.id}.json`, { body: { variant: { price: 13.5, stock: 0 } } })
  expect(priced.json.variant).toMatchObject({ price: 13.5, stock: 0 })

  const stranger = await aProduct({ name: 'Other' })
  for (const path of [
    `options/${option.id}`,
    `options/${option.id}/values/${value.id}`,
    `variants/${variant.id}`,
    `options/${option.id}/values`,
  ]) {
    expect([path, (await ask(`GET /products/${stranger.id}/${path}.json`)).status]).toEqual([path, 404])
  }
  expect((await ask(`DELETE ${at}/options/${option.id}/values/${value.id}.json`)).text).toBe('"OK"')
  expect((await ask(`GET ${at}/variants.json`)).json).toEqual([])
  expect((await ask(`PUT ${at}/options/${option.id}.json`, { body: { option: { name: 'Fit' } } })).json.option.name).toBe('Fit')
  expect((await ask(`DELETE ${at}/options/${option.id}.json`)).text).toBe('"OK"')
  expect((await ask(`GET ${at}/options.json`)).json).toEqual([])
})

test('values that differ by a sign are two, and so are the variants that they make', async () => {
  const values = ['ガラス', 'カラス', '2⁵', '25', '10 m²', '10 m2']
  const product = await aProduct({ name: 'グラス', variants: values.map((value) => ({ options: [{ name: '種類', value }] })) })
  expect(product.permalink).toBe('グラス')
  expect(product.variants.map((variant: { options: { value: string }[] }) => variant.options[0]?.value)).toEqual(values)
})

test('every invalid field is reported by its wire name, also in nested objects', async () => {
  const { ask } = stack
  const refused = async (product: unknown) => {
    const { status, json } = await ask('POST /products.json', { body: { product } })
    return [status, Object.keys(json.errors ?? {})]
  }
  expect(await refused({ price: 1 })).toEqual([400, ['product.name']])
  expect(await refused({ name: 'x', price: -1 })).toEqual([400, ['product.price']])
  expect(await refused({ name: 'x', price: 'much' })).toEqual([400, ['product.price']])
  expect(await refused({ name: 'x', price: 1, variants: [{ compare_at_price: 0.5 }] })).toEqual([
    400,
    ['product.variants.0.compare_at_price'],
  ])
  expect(await refused({ name: 'x', price: 1, status: 'gone' })).toEqual([400, ['product.status']])
  expect((await ask('POST /products.json', { body: '{"product":{"name":"x","price":1e400}}' })).status).toBe(400)
  expect((await ask('POST /products.json', { body: { product: { name: 'x', price: 1, categories: [999999] } } })).status).toBe(
    404,
  )
})

test('an error of the graph about the query is reported by the name of its parameter', async () => {
  const long = 'x'.repeat(201)
  for (const [on, parameter, message] of [
    ['GET /products/search.json?query=', 'query', 'Expected `query` to be text that is not all white space, got "".'],
    [`GET /products/search.json?query=${long}`, 'query', 'Expected `query` to be a text of at most 200 characters, got '],
    [`GET /customers/search.json?query=${long}`, 'query', 'Expected `query` to be a text of at most 200 characters, got '],
    ['GET /products.json?locale=xx', 'locale', 'Expected `locale` to be a language of the store (pt), got "xx".'],
    [
      `GET /products/search.json?query=x&categories=${Array.from({ length: 51 }, (_, n) => n + 1)}`,
      'categories',
      'Expected `categories`',
    ],
    ['GET /orders.json?dateFilter=customDate&initialDate=0000-00-00', 'initialDate', 'Expected `initialDate` to be a day'],
  ] as const) {
    const { status, json } = await stack.ask(on)
    expect([on, status, json]).toEqual([
      on,
      400,
      { message: expect.stringContaining(message), errors: { [parameter]: [expect.stringContaining(message)] } },
    ])
  }
})

test('a change repeated after the deletion of its product reports that', async () => {
  const { ask } = stack
  const send = () =>
    ask('POST /products.json', { body: { product: { name: 'Short-lived', price: 1 } }, headers: { 'idempotency-key': 'gone' } })
  await ask(`DELETE /products/${(await send()).json.product.id}.json`)
  const again = await send()
  expect([again.status, again.json.message]).toEqual([404, 'The product that this was about has been deleted since.'])
})

test('stock is kept per location once it is set there', async () => {
  const { ask } = stack
  const address = { name: 'Porto', email: 'porto@example.org', address: 'Rua 1', city: 'Porto', country: 'PT', Region: 'Norte' }
  const main = (await ask('POST /locations.json', { body: { location: address } })).json.location
  const shop = (await ask('POST /locations.json', { body: { ...address, name: 'Lisboa', city: 'Lisboa' } })).json.location
  expect([main.main, shop.main, shop.location_address.region]).toEqual([true, false, 'Norte'])
  expect((await ask('GET /locations.json')).json).toEqual([{ location: main }, { location: shop }])
  expect((await ask(`GET /locations/${shop.id}.json`)).json).toEqual({ location: shop })

  const { id } = await aProduct({ name: 'Counted', stock: 7 })
  const count = (location: number, stock: number) =>
    ask('PUT /products_locations', { body: { location_id: location, product_id: id, stock, stock_unlimited: false } })
  expect((await count(main.id, 4)).status).toBe(200)
  expect((await count(shop.id, 2)).status).toBe(200)
  expect((await ask(`GET /products/${id}.json`)).json.product.stock).toBe(6)
  const levels = await ask(`GET /products_locations?location_ids=${main.id},${shop.id}&product_ids=${id}`)
  expect(levels.json).toEqual([
    { location_id: main.id, product_id: id, variant_id: null, stock: 4 },
    { location_id: shop.id, product_id: id, variant_id: null, stock: 2 },
  ])
  await ask(`PUT /products/${id}.json`, { body: { product: { stock: 1 } } })
  expect((await ask(`GET /products_locations.json?location_ids=${main.id},${shop.id}&product_ids=${id}`)).json).toMatchObject([
    { stock: 0 },
    { stock: 1 },
  ])
  expect((await count(main.id, -1)).status).toBe(400)
  expect((await count(999999, 1)).status).toBe(404)
  expect((await ask('PUT /products_locations', { body: { location_id: main.id, product_id: id } })).status).toBe(400)

  expect((await ask(`DELETE /locations/${main.id}.json`)).status).toBe(400)
  expect((await ask(`PUT /locations/${shop.id}.json`, { body: { main: true } })).json.location.main).toBe(true)
  expect((await ask(`DELETE /locations/${main.id}.json`)).text).toBe('"OK"')
  expect((await ask(`GET /products/${id}.json`)).json.product.stock).toBe(1)
})
