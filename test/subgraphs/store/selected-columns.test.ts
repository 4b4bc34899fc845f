import { type GraphQLField, getNamedType, isLeafType, isObjectType, isRequiredArgument } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aFilledStore } from './support/sample.ts'
import { watchStatements } from './support/statements.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
beforeAll(async () => {
  stack = await startStore()
  shop = await aFilledStore(stack)
  await stack.sql(`
    UPDATE product_variant variant SET image_id = image.id FROM product_image image
    WHERE image.store_id = variant.store_id AND image.product_id = variant.product_id AND image.position = 1`)
  await stack.sql(`
    UPDATE product SET page_title = 'Title ' || id, meta_description = 'About ' || id, barcode = '4' || id, google_product_category = 'Home ' || id,
      cost_per_item = id, compare_at_price = id + 1, minimum_quantity = 1, maximum_quantity = 9, brand = 'Brand ' || id, length = id, width = id + 1, height = id + 2, diameter = id + 3`)
  await stack.sql(`UPDATE product_variant SET cost_per_item = id, compare_at_price = id + 1, barcode = '5' || id`)
}, 120_000)
afterAll(() => stack.close())

/**
 * Lists that read only what is asked: the type of their objects, how a selection of those is asked
 * for, and of one that is read whole.
 */
const LISTS: readonly (readonly [type: string, ask: (fields: string) => string, one: string])[] = [
  ['Product', (fields) => `{ products(first: 50) { nodes { ${fields} } } }`, 'product'],
  [
    'Product',
    (fields) => `{ products(first: 50, filter: { status: [AVAILABLE] }, orderBy: ID_DESC) { edges { node { ${fields} } } } }`,
    'product',
  ],
  ['Product', (fields) => `{ productCategories { nodes { products(first: 50) { nodes { ${fields} } } } } }`, 'product'],
  ['ProductVariant', (fields) => `{ products(first: 50) { nodes { variants { ${fields} } } } }`, 'productVariant'],
  ['ProductImage', (fields) => `{ products(first: 50) { nodes { images { ${fields} } } } }`, 'productImage'],
  ['ProductImage', (fields) => `{ products(first: 50) { nodes { variants { image { ${fields} } } } } }`, 'productImage'],
  ['ProductCategory', (fields) => `{ products(first: 50) { nodes { categories { ${fields} } } } }`, 'productCategory'],
]

describe.each(LISTS)('of %s', (type, ask, one) => {
  test('each field read alone equals the field of a complete read', async () => {
    const fields = fieldsOf(type)
    expect(fields.length).toBeGreaterThan(5)
    const ids = [...new Set(objectsIn(await answer(ask('id'))).map(({ id }) => id))]
    expect(ids.length).toBeGreaterThan(5)
    const selections = ids.map((id, index) => `_${index}: ${one}(id: "${id}") { ${fields.map(selected).join(' ')} }`)
    const whole = new Map(objectsIn(await answer(`{ ${selections.join(' ')} }`)).map((object) => [object.id, object]))
    for (const field of fields) {
      const listed = objectsIn(await answer(ask(`id ${selected(field)}`)))
      const { name } = field
      expect(listed).toEqual(listed.map(({ id }) => ({ id, [name]: whole.get(id)?.[name] })))
      expect(
        listed.some((object) => object[name] !== null),
        `${name} of any`,
      ).toBe(true)
    }
  })
})

test('pictures of products and of their variants are read once', async () => {
  const queries = watchStatements()
  try {
    await answer('{ products(first: 3) { nodes { imageCount images { url position } variants { image { id url } } } } }')
    expect(queries.texts().filter((text) => text.includes('from "product_image"'))).toHaveLength(1)
  } finally {
    queries.stop()
  }
})

test('columns of fields that are not selected are not read', async () => {
  const queries = watchStatements()
  try {
    await answer('{ products(first: 3) { nodes { id ...V } } } fragment V on Product { name variants { price ... { stock } } }')
    const [products, variants] = ['product', 'product_variant'].map((table) =>
      queries.texts().find((text) => text.includes(`from "${table}"`)),
    )
    expect(products).toMatch(/^select "id" as "id", "name" as "name" from /)
    expect(variants).toMatch(/^select "id", "product_id" as "productId", "price", "stock", "image_id" as "imageId" from /)
  } finally {
    queries.stop()
  }
})

const fieldsOf = (type: string): readonly GraphQLField<unknown, unknown>[] => {
  const found = stack.subgraph.schema.getType(type)
  return isObjectType(found) ? Object.values(found.getFields()).filter(({ args }) => !args.some(isRequiredArgument)) : []
}

const selected = ({ name, type }: GraphQLField<unknown, unknown>): string =>
  isLeafType(getNamedType(type)) ? name : `${name} { __typename }`

async function answer(query: string): Promise<unknown> {
  const { data, errors } = await stack.ask(shop, query)
  expect(errors, query).toBeUndefined()
  return data
}

type Listed = { readonly id: string } & Readonly<Record<string, unknown>>

/** The objects of an answer that have an `id`, in order. */
function objectsIn(value: unknown): Listed[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.hasOwn(value, 'id') ? [value as Listed] : Object.values(value).flatMap(objectsIn)
}
