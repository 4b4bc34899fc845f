import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StoreRestStack, startStoreStack } from './stack.ts'

let stack: StoreRestStack
beforeAll(async () => {
  stack = await startStoreStack()
})
afterAll(() => stack.close())

test('taxes are created, read and listed; the rate is written as tax and read as tax_amount', async () => {
  const { ask } = stack
  const category = (await ask('POST /categories.json', { body: { category: { name: 'Wine' } } })).json.category
  const tax = { country: 'PT', name: 'VAT on wine', region: '14', category_id: category.id, tax: 13.5 }
  const made = await ask('POST /taxes.json', { body: { tax } })
  expect(made.status).toBe(200)
  expect(made.text).toBe(
    `{"tax":{"id":${made.json.tax.id},"name":"VAT on wine","country":"PT","region":"14","category_id":${category.id},"tax_amount":13.5,"fixed":false,"shipping":false}}`,
  )
  expect((await ask(`GET /taxes/${made.json.tax.id}.json`)).json).toEqual(made.json)
  const shipping = await ask('POST /taxes.json', { body: { tax: { name: 'Shipping', tax: '2', fixed: true, shipping: true } } })
  expect(shipping.json.tax).toMatchObject({ country: null, category_id: null, tax_amount: 2, fixed: true, shipping: true })
  expect((await ask('GET /taxes.json')).json).toEqual([made.json, shipping.json])
})

test.each([
  [{ tax: 1 }, 400, 'tax.name'],
  [{ name: 'x' }, 400, 'tax.tax'],
  [{ name: 'x', tax: -1 }, 400, 'tax.tax'],
  [{ name: 'x', tax: 1, country: 'Portugal' }, 400, 'tax.country'],
  [{ name: 'x', tax: 1, fixed: 'yes' }, 400, 'tax.fixed'],
  [{ name: 'x', tax: 1, category_id: 2147483647 }, 404, null],
])('the tax %j is answered by %i', async (tax, status, field) => {
  const refused = await stack.ask('POST /taxes.json', { body: { tax } })
  expect(refused.status).toBe(status)
  if (field !== null) expect(Object.keys(refused.json.errors)).toEqual([field])
})

test('an address has its region by code or name: its tax is due, its zone is shipped to, and the order returns both', async () => {
  const { ask } = stack
  const as = await stack.aStore()
  await ask('POST /taxes.json', { as, body: { tax: { name: 'City tax', tax: 10, country: 'PT', region: 'Lisboa' } } })
  const table = { basedon: 'weight', values: [{ amount: 0, price: 5 }], locations: [{ country: 'PT', region: '14' }] }
  const method = { shipping_method: { type: 'tables', name: 'City', tables: [table] } }
  const { id } = (await ask('POST /shipping_methods.json', { as, body: method })).json.shipping_method
  for (const region of ['14', 'Lisboa', 'PT-11', 'lisbon']) {
    const order = {
      customer: { email: 'ana@example.org', shipping_address: { country: 'PT', region } },
      products: [{ id: 1, name: 'Book', price: 100, qty: 1 }],
      allow_missing_products: true,
      shipping_method_id: id,
    }
    const made = (await ask('POST /orders.json', { as, body: { order } })).json.order
    expect([region, made.tax, made.shipping, made.shipping_address.region, made.shipping_address.region_code]).toEqual([
      region,
      10,
      5,
      'Lisboa',
      '14',
    ])
  }
  const nowhere = await ask('POST /taxes.json', { as, body: { tax: { name: 'x', tax: 1, country: 'PT', region: 'zz' } } })
  expect([nowhere.status, Object.keys(nowhere.json.errors)]).toEqual([400, ['tax.region']])
})

test('payment methods are created as external gateways, read and listed, and never return a secret', async () => {
  const { ask } = stack
  const payment_method = {
    name: 'Gateway',
    description: 'By card',
    payment_method_url: 'https://pay.example.com',
    key: 'account-7',
    secret: 'Do-not-tell',
    show_review: true,
    use_new_version: true,
  }
  const made = await ask('POST /payment_methods.json', { body: { payment_method } })
  expect(made.status).toBe(200)
  expect(made.text).toBe(
    `{"payment_method":{"id":${made.json.payment_method.id},"type":"external_payment_gateway","name":"Gateway"}}`,
  )
  expect((await ask(`GET /payment_methods/${made.json.payment_method.id}.json`)).json).toEqual(made.json)
  expect((await ask('GET /payment_methods.json')).json).toEqual([made.json])

  const refused = await ask('POST /payment_methods.json', {
    body: { payment_method: { ...payment_method, secret: 'two words' } },
  })
  expect([refused.status, Object.keys(refused.json.errors)]).toEqual([400, ['payment_method.secret']])
  expect(refused.text).not.toContain('two words')
})

test('no operation finds a tax or a payment method of another store', async () => {
  const other = await stack.aStore()
  const { tax } = (await stack.ask('POST /taxes.json', { body: { tax: { name: 'Ours', tax: 1 } } })).json
  const { payment_method: method } = (
    await stack.ask('POST /payment_methods.json', { body: { payment_method: { name: 'Ours' } } })
  ).json
  for (const path of [`/taxes/${tax.id}.json`, `/payment_methods/${method.id}.json`]) {
    expect([path, (await stack.ask(`GET ${path}`, { as: other })).status]).toEqual([path, 404])
    expect([path, (await stack.ask(`DELETE ${path}`)).status]).toEqual([path, 405])
  }
})
