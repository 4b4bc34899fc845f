import { afterAll, beforeAll, expect, test } from 'vitest'
import { watchStatements } from './support/statements.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

const NOON = new Date('2026-11-20T12:00:00Z')
let at = NOON
let stack: StoreStack
let shop: TestStore
beforeAll(async () => {
  stack = await startStore(() => at)
  shop = await stack.aStore()
})
afterAll(() => stack.close())

const FAILURES = `... on ValidationError { errors { field message } } ... on NotFoundError { message }
  ... on ConflictError { message currentVersion }`
const FIELDS = `id number name status enabled discountTarget buysAtLeast conditionPrice conditionQty quantityX type discountAmountFix
  discountAmountPercent lasts beginsAt expiresAt timesUsed maxTimesUsed cumulative customers customerCategories { number }
  categories { name } categoriesX { name } products { name } productsX { name } coupons { number code usageLimit timesUsed }
  countries regions municipalities version`
const CREATE = `mutation ($input: CreatePromotionInput!) { createPromotion(input: $input) { __typename
  ... on CreatePromotionSuccess { promotion { ${FIELDS} } } ${FAILURES} } }`
const UPDATE = `mutation ($id: ID!, $input: UpdatePromotionInput!) { updatePromotion(id: $id, input: $input) { __typename
  ... on UpdatePromotionSuccess { promotion { ${FIELDS} } } ${FAILURES} } }`
const DELETE = 'mutation ($id: ID!) { deletePromotion(id: $id) { __typename } }'

const create = async (input: Record<string, unknown>, who = shop) => {
  const { data, errors } = await stack.ask(who, CREATE, { input })
  expect(errors).toBeUndefined()
  return data.createPromotion
}
const update = async (id: string, input: Record<string, unknown>, who = shop) =>
  (await stack.ask(who, UPDATE, { id, input })).data.updatePromotion

async function aPromotion(input: Record<string, unknown>, who = shop) {
  const result = await create({ name: 'A promotion', discountAmountPercent: 10, ...input }, who)
  expect(result).toMatchObject({ __typename: 'CreatePromotionSuccess' })
  return result.promotion
}

async function aProduct(name: string, who = shop) {
  const { data } = await stack.ask(
    who,
    'mutation ($input: CreateProductInput!) { createProduct(input: $input) { ... on CreateProductSuccess { product { id number } } } }',
    { input: { name, price: '10' } },
  )
  return data.createProduct.product
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

test('a promotion of the order needs a name and an amount; the amount says which type it is', async () => {
  expect(await aPromotion({})).toMatchObject({
    status: 'ACTIVE',
    enabled: true,
    discountTarget: 'ORDER',
    buysAtLeast: 'NONE',
    type: 'PERCENTAGE',
    discountAmountPercent: '10',
    discountAmountFix: null,
    lasts: 'NONE',
    timesUsed: 0,
    cumulative: false,
    customers: 'ALL',
    coupons: [],
  })
  expect(await aPromotion({ discountAmountPercent: null, discountAmountFix: 2.5 })).toMatchObject({
    type: 'FIX',
    discountAmountFix: '2.5',
  })
})

test('X and Y are products and categories of the store', async () => {
  const [wine, cheese] = [await aCategory('Wine'), await aCategory('Cheese')]
  const [board, knife] = [await aProduct('Board'), await aProduct('Knife')]
  const promotion = await aPromotion({
    discountTarget: 'BUY_X_GET_Y',
    quantityX: 3,
    categoryIdsX: [wine.id],
    productIdsX: [board.id],
    categoryIds: [String(cheese.number), cheese.id],
    productIds: [knife.id],
  })
  expect(promotion).toMatchObject({
    quantityX: 3,
    categoriesX: [{ name: 'Wine' }],
    productsX: [{ name: 'Board' }],
    categories: [{ name: 'Cheese' }],
    products: [{ name: 'Knife' }],
  })
  await stack.ask(shop, 'mutation ($id: ID!) { deleteProduct(id: $id) { __typename } }', { id: knife.id })
  const { data } = await stack.ask(shop, 'query ($id: ID!) { promotion(id: $id) { products { name } version } }', promotion)
  expect(data.promotion).toEqual({ products: [], version: 1 })
})

test('what does not belong to a promotion is not kept, as callers repeat old fields', async () => {
  const wine = await aCategory('Old wine')
  expect(
    await aPromotion({
      type: 'PERCENTAGE',
      discountAmountFix: 0,
      conditionPrice: 100,
      conditionQty: 0,
      quantityX: 0,
      beginsAt: '2026-01-01T00:00:00Z',
      maxTimesUsed: 0,
      categoryIds: [wine.id],
      countries: ['PT'],
    }),
  ).toMatchObject({
    conditionPrice: null,
    conditionQty: null,
    quantityX: null,
    discountAmountFix: null,
    beginsAt: null,
    maxTimesUsed: null,
    categories: [],
    countries: [],
  })
})

const PERCENT = { name: 'x', discountAmountPercent: '10' }
test.each([
  [{ ...PERCENT, name: '' }, 'name'],
  [{ name: 'x' }, 'discountAmountPercent'],
  [{ name: 'x', type: 'FIX', discountAmountPercent: '10' }, 'discountAmountFix'],
  [{ name: 'x', discountAmountFix: '0' }, 'discountAmountFix'],
  [{ name: 'x', discountAmountPercent: '0' }, 'discountAmountPercent'],
  [{ name: 'x', discountAmountPercent: '100.0001' }, 'discountAmountPercent'],
  [{ ...PERCENT, buysAtLeast: 'PRICE' }, 'conditionPrice'],
  [{ ...PERCENT, buysAtLeast: 'PRICE', conditionPrice: '-1' }, 'conditionPrice'],
  [{ ...PERCENT, buysAtLeast: 'SINGLE_ITEM', conditionQty: 0 }, 'conditionQty'],
  [{ ...PERCENT, discountTarget: 'CATEGORIES' }, 'categoryIds'],
  [{ ...PERCENT, discountTarget: 'BUY_X_GET_Y', productIds: ['1'] }, 'categoryIdsX'],
  [{ ...PERCENT, discountTarget: 'BUY_X_GET_Y', productIds: ['1'], productIdsX: ['1'], quantityX: -1 }, 'quantityX'],
  [{ ...PERCENT, lasts: 'DATE' }, 'expiresAt'],
  [{ ...PERCENT, lasts: 'DATE', beginsAt: '2026-01-02T00:00:00Z', expiresAt: '2026-01-02T00:00:00Z' }, 'expiresAt'],
  [{ ...PERCENT, lasts: 'BOTH', beginsAt: '2026-01-02T00:00:00Z' }, 'maxTimesUsed'],
  [{ ...PERCENT, customers: 'CATEGORIES' }, 'customerCategoryIds'],
  [{ ...PERCENT, discountTarget: 'SHIPPING', countries: ['PT', 'Portugal'] }, 'countries.1'],
  [{ ...PERCENT, discountTarget: 'SHIPPING', regions: ['PT'] }, 'regions.0'],
  [{ ...PERCENT, discountTarget: 'SHIPPING', regions: ['ZZ_03'] }, 'regions.0'],
  [{ ...PERCENT, discountTarget: 'SHIPPING', municipalities: ['CL_03'] }, 'municipalities.0'],
  [{ ...PERCENT, coupons: [{ code: '' }] }, 'coupons.0.code'],
  [{ ...PERCENT, coupons: [{ code: ' A' }] }, 'coupons.0.code'],
  [{ ...PERCENT, coupons: [{ code: 'nul \0' }] }, 'coupons.0.code'],
  [{ ...PERCENT, coupons: [{ code: 'a' }, { code: 'A' }] }, 'coupons.1.code'],
  [{ ...PERCENT, coupons: [{ code: 'a', usageLimit: -1 }] }, 'coupons.0.usageLimit'],
  [{ ...PERCENT, coupons: Array.from({ length: 1_001 }, (_, n) => ({ code: `c${n}` })) }, 'coupons'],
])('%j is refused by its field', async (input, field) => {
  expect(await create(input)).toMatchObject({ __typename: 'ValidationError', errors: [{ field }] })
})

test.each([
  [{ discountTarget: 'CATEGORIES', categoryIds: ['2147483647'] }, 'There is no category with the id "2147483647".'],
  [
    { discountTarget: 'CATEGORIES', productIds: ['99999999999999999999'] },
    'There is no product with the id "99999999999999999999".',
  ],
  [{ customers: 'CATEGORIES', customerCategoryIds: ['x'] }, 'There is no customer category with the id "x".'],
])('%j refers to nothing', async (input, message) => {
  expect(await create({ ...PERCENT, ...input })).toEqual({ __typename: 'NotFoundError', message })
})

test('promotions, their products and codes are separate per store', async () => {
  const other = await stack.aStore({ name: 'Another shop' })
  const product = await aProduct('Theirs', other)
  expect((await create({ ...PERCENT, discountTarget: 'CATEGORIES', productIds: [product.id] })).__typename).toBe('NotFoundError')
  const { id } = await aPromotion({ coupons: [{ code: 'SHARED' }] })
  expect((await update(id, { name: 'Theirs' }, other)).__typename).toBe('NotFoundError')
  expect((await stack.ask(other, DELETE, { id })).data.deletePromotion.__typename).toBe('NotFoundError')
  expect(await aPromotion({ coupons: [{ code: 'shared' }] }, other)).toMatchObject({ coupons: [{ code: 'shared' }] })
  expect((await stack.ask(other, '{ promotions { totalCount nodes { coupons { code } } } }')).data.promotions).toEqual({
    totalCount: 1,
    nodes: [{ coupons: [{ code: 'shared' }] }],
  })
})

test('a code belongs to one promotion, whatever its case, also when two ask for it at once', async () => {
  await aPromotion({ coupons: [{ code: 'Summer-26' }] })
  expect(await create({ ...PERCENT, coupons: [{ code: 'FREE' }, { code: 'SUMMER-26' }] })).toMatchObject({
    __typename: 'ValidationError',
    errors: [{ field: 'coupons.1.code', message: expect.stringContaining('that no other promotion of the store has') }],
  })
  // Nothing was half written.
  expect(await aPromotion({ coupons: [{ code: 'FREE' }] })).toMatchObject({ coupons: [{ code: 'FREE' }] })

  const results = await Promise.all(
    Array.from({ length: 4 }, (_, n) => create({ ...PERCENT, coupons: [{ code: n % 2 === 0 ? 'RACE' : 'race' }] })),
  )
  expect(results.map(({ __typename }) => __typename).sort()).toEqual(
    ['CreatePromotionSuccess', 'ValidationError', 'ValidationError', 'ValidationError'].sort(),
  )
})

test('coupons that stay keep their ids and uses, others go; none can be used less often than it was', async () => {
  const { id, coupons } = await aPromotion({ coupons: [{ code: 'one', usageLimit: 5 }, { code: 'two' }] })
  await stack.sql('UPDATE coupon SET times_used = 3 WHERE id = $1', [coupons[0].number])
  expect(await update(id, { coupons: [{ code: 'three' }, { code: 'ONE', usageLimit: 3 }] })).toMatchObject({
    promotion: {
      coupons: [
        { number: coupons[0].number, code: 'ONE', usageLimit: 3, timesUsed: 3 },
        { code: 'three', usageLimit: 0, timesUsed: 0 },
      ],
    },
  })
  expect(await update(id, { coupons: [{ code: 'one', usageLimit: 2 }] })).toMatchObject({
    __typename: 'ValidationError',
    errors: [{ field: 'coupons.0.usageLimit' }],
  })
  expect(await update(id, { name: 'Same coupons' })).toMatchObject({
    promotion: { coupons: [{ code: 'ONE' }, { code: 'three' }] },
  })
  expect(await update(id, { coupons: null })).toMatchObject({ promotion: { coupons: [] } })
})

test('absent keeps; another condition forgets what belonged to the old one', async () => {
  const { id } = await aPromotion({
    buysAtLeast: 'PRICE',
    conditionPrice: '50',
    lasts: 'DATE',
    expiresAt: '2027-01-01T00:00:00Z',
  })
  expect(await update(id, { name: 'Renamed' })).toMatchObject({
    promotion: { name: 'Renamed', conditionPrice: '50', expiresAt: '2027-01-01T00:00:00.000Z', version: 2 },
  })
  expect(await update(id, { buysAtLeast: 'QTY', conditionQty: 2 })).toMatchObject({
    promotion: { conditionPrice: null, conditionQty: 2 },
  })
  expect(await update(id, { discountAmountFix: '5' })).toMatchObject({
    promotion: { type: 'FIX', discountAmountFix: '5', discountAmountPercent: null },
  })
  expect(await update(id, { lasts: 'NONE' })).toMatchObject({ promotion: { expiresAt: null, version: 5 } })
  expect(await update(id, { customers: null, enabled: null })).toMatchObject({
    __typename: 'ValidationError',
    errors: [{ field: 'enabled' }, { field: 'customers' }],
  })
  expect(await update(id, { name: 'x', expectedVersion: 1 })).toMatchObject({ __typename: 'ConflictError', currentVersion: 5 })
})

test('a promotion can be changed when all that it was for has been deleted, except to be for nothing', async () => {
  const category = await aCategory('Going')
  const regulars = await stack.ask(
    shop,
    `mutation { createCustomerCategory(input: { name: "Going" }) {
      ... on CreateCustomerCategorySuccess { customerCategory { id } } } }`,
  )
  const customers = regulars.data.createCustomerCategory.customerCategory.id
  const ofCategory = await aPromotion({ discountTarget: 'CATEGORIES', categoryIds: [category.id] })
  const ofCustomers = await aPromotion({ customers: 'CATEGORIES', customerCategoryIds: [customers] })
  await stack.ask(shop, 'mutation ($id: ID!) { deleteProductCategory(id: $id) { __typename } }', { id: category.id })
  await stack.ask(shop, 'mutation ($id: ID!) { deleteCustomerCategory(id: $id) { __typename } }', { id: customers })

  expect(await update(ofCategory.id, { enabled: false })).toMatchObject({ promotion: { enabled: false, categories: [] } })
  expect(await update(ofCustomers.id, { enabled: false })).toMatchObject({
    promotion: { enabled: false, customerCategories: [] },
  })
  for (const [id, input, field] of [
    [ofCategory.id, { discountTarget: 'CATEGORIES' }, 'categoryIds'],
    [ofCategory.id, { productIds: [] }, 'categoryIds'],
    [ofCustomers.id, { customers: 'CATEGORIES' }, 'customerCategoryIds'],
    [ofCustomers.id, { customerCategoryIds: [] }, 'customerCategoryIds'],
  ] as const) {
    expect(await update(id, input)).toMatchObject({ __typename: 'ValidationError', errors: [{ field }] })
  }
})

test('a promotion expires by itself', async () => {
  const { id } = await aPromotion({ lasts: 'DATE', expiresAt: '2026-11-20T13:00:00Z' })
  const status = async () => (await stack.ask(shop, 'query ($id: ID!) { promotion(id: $id) { status } }', { id })).data.promotion
  expect(await status()).toEqual({ status: 'ACTIVE' })
  at = new Date('2026-11-20T13:00:00Z')
  expect(await status()).toEqual({ status: 'EXPIRED' })
  at = NOON
})

test('pages are read by cursor or offset, all or only those that are on', async () => {
  const own = await stack.aStore({ name: 'Third shop' })
  for (const [name, enabled] of [
    ['a', true],
    ['b', false],
    ['c', true],
  ] as const)
    await aPromotion({ name, enabled }, own)
  const page = async (args: string) =>
    (await stack.ask(own, `{ promotions(${args}) { nodes { name } pageInfo { endCursor hasNextPage } totalCount } }`)).data
      .promotions
  const first = await page('first: 2')
  expect(first).toMatchObject({ nodes: [{ name: 'a' }, { name: 'b' }], pageInfo: { hasNextPage: true }, totalCount: 3 })
  expect((await page(`first: 2, after: "${first.pageInfo.endCursor}"`)).nodes).toEqual([{ name: 'c' }])
  expect((await page('first: 2, offset: 2')).nodes).toEqual([{ name: 'c' }])
  expect(await page('enabled: true')).toMatchObject({ nodes: [{ name: 'a' }, { name: 'c' }], totalCount: 2 })
  expect((await page('enabled: false')).nodes).toEqual([{ name: 'b' }])
})

test('a page of promotions with all that they refer to takes the same number of statements whatever its size', async () => {
  const reader = await stack.aStore({ name: 'Reader' })
  const [category, product] = [await aCategory('Wine', reader), await aProduct('Cork', reader)]
  for (let index = 0; index < 8; index += 1) {
    const members = { discountTarget: 'CATEGORIES', categoryIds: [category.id], productIds: [product.id] }
    await aPromotion({ ...members, coupons: [{ code: `c${index}` }] }, reader)
  }
  const queries = watchStatements()
  const statements = async (first: number) => {
    const before = queries.texts().length
    const { data } = await stack.ask(reader, `{ promotions(first: ${first}) { nodes { ${FIELDS} } totalCount } }`)
    return { rows: data.promotions.nodes.length, statements: queries.texts().length - before }
  }
  try {
    const small = await statements(2)
    expect(small.rows).toBe(2)
    expect(await statements(8)).toEqual({ rows: 8, statements: small.statements })
  } finally {
    queries.stop()
  }
})
