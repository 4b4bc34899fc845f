import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storefrontShopper } from './support/shopper.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
let shopper: ReturnType<typeof storefrontShopper>
beforeAll(async () => {
  stack = await startStore()
  shop = await stack.aStore({ name: 'Facets' })
  shopper = storefrontShopper(stack, shop)
})
afterAll(() => stack?.close())

/** What the table should hold, read from where it comes from by statements of the test's own. */
const EXPECTED = `
  SELECT product.store_id, product.id AS product_id, product.brand, (product.price - product.discount)::text AS price, product.featured,
    product.status = 'AVAILABLE' AND CASE WHEN EXISTS (SELECT FROM product_variant v WHERE v.product_id = product.id)
      THEN EXISTS (SELECT FROM product_variant v WHERE v.product_id = product.id AND (v.stock_unlimited OR v.stock > 0))
      ELSE product.stock_unlimited OR product.stock > 0 END AS available,
    (SELECT floor(avg(rating))::integer FROM product_review r WHERE r.product_id = product.id AND r.status = 'PUBLISHED') AS stars,
    (SELECT coalesce(string_agg(m.category_id::text, ',' ORDER BY m.category_id), '') FROM product_category_member m
      WHERE m.product_id = product.id) AS categories,
    (SELECT coalesce(string_agg(o.name_key || '=' || v.name_key, ',' ORDER BY o.id, v.id), '') FROM product_option o
      JOIN product_option_value v ON v.option_id = o.id WHERE o.product_id = product.id) AS options
  FROM product WHERE product.status <> 'DISABLED' ORDER BY 1, 2`
const STORED = `
  SELECT store_id, product_id, brand, price::text, featured, available, stars::integer, array_to_string(category_ids, ',') AS categories,
    (SELECT coalesce(string_agg(split_part(key, chr(31), 2) || '=' || split_part(key, chr(31), 3), ',' ORDER BY at), '')
      FROM unnest(option_keys) WITH ORDINALITY AS listed (key, at)) AS options
  FROM product_facet ORDER BY 1, 2`

const check = async (what: string) => expect([what, await stack.sql(STORED)]).toEqual([what, await stack.sql(EXPECTED)])
const size = (value: string) => [{ name: 'Size', value }]
const update = (id: string, input: object) => shopper.updateProduct(id, input)

async function aShirt(): Promise<{ readonly id: string; readonly variants: readonly string[] }> {
  const variants = [
    { stock: 1, options: size('S') },
    { stock: 1, options: size('M') },
  ]
  const id = await shopper.aProduct({ name: 'Shirt', variants })
  const { product } = await shopper.merchant('query ($id: ID!) { product(id: $id) { variants { id } } }', { id })
  return { id, variants: product.variants.map((variant: { id: string }) => variant.id) }
}

test('what lists are filtered by follows each change of a product, its variants, options, categories and reviews', async () => {
  const category = async (name: string) =>
    (
      await shopper.merchant(
        'mutation ($input: CreateProductCategoryInput!) { made: createProductCategory(input: $input) { ... on CreateProductCategorySuccess { productCategory { id } } } }',
        { input: { name } },
      )
    ).made.productCategory.id as string
  const [kitchen, bath] = [await category('Kitchen'), await category('Bath')]
  const mug = await shopper.aProduct({ name: 'Mug', brand: 'Clay', categoryIds: [kitchen], stock: 1 })
  const { id: shirt, variants } = await aShirt()
  await check('created')
  const changes: [string, () => Promise<unknown>][] = [
    ['price', () => update(mug, { price: '7.5' })],
    ['brand', () => update(mug, { brand: null })],
    ['out of stock', () => update(mug, { stock: 0 })],
    ['unlimited', () => update(mug, { stockUnlimited: true })],
    ['not for sale', () => update(mug, { status: 'NOT_AVAILABLE' })],
    ['hidden', () => update(mug, { status: 'DISABLED' })],
    ['shown again', () => update(mug, { status: 'AVAILABLE', featured: true })],
    ['other categories', () => update(mug, { categoryIds: [kitchen, bath] })],
    ['a variant sold out', () => update(shirt, { variants: [{ id: variants[0], stock: 0 }] })],
    ['both sold out', () => update(shirt, { variants: [{ id: variants[1], stock: 0 }] })],
    ['one is back', () => update(shirt, { variants: [{ id: variants[1], stock: 4 }] })],
    ['a new variant', () => update(shirt, { variants: [{ stock: 3, options: size('L') }] })],
    [
      'a variant is deleted',
      () => shopper.merchant('mutation ($id: ID!) { deleteProductVariant(id: $id) { __typename } }', { id: variants[1] }),
    ],
    ['an option is renamed', () => stack.sql(`UPDATE product_option SET name = 'Width', name_key = 'width'`)],
    [
      'a value is renamed',
      () => stack.sql(`UPDATE product_option_value SET name = 'Small', name_key = 'small' WHERE name = 'S'`),
    ],
    ...[5, 4, 4].map((rating): [string, () => Promise<unknown>] => [
      `a review of ${rating}`,
      () =>
        stack.sql(
          `INSERT INTO product_review (store_id, product_id, product_name, customer_email, status, rating, created_at)
           SELECT store_id, id, name, 'ana@example.org', 'PUBLISHED', $1, now() FROM product WHERE name = 'Mug'`,
          [rating],
        ),
    ]),
    ['reviews are withdrawn', () => stack.sql(`UPDATE product_review SET status = 'UNREAD'`)],
    [
      'a category is deleted',
      () => shopper.merchant('mutation ($id: ID!) { deleteProductCategory(id: $id) { __typename } }', { id: kitchen }),
    ],
    [
      'a product is deleted',
      () => shopper.merchant('mutation ($id: ID!) { deleteProduct(id: $id) { __typename } }', { id: mug }),
    ],
    ['a whole store is deleted', () => stack.sql('DELETE FROM product WHERE store_id = $1', [shop.storeId])],
  ]
  for (const [what, change] of changes) {
    await change()
    await check(what)
  }
  expect(await stack.sql('SELECT FROM product_facet')).toEqual([])
})

test('the last of two variants, sold at once by two orders, leave a product that cannot be bought', async () => {
  await aShirt()
  const clients = await Promise.all(
    [0, 1].map(async () => {
      const client = new pg.Client({ ...stack.database.connection, options: '-c search_path=store,public' })
      await client.connect()
      return client
    }),
  )
  const [one, other] = clients
  const sell = (client: pg.Client | undefined, value: string) =>
    client?.query(
      `UPDATE product_variant SET stock = 0 FROM product_variant_value chosen JOIN product_option_value value ON value.id = chosen.value_id
       WHERE chosen.variant_id = product_variant.id AND value.name = $1`,
      [value],
    )
  await Promise.all(clients.map((client) => client.query('BEGIN')))
  await sell(one, 'S')
  const second = sell(other, 'M')?.then(() => other?.query('COMMIT'))
  // The second one has not seen what the first one sold, and waits for it.
  const isWaiting = async () =>
    (await stack.sql(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`)).length > 0
  await expect.poll(isWaiting).toBe(true)
  await one?.query('COMMIT')
  await second
  await Promise.all(clients.map((client) => client.end()))
  await check('both sold')
  expect(await stack.sql('SELECT available FROM product_facet')).toEqual([{ available: false }])
})
