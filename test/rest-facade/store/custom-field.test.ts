import { afterAll, beforeAll, expect, test } from 'vitest'
import { aProduct, aVariant } from '../../subgraphs/store/support/product.ts'
import { type StoreRestStack, startStoreStack } from './stack.ts'

let stack: StoreRestStack
beforeAll(async () => {
  stack = await startStoreStack()
})
afterAll(() => stack.close())

const aField = async (custom_field: Record<string, unknown>) =>
  (await stack.ask('POST /custom_fields.json', { body: { custom_field } })).json.custom_field

test('custom fields are created, read, listed, changed and deleted', async () => {
  const { ask } = stack
  const shop = await stack.aStore()
  const as = shop
  expect((await ask('GET /custom_fields.json', { as })).json).toEqual([])
  const made = await ask('POST /custom_fields.json', {
    as,
    body: { custom_field: { label: 'Fabric', type: 'selection', values: ['Wool'] } },
  })
  const { id } = made.json.custom_field
  expect(made.text).toBe(
    `{"custom_field":{"id":${id},"label":"Fabric","type":"selection","values":["Wool"],"product_visibility":true}}`,
  )
  const body = { custom_field: { values: ['Silk', 'Wool'], product_visibility: false } }
  const changed = { ...made.json.custom_field, values: ['Silk', 'Wool'], product_visibility: false }
  expect((await ask(`PUT /custom_fields/${id}.json`, { as, body })).json.custom_field).toEqual(changed)
  expect((await ask(`GET /custom_fields/${id}.json`, { as })).json.custom_field).toEqual(changed)
  expect((await ask('GET /custom_fields.json', { as })).json).toEqual([{ custom_field: changed }])
  expect((await ask(`GET /custom_fields/${id}.json`)).status).toBe(404)
  const gone = await ask(`DELETE /custom_fields/${id}.json`, { as })
  expect([gone.status, gone.text]).toEqual([200, '"OK"'])
  expect((await ask(`DELETE /custom_fields/${id}.json`, { as })).status).toBe(404)
})

test.each([
  [{ label: '' }, 'custom_field.label'],
  [{ label: 'x', type: 'colour' }, 'custom_field.type'],
  [{ label: 'x', type: 'text', values: ['a'] }, 'custom_field.values'],
  [{ label: 'x', type: 'selection', values: ['a', 'A'] }, 'custom_field.values.1'],
  [{ label: 'x', values: 'a' }, 'custom_field.values'],
  [{ type: 'text' }, 'custom_field.label'],
])('a custom field of %j is refused by its name on the wire', async (custom_field, field) => {
  const refused = await stack.ask('POST /custom_fields.json', { body: { custom_field } })
  expect([refused.status, Object.keys(refused.json.errors)]).toEqual([400, [field]])
})

test('select options are the values of their field, one by one', async () => {
  const { ask } = stack
  const { id } = await aField({ label: 'Size', type: 'selection', values: ['S'] })
  const base = `/custom_fields/${id}/select_options`
  const made = await ask(`POST ${base}.json`, { body: { custom_field_select_option: { value: 'M' } } })
  const option = made.json.custom_field_select_option
  expect(made.text).toBe(`{"custom_field_select_option":{"id":${option.id},"value":"M"}}`)
  const body = { custom_field_select_option: { value: 'L' } }
  expect((await ask(`PUT ${base}/${option.id}.json`, { body })).json.custom_field_select_option).toEqual({
    ...option,
    value: 'L',
  })
  expect((await ask(`GET ${base}/${option.id}.json`)).json.custom_field_select_option.value).toBe('L')
  expect((await ask(`GET ${base}.json`)).json).toHaveLength(2)
  expect((await ask(`GET /custom_fields/${id}.json`)).json.custom_field.values).toEqual(['S', 'L'])
  const double = await ask(`POST ${base}.json`, { body: { custom_field_select_option: { value: 's' } } })
  expect([double.status, Object.keys(double.json.errors)]).toEqual([400, ['custom_field_select_option.value']])
  const other = await aField({ label: 'Other', type: 'selection' })
  for (const method of ['GET', 'DELETE']) {
    expect((await ask(`${method} /custom_fields/${other.id}/select_options/${option.id}.json`)).status).toBe(404)
  }
  expect((await ask(`DELETE ${base}/${option.id}.json`)).text).toBe('"OK"')
  expect((await ask(`GET /custom_fields/${id}.json`)).json.custom_field.values).toEqual(['S'])
})

test('fields of a product are added, listed, counted, changed and deleted', async () => {
  const { ask } = stack
  const product = await aProduct(stack, stack.own)
  const field = await aField({ label: 'Care', type: 'selection', values: ['Hand wash', 'Dry clean'] })
  const base = `/products/${product}/fields`
  const added = await ask(`POST ${base}.json`, { body: { field: { id: field.id, value: 'hand wash' } } })
  expect([added.status, added.json.product.id]).toEqual([200, product])
  const again = await ask(`POST ${base}.json`, { body: { field: { id: field.id, value: 'hand wash' } } })
  expect([again.status, Object.keys(again.json.errors)]).toEqual([400, ['field.id']])
  const unknown = await ask(`POST ${base}.json`, { body: { field: { id: 999_999, value: 'x' } } })
  expect(unknown.status).toBe(404)
  const [{ field: said }] = (await ask(`GET ${base}.json`)).json
  expect(said).toEqual({
    id: said.id,
    custom_field_id: field.id,
    type: 'selection',
    label: 'Care',
    value: 'Hand wash',
    value_id: expect.stringMatching(/^\d+$/),
    variant_id: null,
  })
  expect((await ask(`GET ${base}/count.json`)).text).toBe('{"count":1}')
  const changed = await ask(`PUT ${base}/${said.id}.json`, { body: { field: { value: 'Dry clean' } } })
  expect(changed.json.field.value).toBe('Dry clean')
  const refused = await ask(`PUT ${base}/${said.id}.json`, { body: { field: { value: 'Boil' } } })
  expect([refused.status, refused.json.errors]).toEqual([
    400,
    { 'field.value': ['Expected `field.value` to be one of "Hand wash", "Dry clean", got "Boil".'] },
  ])
  const variant = await aVariant(stack, stack.own, product)
  await ask(`POST ${base}.json`, { body: { field: { id: field.id, value: 'Dry clean', variants: [variant] } } })
  expect((await ask(`GET ${base}.json`)).json[1].field).toMatchObject({ value: 'Dry clean', variant_id: variant })
  expect((await ask(`DELETE ${base}/${(await ask(`GET ${base}.json`)).json[1].field.id}.json`)).status).toBe(200)
  const other = await aProduct(stack, stack.own)
  expect((await ask(`PUT /products/${other}/fields/${said.id}.json`, { body: { field: { value: 'Dry clean' } } })).status).toBe(
    404,
  )
  expect((await ask(`DELETE ${base}/${said.id}.json`)).status).toBe(200)
  expect((await ask(`DELETE ${base}/${said.id}.json`)).status).toBe(404)
  expect((await ask(`GET ${base}.json`)).json).toEqual([])
  expect((await ask('GET /products/999999/fields.json')).status).toBe(404)
})

test('reviews are read, of one product and of all, page by page', async () => {
  const shop = await stack.aStore()
  const product = await aProduct(stack, shop)
  await stack.sql(
    `INSERT INTO product_review (store_id, product_id, product_name, rating, review, created_at)
     SELECT $1, CASE WHEN n < 3 THEN $2::integer END, 'Lamp', n, NULL, '2026-01-02T03:04:05Z' FROM generate_series(1, 4) n`,
    [shop.storeId, product],
  )
  const all = (await stack.ask('GET /products/reviews.json?limit=3', { as: shop })).json
  expect(all).toHaveLength(3)
  const [{ review: first }] = all
  expect(first).toEqual({
    id: first.id,
    status: 'unread',
    rating: 1,
    review: null,
    date: '2026-01-02 03:04:05 UTC',
    product_id: product,
    product_name: 'Lamp',
    order_id: null,
    customer_email: null,
  })
  expect((await stack.ask('GET /products/reviews.json?limit=3&page=2', { as: shop })).json).toHaveLength(1)
  expect((await stack.ask(`GET /products/${product}/reviews.json`, { as: shop })).json).toHaveLength(2)
  expect((await stack.ask(`GET /products/reviews/${first.id}.json`, { as: shop })).json.review).toEqual(first)
  expect((await stack.ask(`GET /products/reviews/${first.id}.json`)).status).toBe(404)
  expect((await stack.ask(`GET /products/${product}/reviews.json`)).status).toBe(404)
  expect((await stack.ask('POST /products/reviews.json', { body: {} })).status).toBe(405)
})
