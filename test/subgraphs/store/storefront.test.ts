import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ANONYMOUS, type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
beforeAll(async () => {
  stack = await startStore()
  shop = await stack.aStore({ name: 'Pottery' })
})
afterAll(() => stack.close())

const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const run = async (query: string, variables: object = {}, who = shop) => {
  const { data, errors } = await stack.ask(who, query, variables as Record<string, unknown>)
  expect(errors).toBeUndefined()
  return data
}
const aCategory = async (input: object, who = shop): Promise<string> =>
  (
    await run(
      'mutation ($input: CreateProductCategoryInput!) { made: createProductCategory(input: $input) { ... on CreateProductCategorySuccess { productCategory { id } } } }',
      { input },
      who,
    )
  ).made.productCategory.id
const aProduct = async (input: object, who = shop): Promise<string> =>
  (
    await run(
      'mutation ($input: CreateProductInput!) { made: createProduct(input: $input) { ... on CreateProductSuccess { product { id } } } }',
      { input: { price: '10', stock: 5, ...input } },
      who,
    )
  ).made.product.id
const aTax = (input: object, who: TestStore) =>
  run('mutation ($input: CreateTaxInput!) { createTax(input: $input) { __typename } }', { input }, who)

/** What an anonymous shopper reads of a shop. */
const shopper = async (fields: string, { code } = shop, language?: string) => {
  const { data, errors } = await stack.ask(
    ANONYMOUS,
    `query ($store: String!, $language: String) { storefront(store: $store, language: $language) { ${fields} } }`,
    { store: code, ...(language !== undefined && { language }) },
  )
  return { storefront: data?.storefront, errors }
}
const names = async (args: string, of = shop): Promise<string[]> => {
  const { storefront, errors } = await shopper(`products${args} { nodes { name } }`, of)
  expect(errors).toBeUndefined()
  return storefront.products.nodes.map(({ name }: { name: string }) => name)
}

describe('a catalogue', () => {
  let filled: TestStore
  beforeAll(async () => {
    filled = await stack.aStore({ name: 'Filled shop' })
    const kitchen = await aCategory({ name: 'Kitchen' }, filled)
    const cups = await aCategory({ name: 'Cups', parentId: kitchen }, filled)
    await aProduct({ name: 'Blue mug', brand: 'Clayworks', price: '12', discount: '2', categoryIds: [cups] }, filled)
    await aProduct({ name: 'Plate', brand: 'Stoneware', price: '8', stock: 0, categoryIds: [kitchen] }, filled)
    await aProduct({ name: 'Mug', brand: 'Clayworks', price: '30', categoryIds: [cups], featured: true }, filled)
    await aProduct(
      {
        name: 'Linen shirt',
        price: '20',
        variants: [
          { price: '20', stock: 0, options: [{ name: 'Size', value: 'S' }] },
          { price: '25', stock: 2, options: [{ name: 'Size', value: 'M' }] },
        ],
      },
      filled,
    )
    await aProduct({ name: 'Retired mug', status: 'NOT_AVAILABLE', price: '5' }, filled)
    await aProduct({ name: 'Sesquipedalian mug', status: 'DISABLED', price: '5' }, filled)
  })

  test.each([
    ['(sort: NEWEST)', ['Retired mug', 'Linen shirt', 'Mug', 'Plate', 'Blue mug']],
    ['(sort: PRICE_ASC)', ['Retired mug', 'Plate', 'Blue mug', 'Linen shirt', 'Mug']],
    ['(sort: PRICE_DESC, first: 2)', ['Mug', 'Linen shirt']],
    ['(sort: NAME)', ['Blue mug', 'Linen shirt', 'Mug', 'Plate', 'Retired mug']],
    ['(query: "mug")', ['Mug', 'Retired mug', 'Blue mug']],
    ['(query: "MÚG blue")', ['Blue mug']],
    ['(filter: {collection: "kitchen"})', ['Mug', 'Plate', 'Blue mug']],
    ['(filter: {collection: "cups", brands: ["Clayworks"], priceMax: "15"})', ['Blue mug']],
    ['(filter: {available: true})', ['Linen shirt', 'Mug', 'Blue mug']],
    ['(filter: {options: [{name: "size", values: ["m", "XL"]}]})', ['Linen shirt']],
    ['(filter: {priceMin: "9.99", priceMax: "20"}, sort: PRICE_ASC)', ['Blue mug', 'Linen shirt']],
    ['(filter: {featured: true})', ['Mug']],
    ['(filter: {ratingMin: 1})', []],
    ['(filter: {collection: "nothing"})', []],
  ])('is listed by %s', async (args, expected) => expect(await names(args, filled)).toEqual(expected))

  test.each(['NEWEST', 'PRICE_ASC', 'PRICE_DESC', 'NAME', 'RELEVANCE'])(
    'is read page by page without gaps or repetitions by %s, also of a search',
    async (sort) => {
      for (const query of ['', ', query: "mug"']) {
        const seen: string[] = []
        for (let after: string | null = null; ; ) {
          const args: string = `(first: 1, sort: ${sort}${query}${after === null ? '' : `, after: "${after}"`})`
          const { storefront, errors } = await shopper(
            `products${args} { nodes { name } pageInfo { hasNextPage endCursor } }`,
            filled,
          )
          expect(errors).toBeUndefined()
          seen.push(storefront.products.nodes[0].name)
          if (!storefront.products.pageInfo.hasNextPage) break
          after = storefront.products.pageInfo.endCursor
        }
        expect(seen).toEqual(await names(`(sort: ${sort}${query})`, filled))
      }
    },
  )

  test('a misspelt word stands for the nearest one that products have, and the shopper reads which', async () => {
    const { storefront } = await shopper('products(query: "lienn shrit") { searchedFor totalCount nodes { name } }', filled)
    expect(storefront.products).toEqual({ searchedFor: 'linen shirt', totalCount: 1, nodes: [{ name: 'Linen shirt' }] })
    expect((await shopper('products(query: "linen") { searchedFor }', filled)).storefront.products.searchedFor).toBeNull()
  })

  test('a word of a hidden product corrects nothing', async () => {
    const { storefront } = await shopper('products(query: "sesquipedaliam") { searchedFor totalCount }', filled)
    expect(storefront.products).toEqual({ searchedFor: null, totalCount: 0 })
  })

  test('facets count what a list has', async () => {
    const { storefront, errors } = await shopper(
      'products { facets { collections { value label count } brands { value count } options { name values { value count } } priceMin priceMax availableCount ratings { value } } }',
      filled,
    )
    expect(errors).toBeUndefined()
    expect(storefront.products.facets).toEqual({
      collections: [
        { value: 'cups', label: 'Cups', count: 2 },
        { value: 'kitchen', label: 'Kitchen', count: 1 },
      ],
      brands: [
        { value: 'Clayworks', count: 2 },
        { value: 'Stoneware', count: 1 },
      ],
      options: [
        {
          name: 'Size',
          values: [
            { value: 'M', count: 1 },
            { value: 'S', count: 1 },
          ],
        },
      ],
      priceMin: '5',
      priceMax: '30',
      availableCount: 3,
      ratings: [],
    })
  })

  test('a product has prices, availability, options, variants and related ones', async () => {
    const { storefront } = await shopper(
      `shirt: product(permalink: "linen-shirt") { name price { amount withoutTax compareAt } maximumPrice { amount } availability
         options { name values { name } } variants { availability price { amount } options { name value } } seo { title description } }
       mug: product(permalink: "blue-mug") { url price { amount compareAt } availability collections { name parent { name children { name } } } related { name } }
       retired: product(permalink: "retired-mug") { availability }
       hidden: product(permalink: "sesquipedalian-mug") { name }`,
      filled,
    )
    expect(storefront.shirt).toEqual({
      name: 'Linen shirt',
      price: { amount: '20', withoutTax: '20', compareAt: null },
      maximumPrice: { amount: '25' },
      availability: 'IN_STOCK',
      options: [{ name: 'Size', values: [{ name: 'S' }, { name: 'M' }] }],
      variants: [
        { availability: 'OUT_OF_STOCK', price: { amount: '20' }, options: [{ name: 'Size', value: 'S' }] },
        { availability: 'IN_STOCK', price: { amount: '25' }, options: [{ name: 'Size', value: 'M' }] },
      ],
      seo: { title: 'Linen shirt', description: null },
    })
    expect(storefront.mug).toEqual({
      url: 'https://atrium.example/shops/filled-shop/products/blue-mug',
      price: { amount: '10', compareAt: '12' },
      availability: 'IN_STOCK',
      collections: [{ name: 'Cups', parent: { name: 'Kitchen', children: [{ name: 'Cups' }] } }],
      related: [{ name: 'Mug' }],
    })
    expect(storefront.retired).toEqual({ availability: 'NOT_FOR_SALE' })
    expect(storefront.hidden).toBeNull()
  })

  test.each([
    ['first', '(first: 51)'],
    ['first', '(first: 0)'],
    ['after', '(after: "nonsense")'],
    ['after', `(sort: PRICE_ASC, after: "${Buffer.from('["storefront PRICE_ASC","1e9",1]').toString('base64url')}")`],
    ['after', `(after: "${Buffer.from('["storefront NEWEST","99999999999",1]').toString('base64url')}")`],
    ['after', `(sort: PRICE_ASC, after: "${Buffer.from('["storefront NAME","a",1]').toString('base64url')}")`],
    ['query', `(query: "${'x'.repeat(201)}")`],
    ['filter.brands', `(filter: {brands: [${'"a",'.repeat(21)}]})`],
    ['filter.ratingMin', '(filter: {ratingMin: 6})'],
    ['filter.options.0.values', '(filter: {options: [{name: "size", values: []}]})'],
    ['filter.collection', '(filter: {collection: ""})'],
  ])('a wrong %s is a bad input by name: %.60s', async (argument, args) => {
    const { errors } = await shopper(`products${args} { totalCount }`, filled)
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument })
  })
})

test('shown prices include the taxes of the country of the shop, whichever kind merchants enter', async () => {
  const prices = async (of: TestStore) =>
    (await shopper('product(permalink: "cup") { price { amount withoutTax } }', of)).storefront
  const net = await stack.aStore({ name: 'Net prices' })
  await aProduct({ name: 'Cup' }, net)
  await aTax({ name: 'VAT', country: 'PT', rate: '23' }, net)
  await aTax({ name: 'Elsewhere', country: 'DE', rate: '19' }, net)
  expect(await prices(net)).toEqual({ product: { price: { amount: '12.3', withoutTax: '10' } } })
  const gross = await stack.aStore({ name: 'Gross prices' })
  await aProduct({ name: 'Cup', price: '12.30' }, gross)
  await aTax({ name: 'VAT', country: 'PT', rate: '23' }, gross)
  await run('mutation { updateTaxSettings(input: {pricesIncludeTax: true}) { __typename } }', {}, gross)
  expect(await prices(gross)).toEqual({ product: { price: { amount: '12.3', withoutTax: '10' } } })
})

test('texts are in the requested language where the merchant wrote them', async () => {
  const own = await stack.aStore({ name: 'Two tongues' })
  await run('mutation { updateStore(input: {languages: ["pt", "en"]}) { __typename } }', {}, own)
  const id = await aProduct({ name: 'Caneca', description: 'Azul' }, own)
  await run(
    'mutation ($id: ID!) { updateProduct(id: $id, input: {locale: "en", name: "Mug", permalink: "mug"}) { __typename ... on ValidationError { message } } }',
    { id },
    own,
  )
  const FIELDS = 'languages product(permalink: "mug") { name description permalink }'
  expect((await shopper(FIELDS, own, 'en')).storefront).toEqual({
    languages: ['pt', 'en'],
    product: { name: 'Mug', description: 'Azul', permalink: 'mug' },
  })
  expect((await shopper(FIELDS, own)).storefront.product).toEqual({ name: 'Caneca', description: 'Azul', permalink: 'caneca' })
  expect((await shopper(FIELDS, own, 'de')).errors?.[0]?.extensions).toMatchObject({ argument: 'language' })
})

test('published reviews count, and only those', async () => {
  const id = await aProduct({ name: 'Reviewed' })
  const row = (await run('query ($id: ID!) { product(id: $id) { number } }', { id })).product.number
  const review = (rating: number, status: string) =>
    stack.sql(
      `INSERT INTO product_review (store_id, product_id, product_name, customer_email, status, rating, review, created_at)
       VALUES ($1, $2, 'Reviewed', 'private@example.org', $3, $4, $5, now())`,
      [shop.storeId, row, status, rating, `${status} ${rating}`],
    )
  const RATING = 'product(permalink: "reviewed") { rating { average count } reviews { rating text verified } }'
  await review(5, 'PUBLISHED')
  await review(4, 'PUBLISHED')
  await review(1, 'UNREAD')
  expect((await shopper(RATING)).storefront.product).toEqual({
    rating: { average: 4.5, count: 2 },
    reviews: [
      { rating: 4, text: 'PUBLISHED 4', verified: false },
      { rating: 5, text: 'PUBLISHED 5', verified: false },
    ],
  })
  expect(await names('(filter: {ratingMin: 4})')).toEqual(['Reviewed'])
  expect(await names('(filter: {ratingMin: 5})')).toEqual([])
  await stack.sql("UPDATE product_review SET status = 'UNPUBLISHED' WHERE product_id = $1 AND rating = 4", [row])
  expect((await shopper(RATING)).storefront.product.rating).toEqual({ average: 5, count: 1 })
  await stack.sql('DELETE FROM product_review WHERE product_id = $1', [row])
  expect((await shopper(RATING)).storefront.product.rating).toEqual({ average: null, count: 0 })
})

test('nothing that is not published can be read through any field', async () => {
  const own = await stack.aStore({ name: 'Secretive shop' })
  const category = await aCategory({ name: 'All' }, own)
  await aProduct({ name: 'SECRET hidden', status: 'DISABLED', brand: 'SECRET brand', categoryIds: [category] }, own)
  const shown = await aProduct(
    {
      ...{ name: 'Shown', costPerItem: '7.7777', stock: 31_337, stockThreshold: 31_338, categoryIds: [category] },
      // Printed on the product, and read by search engines.
      ...{ barcode: '4006381333931', googleProductCategory: 'Food' },
    },
    own,
  )
  await aProduct(
    { name: 'Varied', variants: [{ price: '3', costPerItem: '7.7777', stock: 31_337, options: [{ name: 'Size', value: 'S' }] }] },
    own,
  )
  await run(
    'mutation ($input: SetMetafieldsInput!) { setMetafields(input: $input) { __typename ... on ValidationError { message } } }',
    { input: { ownerId: shown, metafields: [{ namespace: 'a', key: 'b', type: 'TEXT', value: 'SECRET metafield' }] } },
    own,
  )
  await run(
    'mutation ($id: ID!, $url: String!) { createProductImage(input: {productId: $id, url: $url}) { __typename } }',
    { id: shown, url: PICTURE },
    own,
  )
  for (const status of ['DRAFT', 'HIDDEN'])
    await run(
      'mutation ($input: CreatePageInput!) { createPage(input: $input) { __typename } }',
      { input: { title: `SECRET ${status}`, status, permalink: status.toLowerCase() } },
      own,
    )
  const { getIntrospectionQuery, buildClientSchema, isObjectType, getNamedType, isRequiredArgument } = await import('graphql')
  const schema = buildClientSchema((await stack.ask(ANONYMOUS, getIntrospectionQuery())).data)
  const everyField = (type: string, depth: number): string => {
    const of = schema.getType(type)
    if (!isObjectType(of) || depth === 0) return '__typename'
    return Object.values(of.getFields())
      .filter(({ args }) => !args.some(isRequiredArgument))
      .flatMap((field) => {
        const target = getNamedType(field.type)
        return isObjectType(target) ? [`${field.name} { ${everyField(target.name, depth - 1)} }`] : [field.name]
      })
      .join(' ')
  }
  const { storefront, errors } = await shopper(
    `${everyField('Storefront', 4)}
     shown: product(permalink: "shown") { ${everyField('StorefrontProduct', 4)} }
     varied: product(permalink: "varied") { ${everyField('StorefrontProduct', 4)} }
     all: collection(permalink: "all") { ${everyField('StorefrontCollection', 3)} }
     search: products(query: "secret") { totalCount searchedFor nodes { name } }
     draft: page(permalink: "draft") { title } hiddenPage: page(permalink: "hidden") { title }
     hidden: product(permalink: "secret-hidden") { name }`,
    own,
  )
  expect(errors).toBeUndefined()
  const text = JSON.stringify(storefront)
  for (const secret of [/SECRET/, /7\.7777/, /\b31337\b/, /\b31338\b/]) expect(text).not.toMatch(secret)
  expect(storefront.shown).toMatchObject({ barcode: '4006381333931', googleProductCategory: 'Food' })
  expect(storefront.shown.images[0].url).toMatch(/^https:/)
  expect(storefront).toMatchObject({ draft: null, hiddenPage: null, hidden: null, search: { totalCount: 0 } })
})

test('pages and menus are what is published', async () => {
  const own = await stack.aStore({ name: 'Paged shop' })
  const { made } = await run(
    'mutation { made: createPageCategory(input: {name: "Footer"}) { ... on CreatePageCategorySuccess { pageCategory { id } } } }',
    {},
    own,
  )
  for (const [title, status] of [
    ['About', 'PUBLIC'],
    ['Soon', 'DRAFT'],
  ])
    await run(
      'mutation ($input: CreatePageInput!) { createPage(input: $input) { __typename } }',
      { input: { title, status, body: '<p>x</p>', categoryIds: [made.pageCategory.id] } },
      own,
    )
  expect(
    (await shopper('menus { name pages { title permalink } } page(permalink: "about") { body seo { title } }', own)).storefront,
  ).toEqual({
    menus: [{ name: 'Footer', pages: [{ title: 'About', permalink: 'about' }] }],
    page: { body: '<p>x</p>', seo: { title: 'About' } },
  })
})

test.each(['nothing', '', '\0', 'POTTERY', 'x'.repeat(100_000)])('there is no shop called %.20j', async (store) => {
  const { data, errors } = await stack.ask(ANONYMOUS, 'query ($store: String!) { storefront(store: $store) { name } }', { store })
  expect([data, errors]).toEqual([{ storefront: null }, undefined])
})
