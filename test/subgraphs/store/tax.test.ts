import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
beforeAll(async () => {
  stack = await startStore()
  shop = await stack.aStore()
})
afterAll(() => stack.close())

const FAILURES = `... on ValidationError { errors { field message } } ... on NotFoundError { message }
  ... on ConflictError { message currentVersion }`
const FIELDS = 'id number name country region category { name } categoryNumber rate fixed shipping version'
const CREATE = `mutation ($input: CreateTaxInput!) { createTax(input: $input) { __typename
  ... on CreateTaxSuccess { tax { ${FIELDS} } } ${FAILURES} } }`
const UPDATE = `mutation ($id: ID!, $input: UpdateTaxInput!) { updateTax(id: $id, input: $input) { __typename
  ... on UpdateTaxSuccess { tax { ${FIELDS} } } ${FAILURES} } }`
const DELETE = `mutation ($id: ID!, $expectedVersion: Int) { deleteTax(id: $id, expectedVersion: $expectedVersion) { __typename
  ... on DeleteTaxSuccess { number } ${FAILURES.replace('... on ValidationError { errors { field message } }', '')} } }`
const SETTINGS = `mutation ($input: UpdateTaxSettingsInput!) { updateTaxSettings(input: $input) { __typename
  ... on UpdateTaxSettingsSuccess { taxSettings { pricesIncludeTax taxedAddress version } } ... on ValidationError { field }
  ... on ConflictError { currentVersion } } }`

const create = async (input: Record<string, unknown>, who = shop) => (await stack.ask(who, CREATE, { input })).data.createTax
const update = async (id: string, input: Record<string, unknown>, who = shop) =>
  (await stack.ask(who, UPDATE, { id, input })).data.updateTax

async function aTax(input: Record<string, unknown>, who = shop) {
  const result = await create(input, who)
  expect(result.__typename).toBe('CreateTaxSuccess')
  return result.tax
}
async function aCategory(name: string, who = shop) {
  const { data } = await stack.ask(
    who,
    `mutation ($input: CreateProductCategoryInput!) { createProductCategory(input: $input) {
      ... on CreateProductCategorySuccess { productCategory { id number } } } }`,
    { input: { name } },
  )
  return data.createProductCategory.productCategory
}

test('a tax is for a country, a region and a category, and is returned exactly', async () => {
  const wine = await aCategory('Wine')
  const tax = await aTax({ name: 'VAT on wine', country: 'PT', region: '14', categoryId: wine.id, rate: '13.0001' })
  expect(tax).toMatchObject({
    name: 'VAT on wine',
    country: 'PT',
    region: '14',
    category: { name: 'Wine' },
    categoryNumber: wine.number,
    rate: '13.0001',
    fixed: false,
    shipping: false,
    version: 1,
  })
  const { data } = await stack.ask(shop, `query ($id: ID!) { tax(id: $id) { ${FIELDS} } }`, { id: String(tax.number) })
  expect(data.tax).toEqual(tax)
})

test.each([
  [{ name: '', rate: '1' }, 'name'],
  [{ name: 'x', rate: '-1' }, 'rate'],
  [{ name: 'x', rate: '1000.0001' }, 'rate'],
  [{ name: 'x', rate: '-0.01', fixed: true }, 'rate'],
  [{ name: 'x', rate: '1', country: 'pt' }, 'country'],
  [{ name: 'x', rate: '1', country: 'XX' }, 'country'],
  [{ name: 'x', rate: '1', region: '14' }, 'region'],
  [{ name: 'x', rate: '1', country: 'PT', region: 'zz' }, 'region'],
  [{ name: 'x', rate: '1', categoryId: '1', shipping: true }, 'categoryId'],
])('%j is refused by its field', async (input, field) => {
  expect(await create(input)).toMatchObject({ __typename: 'ValidationError', errors: [{ field }] })
})

test('a region is returned by its code, however it was given; countries without a list of regions accept any', async () => {
  for (const region of ['14', 'PT_14', 'PT-11', 'LISBOA'])
    expect(await aTax({ name: 'x', rate: '1', country: 'PT', region })).toMatchObject({ region: '14' })
  expect(await aTax({ name: 'x', rate: '1', country: 'AW', region: 'Oranjestad' })).toMatchObject({ region: 'Oranjestad' })
  const { id } = await aTax({ name: 'x', rate: '1', country: 'PT', region: '14' })
  await stack.sql(`UPDATE tax SET region = 'zz' WHERE store_id = $1 AND id = (SELECT max(id) FROM tax)`, [shop.storeId])
  expect(await update(id, { name: 'y' })).toMatchObject({ tax: { name: 'y', region: 'zz' } })
  expect(await update(id, { country: 'ES' })).toMatchObject({ __typename: 'ValidationError', errors: [{ field: 'region' }] })
})

test('a fixed tax may be any sum of money', async () => {
  expect(await aTax({ name: 'Deposit', rate: 9_999_999_999.9999, fixed: true })).toMatchObject({ rate: '9999999999.9999' })
})

test('neither a category nor a tax of another store exists', async () => {
  const other = await stack.aStore({ name: 'Another shop' })
  const category = await aCategory('Theirs', other)
  expect(await create({ name: 'x', rate: '1', categoryId: category.id })).toEqual({
    __typename: 'NotFoundError',
    message: `There is no category with the id "${category.id}".`,
  })
  const { id } = await aTax({ name: 'Mine', rate: '1' })
  expect((await stack.ask(other, '{ taxes { id } }')).data.taxes).toEqual([])
  expect((await stack.ask(other, 'query ($id: ID!) { tax(id: $id) { id } }', { id })).data.tax).toBeNull()
  expect((await update(id, { name: 'Theirs' }, other)).__typename).toBe('NotFoundError')
  expect((await stack.ask(other, DELETE, { id })).data.deleteTax.__typename).toBe('NotFoundError')
})

test('absent keeps, null clears, and what every tax has cannot be cleared', async () => {
  const { id } = await aTax({ name: 'VAT', country: 'PT', region: '14', rate: '23' })
  expect(await update(id, { rate: '22', region: null })).toMatchObject({
    tax: { name: 'VAT', country: 'PT', region: null, rate: '22', version: 2 },
  })
  expect(await update(id, { name: null, shipping: null })).toMatchObject({
    __typename: 'ValidationError',
    errors: [{ field: 'name' }, { field: 'shipping' }],
  })
  expect(await update(id, { rate: '1', expectedVersion: 1 })).toMatchObject({ __typename: 'ConflictError', currentVersion: 2 })
})

test('a category that taxes are for stays until these are gone or for something else; they are named', async () => {
  const category = await aCategory('Staying')
  const deleted = async () => {
    const DELETE_CATEGORY = `mutation ($id: ID!) { deleteProductCategory(id: $id) { __typename
      ... on ValidationError { errors { field message } } } }`
    return (await stack.ask(shop, DELETE_CATEGORY, { id: category.id })).data.deleteProductCategory
  }
  const first = await aTax({ name: 'On wine', rate: '1', categoryId: category.id })
  const second = await aTax({ name: 'On beer', rate: '1', categoryId: category.id })
  expect(await deleted()).toEqual({
    __typename: 'ValidationError',
    errors: [
      {
        field: 'id',
        message: 'Expected "id" to be a category that no tax is for: change or delete "On wine", "On beer" first, got "Staying".',
      },
    ],
  })
  await stack.ask(shop, DELETE, { id: first.id })
  expect((await deleted()).__typename).toBe('ValidationError')
  expect(await update(second.id, { categoryId: null })).toMatchObject({ tax: { category: null } })
  expect((await deleted()).__typename).toBe('DeleteProductCategorySuccess')
})

test('a tax is deleted if it has the expected version', async () => {
  const { id, number } = await aTax({ name: 'Going', rate: '1' })
  expect((await stack.ask(shop, DELETE, { id, expectedVersion: 2 })).data.deleteTax).toMatchObject({ currentVersion: 1 })
  expect((await stack.ask(shop, DELETE, { id })).data.deleteTax).toEqual({ __typename: 'DeleteTaxSuccess', number })
  expect((await stack.ask(shop, DELETE, { id })).data.deleteTax.__typename).toBe('NotFoundError')
})

test('a store says once how prices and taxes belong together', async () => {
  const own = await stack.aStore({ name: 'Third shop' })
  const settings = async () =>
    (await stack.ask(own, '{ taxSettings { pricesIncludeTax taxedAddress version } }')).data.taxSettings
  const change = async (input: Record<string, unknown>) => (await stack.ask(own, SETTINGS, { input })).data.updateTaxSettings
  expect(await settings()).toEqual({ pricesIncludeTax: false, taxedAddress: 'SHIPPING', version: 1 })
  expect(await change({ pricesIncludeTax: true, expectedVersion: 1 })).toMatchObject({
    taxSettings: { pricesIncludeTax: true, taxedAddress: 'SHIPPING', version: 2 },
  })
  expect(await change({ taxedAddress: 'BILLING', expectedVersion: 1 })).toMatchObject({ currentVersion: 2 })
  expect(await change({ taxedAddress: null })).toMatchObject({ __typename: 'ValidationError', field: 'taxedAddress' })
  expect(await settings()).toEqual({ pricesIncludeTax: true, taxedAddress: 'SHIPPING', version: 2 })
})

test('a repetition with one key makes one tax', async () => {
  const input = { name: 'Once', rate: '1', idempotencyKey: 'tax-1' }
  const results = await Promise.all(Array.from({ length: 5 }, () => create(input)))
  expect(new Set(results.map(({ tax }) => tax.number)).size).toBe(1)
})
