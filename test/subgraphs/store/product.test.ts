import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { watchStatements } from './support/statements.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
beforeAll(async () => {
  stack = await startStore()
  shop = await stack.aStore()
})
afterAll(() => stack.close())

const PRODUCT = `id number name price compareAtPrice stock sku permalink status description version minimumQuantity
  categories { name } options { name optionType values { name custom } }
  variants { id number price stock sku version options { name value custom optionPosition valuePosition } }`
const FAILURES = `... on ValidationError { errors { field message } } ... on NotFoundError { message } ... on ConflictError { message currentVersion }`
const CREATE = `mutation ($input: CreateProductInput!) { createProduct(input: $input) {
  __typename ... on CreateProductSuccess { product { ${PRODUCT} } } ${FAILURES} } }`
const UPDATE = `mutation ($id: ID!, $input: UpdateProductInput!) { updateProduct(id: $id, input: $input) {
  __typename ... on UpdateProductSuccess { product { ${PRODUCT} } } ${FAILURES} } }`

const create = async (input: object, who = shop) => {
  const { data, errors } = await stack.ask(who, CREATE, { input })
  expect(errors).toBeUndefined()
  return data.createProduct
}
const aProduct = async (input: object = {}, who = shop) => {
  const result = await create({ name: 'Thing', price: '10', ...input }, who)
  expect(result).toMatchObject({ __typename: 'CreateProductSuccess' })
  return result.product
}
const update = async (id: string, input: object, who = shop) => (await stack.ask(who, UPDATE, { id, input })).data.updateProduct

describe('a product', () => {
  test('has the defaults of the contract, and says numbers exactly', async () => {
    const product = await aProduct({ name: 'Poço de Água', price: '1234567890.1234' })
    expect(product).toMatchObject({
      price: '1234567890.1234',
      stock: 100,
      status: 'AVAILABLE',
      permalink: 'poco-de-agua',
      variants: [],
      version: 1,
    })
  })

  test.each([
    [{ price: '-1' }, 'price'],
    [{ name: '' }, 'name'],
    [{ name: 'nul \0' }, 'name'],
    [{ stock: -1 }, 'stock'],
    [{ stock: 1_000_000_001 }, 'stock'],
    [{ price: '10', compareAtPrice: '10' }, 'compareAtPrice'],
    [{ price: '9.99', discount: '9.9901' }, 'discount'],
    [{ minimumQuantity: 0 }, 'minimumQuantity'],
    [{ minimumQuantity: 3, maximumQuantity: 2 }, 'maximumQuantity'],
    [{ description: 'x'.repeat(100_001) }, 'description'],
    [{ permalink: ' ' }, 'permalink'],
    [{ locale: 'xx' }, 'locale'],
    [{ variants: [{ price: '-1' }] }, 'variants.0.price'],
    [{ variants: [{ options: [{ name: 'Size', value: '' }] }] }, 'variants.0.options.0.value'],
    [{ variants: [{}, {}] }, 'variants.1.options'],
  ])('%j is refused by its field, and nothing of it is written', async (input, field) => {
    const before = await stack.sql('SELECT count(*) FROM product')
    expect(await create({ name: 'Wrong', price: '10', ...input })).toMatchObject({
      __typename: 'ValidationError',
      errors: [{ field }],
    })
    expect(await stack.sql('SELECT count(*) FROM product')).toEqual(before)
  })

  test.each(['1e400', '0.00001', '12345678901', 'abc', ''])('the price "%s" is no Decimal', async (price) => {
    const { errors } = await stack.ask(shop, CREATE, { input: { name: 'x', price } })
    expect(errors?.[0]?.message).toContain('input.price')
  })

  test('keeps fields that a change omits, clears those set to null, and changes once per version', async () => {
    const { id } = await aProduct({ sku: 'A-1', description: 'Old', compareAtPrice: '20', minimumQuantity: 2 })
    expect(await update(id, { price: '12.5' })).toMatchObject({
      product: { price: '12.5', sku: 'A-1', description: 'Old', compareAtPrice: '20', minimumQuantity: 2, version: 2 },
    })
    expect(await update(id, { sku: '', description: null, compareAtPrice: null, minimumQuantity: null })).toMatchObject({
      product: { sku: null, description: null, compareAtPrice: null, minimumQuantity: null, version: 3 },
    })
    expect(await update(id, { price: null })).toMatchObject({ errors: [{ field: 'price' }] })
    const results = await Promise.all(['1', '2'].map((price) => update(id, { price, expectedVersion: 3 })))
    expect(results.map(({ __typename }) => __typename).sort()).toEqual(['ConflictError', 'UpdateProductSuccess'])
  })

  test('is assigned to categories of its own store only', async () => {
    const other = await stack.aStore({ name: 'Other shop' })
    const CATEGORY =
      'mutation ($name: String!) { createProductCategory(input: { name: $name }) { ... on CreateProductCategorySuccess { productCategory { id number } } } }'
    const category = async (who: TestStore, name: string) =>
      (await stack.ask(who, CATEGORY, { name })).data.createProductCategory.productCategory
    const [own, theirs] = [await category(shop, 'Own'), await category(other, 'Theirs')]
    const product = await aProduct({ categoryIds: [own.id, String(own.number)] })
    expect(product.categories).toEqual([{ name: 'Own' }])
    expect(await create({ name: 'x', price: '1', categoryIds: [theirs.id] })).toMatchObject({ __typename: 'NotFoundError' })
    expect(await update(product.id, { categoryIds: [] })).toMatchObject({ product: { categories: [] } })
  })

  test('has texts in the languages of its store, and falls back to the first of them', async () => {
    const bilingual = await stack.aStore({ name: 'Bilingual' })
    await stack.ask(bilingual, 'mutation { updateStore(input: { languages: ["pt", "en"] }) { __typename } }')
    const { id } = await aProduct({ name: 'Cadeira', description: 'De madeira' }, bilingual)
    expect(await update(id, { name: 'Chair', locale: 'en' }, bilingual)).toMatchObject({
      product: { name: 'Chair', description: 'De madeira' },
    })
    const READ =
      'query ($id: ID!, $locale: String) { product(id: $id, locale: $locale) { name } products(locale: $locale) { nodes { name } } }'
    const read = async (locale: string | null) => (await stack.ask(bilingual, READ, { id, locale })).data
    expect(await read('en')).toEqual({ product: { name: 'Chair' }, products: { nodes: [{ name: 'Chair' }] } })
    expect(await read(null)).toEqual({ product: { name: 'Cadeira' }, products: { nodes: [{ name: 'Cadeira' }] } })
    const refused = await stack.ask(bilingual, READ, { id, locale: 'fr' })
    expect(refused.errors?.[0]?.message).toBe('Expected "locale" to be a language of the store (pt, en), got "fr".')
  })

  test('may have a permalink in each language, unique among the products', async () => {
    const bilingual = await stack.aStore({ name: 'Addresses' })
    await stack.ask(bilingual, 'mutation { updateStore(input: { languages: ["pt", "en"] }) { __typename } }')
    const READ = 'query ($id: ID!) { own: product(id: $id) { permalink } english: product(id: $id, locale: "en") { permalink } }'
    const addresses = async (id: string) => {
      const { own, english } = (await stack.ask(bilingual, READ, { id })).data
      return [own.permalink, english.permalink]
    }
    const chair = await aProduct({ name: 'Cadeira' }, bilingual)
    expect(await addresses(chair.id)).toEqual(['cadeira', 'cadeira'])
    expect(await update(chair.id, { permalink: 'Chair', locale: 'en' }, bilingual)).toMatchObject({
      product: { permalink: 'chair' },
    })
    await update(chair.id, { name: 'Stool', locale: 'en' }, bilingual)
    expect(await addresses(chair.id)).toEqual(['cadeira', 'chair'])

    const other = await aProduct({ name: 'Chair', permalink: 'chair', locale: 'en' }, bilingual)
    expect(await addresses(other.id)).toEqual(['chair', 'chair-1'])
    const stools = await Promise.all([chair, other].map(({ id }) => update(id, { permalink: 'stool', locale: 'en' }, bilingual)))
    expect(stools.map(({ product }) => product.permalink).sort()).toEqual(['stool', 'stool-1'])
    await update(chair.id, { permalink: null, locale: 'en' }, bilingual)
    expect(await addresses(chair.id)).toEqual(['cadeira', 'cadeira'])
  })

  test('is no other store’s: not by id, not to change, not to delete', async () => {
    const other = await stack.aStore({ name: 'Thief' })
    const { id } = await aProduct()
    expect((await stack.ask(other, 'query ($id: ID!) { product(id: $id) { name } }', { id })).data.product).toBeNull()
    expect((await update(id, { price: '0' }, other)).__typename).toBe('NotFoundError')
    const gone = await stack.ask(other, 'mutation ($id: ID!) { deleteProduct(id: $id) { __typename } }', { id })
    expect(gone.data.deleteProduct.__typename).toBe('NotFoundError')
  })
})

describe('variants', () => {
  const inColour = (size: string, colour: string, custom: string | null = null) => [
    { name: 'Size', value: size },
    { name: 'Colour', optionType: 'COLOR', value: colour, custom },
  ]

  test('are created with their product, with the named options and values', async () => {
    const product = await aProduct({
      variants: [
        { price: '11', sku: 'S-R', stock: 3, options: inColour('S', 'Red', '#f00') },
        { sku: 'L-R', options: inColour('L', 'Red') },
      ],
    })
    expect(product.options).toEqual([
      {
        name: 'Size',
        optionType: 'OPTION',
        values: [
          { name: 'S', custom: null },
          { name: 'L', custom: null },
        ],
      },
      { name: 'Colour', optionType: 'COLOR', values: [{ name: 'Red', custom: '#f00' }] },
    ])
    expect(product.variants).toMatchObject([
      {
        price: '11',
        stock: 3,
        sku: 'S-R',
        options: [
          { name: 'Size', value: 'S', optionPosition: 1, valuePosition: 1 },
          { name: 'Colour', value: 'Red', custom: '#f00' },
        ],
      },
      { price: '10', stock: 100, sku: 'L-R', options: [{ value: 'L', valuePosition: 2 }, { value: 'Red' }] },
    ])
  })

  test('of one product are unique, ignoring case, also with concurrent requests', async () => {
    const { id } = await aProduct({ variants: [{ options: [{ name: 'Size', value: 'S' }] }] })
    const ADD = `mutation ($input: CreateProductVariantInput!) { createProductVariant(input: $input) { __typename ${FAILURES} } }`
    const add = async (value: string) =>
      (await stack.ask(shop, ADD, { input: { productId: id, options: [{ name: 'size', value }] } })).data.createProductVariant
    expect(await add('s')).toMatchObject({ errors: [{ field: 'options' }] })
    const results = await Promise.all(Array.from({ length: 5 }, () => add('M')))
    expect(results.filter(({ __typename }) => __typename === 'CreateProductVariantSuccess')).toHaveLength(1)
  })

  test('are changed by id within their product, and the others stay', async () => {
    const product = await aProduct({
      variants: [
        { sku: 'a', options: [{ name: 'N', value: '1' }] },
        { sku: 'b', options: [{ name: 'N', value: '2' }] },
      ],
    })
    const [first] = product.variants
    const changed = await update(product.id, {
      variants: [{ id: first.id, price: '99' }, { options: [{ name: 'N', value: '3' }] }],
    })
    expect(changed.product.variants).toMatchObject([
      { price: '99', sku: 'a', version: 2 },
      { sku: 'b', version: 1 },
      { options: [{ value: '3' }] },
    ])
    const stranger = await aProduct({ variants: [{}] })
    expect(await update(product.id, { variants: [{ id: stranger.variants[0].id, price: '1' }] })).toMatchObject({
      __typename: 'NotFoundError',
    })
  })

  test('go with their value; an option whose loss would make two the same stays', async () => {
    const product = await aProduct({
      variants: [{ options: inColour('S', 'Red') }, { options: inColour('S', 'Blue') }, { options: inColour('L', 'Red') }],
    })
    const { data } = await stack.ask(
      shop,
      'query ($id: ID!) { product(id: $id) { options { id values { id name variants { number } } } } }',
      { id: product.id },
    )
    const [size, colour] = data.product.options
    expect(size.values.map((value: { variants: unknown[] }) => value.variants.length)).toEqual([2, 1])
    const DROP = `mutation ($id: ID!) { deleteProductOption(id: $id) { __typename ${FAILURES} } }`
    expect((await stack.ask(shop, DROP, { id: colour.id })).data.deleteProductOption).toMatchObject({
      __typename: 'ValidationError',
    })

    const blue = colour.values.find(({ name }: { name: string }) => name === 'Blue')
    await stack.ask(shop, 'mutation ($id: ID!) { deleteProductOptionValue(id: $id) { __typename } }', { id: blue.id })
    expect((await stack.ask(shop, DROP, { id: colour.id })).data.deleteProductOption.__typename).toBe(
      'DeleteProductOptionSuccess',
    )
    const left = await stack.ask(shop, 'query ($id: ID!) { product(id: $id) { variants { options { value } } } }', {
      id: product.id,
    })
    expect(left.data.product.variants).toEqual([{ options: [{ value: 'S' }] }, { options: [{ value: 'L' }] }])
  })
})

describe('options', () => {
  const ADD = `mutation ($input: CreateProductOptionInput!) { createProductOption(input: $input) { __typename ... on CreateProductOptionSuccess { productOption { id number position } } ${FAILURES} } }`
  const add = async (input: object) => (await stack.ask(shop, ADD, { input })).data.createProductOption

  test('are moved to a position, and the others shift', async () => {
    const { id } = await aProduct()
    await add({ productId: id, name: 'A' })
    await add({ productId: id, name: 'B' })
    await add({ productId: id, name: 'C', position: 1 })
    const READ = 'query ($id: ID!) { product(id: $id) { options { id name position } } }'
    const { data } = await stack.ask(shop, READ, { id })
    expect(data.product.options).toMatchObject([
      { name: 'C', position: 1 },
      { name: 'A', position: 2 },
      { name: 'B', position: 3 },
    ])
    const MOVE = `mutation ($id: ID!) { updateProductOption(id: $id, input: { position: 3 }) { __typename } }`
    await stack.ask(shop, MOVE, { id: data.product.options[0].id })
    expect((await stack.ask(shop, READ, { id })).data.product.options.map(({ name }: { name: string }) => name)).toEqual([
      'A',
      'B',
      'C',
    ])
  })

  test('have names of their own, and only a checklist has a price', async () => {
    const { id } = await aProduct()
    await add({ productId: id, name: 'Engraving', optionType: 'INPUT' })
    expect(await add({ productId: id, name: 'ENGRAVING' })).toMatchObject({ errors: [{ field: 'name' }] })
    expect(await add({ productId: id, name: 'x', optionType: 'INPUT', addonPrice: '1' })).toMatchObject({
      errors: [{ field: 'addonPrice' }],
    })
    expect(await add({ productId: id, name: 'x', optionType: 'CHECKLIST', addonPrice: '1' })).toMatchObject({
      __typename: 'CreateProductOptionSuccess',
    })
    expect(await add({ productId: '999999', name: 'x' })).toMatchObject({ __typename: 'NotFoundError' })
  })
})

describe('lists', () => {
  let lister: TestStore
  const LIST = `query ($first: Int, $after: String, $offset: Int, $filter: ProductFilter, $search: ProductSearch, $orderBy: ProductOrder) {
    products(first: $first, after: $after, offset: $offset, filter: $filter, search: $search, orderBy: $orderBy) {
      nodes { name } pageInfo { hasNextPage endCursor } totalCount } }`
  const list = async (variables: object) => (await stack.ask(lister, LIST, { ...variables })).data.products
  const names = async (variables: object) => (await list(variables)).nodes.map(({ name }: { name: string }) => name).join(' ')

  beforeAll(async () => {
    lister = await stack.aStore({ name: 'Lister' })
    await aProduct(
      { name: 'Café', price: '5', status: 'DISABLED', brand: '100%_Best', description: 'Ground, dark roast' },
      lister,
    )
    await aProduct({ name: 'Tea', price: '3', featured: true, sku: 'T-1' }, lister)
    await aProduct(
      { name: 'Mug', price: '8', variants: [{ sku: 'M-XL', options: [{ name: 'Tamanho', value: 'Gigante' }] }] },
      lister,
    )
  })

  test.each([
    [{ filter: { status: ['AVAILABLE'] } }, 'Tea Mug'],
    [{ filter: { status: [] } }, ''],
    [{ filter: { featured: true } }, 'Tea'],
    [{ filter: { priceMin: '4', priceMax: '5' } }, 'Café'],
    [{ filter: { sku: 'M-XL' } }, 'Mug'],
    [{ orderBy: 'ID_DESC' }, 'Mug Tea Café'],
    [{ search: { query: 'cafe' } }, 'Café'],
    [{ search: { query: 'CAFÉ dark' } }, 'Café'],
    [{ search: { query: 'CAFÉ tea' } }, ''],
    [{ search: { query: 'dark', fields: ['NAME'] } }, ''],
    [{ search: { query: 'dark cafe', fields: ['NAME', 'DESCRIPTION'] } }, 'Café'],
    [{ search: { query: 'dark cafe', fields: ['NAME', 'BRAND'] } }, ''],
    [{ search: { query: 'gigante' } }, 'Mug'],
    [{ search: { query: 'tamanho', fields: ['OPTION_NAME'] } }, 'Mug'],
    [{ search: { query: 'm-x', fields: ['SKU'] } }, 'Mug'],
    [{ search: { query: '%' } }, 'Café'],
    [{ search: { query: '0%_b' } }, 'Café'],
    [{ search: { query: 'a_e' } }, ''],
  ])('%j finds "%s"', async (variables, expected) => {
    expect(await names(variables)).toBe(expected)
  })

  test('are found by fields that a change left unchanged', async () => {
    const row = () => stack.sql(`SELECT xmin::text FROM product_search WHERE store_id = $1 ORDER BY product_id`, [lister.storeId])
    const [before, [tea]] = [
      await row(),
      await stack.sql(`SELECT id FROM product WHERE sku = 'T-1' AND store_id = $1`, [lister.storeId]),
    ]
    const change = (input: object) => update(String(tea?.id), input, lister)
    await change({ price: '4' })
    expect(await row()).toEqual(before)
    await change({ brand: 'Camellia' })
    expect(await row()).not.toEqual(before)
    expect(await names({ search: { query: 'camellia' } })).toBe('Tea')
  })

  test('are paginated by cursors while others are added and deleted', async () => {
    const walker = await stack.aStore({ name: 'Walker' })
    for (const name of ['a', 'b', 'c', 'd']) await aProduct({ name }, walker)
    const page = async (variables: object) => (await stack.ask(walker, LIST, { ...variables })).data.products
    const first = await page({ first: 2 })
    await stack.sql(`DELETE FROM product WHERE name = 'a' AND store_id = ${walker.storeId}`)
    await aProduct({ name: 'e' }, walker)
    const second = await page({ first: 2, after: first.pageInfo.endCursor })
    expect(second.nodes).toEqual([{ name: 'c' }, { name: 'd' }])
    expect([second.totalCount, second.pageInfo.hasNextPage]).toEqual([4, true])
  })

  test('take the same number of statements, whatever their size', async () => {
    const reader = await stack.aStore({ name: 'Reader' })
    for (let index = 0; index < 8; index += 1) {
      await aProduct({ variants: [{ options: [{ name: 'N', value: '1' }] }, { options: [{ name: 'N', value: '2' }] }] }, reader)
    }
    const queries = watchStatements()
    const statements = async (first: number) => {
      const before = queries.texts().length
      const operation = `{ products(first: ${first}) { nodes { ${PRODUCT} } totalCount } }`
      const { data } = await stack.ask(reader, operation)
      return { rows: data.products.nodes.length, statements: queries.texts().length - before }
    }
    try {
      const small = await statements(2)
      expect(small.rows).toBe(2)
      expect(await statements(8)).toEqual({ rows: 8, statements: small.statements })
    } finally {
      queries.stop()
    }
  })
})
