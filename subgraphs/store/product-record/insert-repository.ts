import { type Kysely, sql } from 'kysely'
import { rowOfFields } from '../product/columns.ts'
import { indexProducts } from '../product/search-repository.ts'
import { productCategoryRepository } from '../product-category/repository.ts'
import { combinationOf } from '../product-variant/product-variant.ts'
import type { Tables } from '../tables.ts'
import { identityKey } from '../text-key.ts'
import type { UnitOfWork } from '../write.ts'
import { type CategoryPath, type ImageRecord, type ProductRecord, pathKey } from './product-record.ts'

/** Rows of categories by their permalinks; those that are missing are made, from the top. */
export async function ensureCategories(
  { query, storeId, now }: UnitOfWork,
  records: readonly ProductRecord[],
): Promise<ReadonlyMap<string, number>> {
  const paths = new Map(records.flatMap(({ categories }) => categories.map((path) => [pathKey(path), path] as const)))
  if (paths.size === 0) return new Map()
  const categories = productCategoryRepository(query)
  // Two imports that make the same category wait for each other.
  await categories.lockTree(storeId)
  const wanted = [...new Set([...paths.values()].flat().map(({ permalink }) => permalink))]
  const { rows } = await sql<{ readonly id: number; readonly permalink: string }>`
    SELECT id, permalink FROM product_category
    WHERE store_id = ${storeId} AND permalink = ANY(${wanted}::text[])`.execute(query)
  const found = new Map(rows.map(({ id, permalink }) => [permalink, id]))
  for (const path of paths.values()) {
    let parentId: number | null = null
    for (const { name, permalink } of path) {
      const known: number | undefined = found.get(permalink)
      parentId = known ?? (await categories.insert(storeId, { name, permalink, parentId, at: now }))
      found.set(permalink, parentId)
    }
  }
  return found
}

const leafOf = (path: CategoryPath): string => path.at(-1)?.permalink ?? ''
/** Rows of the categories of a product. */
export const rowsOfCategories = ({ categories }: ProductRecord, rows: ReadonlyMap<string, number>): readonly number[] => [
  ...new Set(categories.flatMap((path) => rows.get(leafOf(path)) ?? [])),
]

/** Inserts new products with everything that belongs to them: a statement for each table. */
export async function insertProducts(
  unit: UnitOfWork,
  records: readonly ProductRecord[],
  categories: ReadonlyMap<string, number>,
): Promise<void> {
  if (records.length === 0) return
  const { query, storeId, now, emit } = unit
  const made = await query
    .insertInto('product')
    .values(
      records.map((record) => ({
        // A column for each field of a product.
        ...(rowOfFields(record) as { name: string; price: string }),
        store_id: storeId,
        permalink: record.permalink,
        created_at: new Date(record.createdAt),
        updated_at: now,
      })),
    )
    .returning(['id', 'permalink'])
    .execute()
  const idOf = new Map(made.map(({ id, permalink }) => [permalink, id]))
  const products = records.map((record) => ({ record, id: idOf.get(record.permalink) ?? 0 }))
  const members = products.flatMap(({ record, id }) =>
    rowsOfCategories(record, categories).map((category) => ({ store_id: storeId, product_id: id, category_id: category })),
  )
  for (const slice of slices(members)) await query.insertInto('product_category_member').values(slice).execute()
  await insertVariants(unit, products)
  await insertTexts(query, storeId, products)
  await indexProducts(
    query,
    storeId,
    products.map(({ id }) => id),
  )
  for (const { id } of products) emit({ event: 'product_created', entity: 'Product', id })
}

/** Rows of one statement: PostgreSQL takes 65,535 parameters. */
const MAX_ROWS_PER_STATEMENT = 1_000

function* slices<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += MAX_ROWS_PER_STATEMENT) yield rows.slice(at, at + MAX_ROWS_PER_STATEMENT)
}

type Made = { readonly record: ProductRecord; readonly id: number }

/** Options with their values, and the variants that have them. */
async function insertVariants({ query, storeId, now }: UnitOfWork, products: readonly Made[]): Promise<void> {
  const options = products.flatMap(({ record, id }) =>
    record.options.map(({ name, optionType, addonPrice }, index) => ({
      ...{ store_id: storeId, product_id: id, name, name_key: identityKey(name), position: index + 1 },
      ...{ option_type: optionType, addon_price: addonPrice },
    })),
  )
  const madeOptions = []
  for (const slice of slices(options))
    madeOptions.push(
      ...(await query.insertInto('product_option').values(slice).returning(['id', 'product_id', 'name_key']).execute()),
    )
  const optionId = new Map(madeOptions.map((option) => [`${option.product_id} ${option.name_key}`, option.id]))
  const values = products.flatMap(({ record, id }) =>
    record.options.flatMap((option) =>
      option.values.map(({ name, custom }, index) => ({
        ...{ store_id: storeId, product_id: id, option_id: optionId.get(`${id} ${identityKey(option.name)}`) ?? 0 },
        ...{ name, name_key: identityKey(name), custom, position: index + 1 },
      })),
    ),
  )
  const madeValues = []
  for (const slice of slices(values))
    madeValues.push(
      ...(await query.insertInto('product_option_value').values(slice).returning(['id', 'option_id', 'name_key']).execute()),
    )
  const valueId = new Map(madeValues.map((value) => [`${value.option_id} ${value.name_key}`, value.id]))
  const variants = products.flatMap(({ record, id }) =>
    record.variants.map((variant) => {
      const valueIds = variant.options.map(
        ({ name, value }) => valueId.get(`${optionId.get(`${id} ${identityKey(name)}`)} ${identityKey(value)}`) ?? 0,
      )
      return { id, variant, valueIds, combination: combinationOf(valueIds) }
    }),
  )
  const rows = variants.map(({ id, variant, combination }) => ({
    ...{ store_id: storeId, product_id: id, combination, created_at: now, updated_at: now },
    ...{ price: variant.price, cost_per_item: variant.costPerItem, compare_at_price: variant.compareAtPrice },
    ...{ sku: variant.sku, barcode: variant.barcode, stock: variant.stock, stock_unlimited: variant.stockUnlimited },
    ...{ stock_threshold: variant.stockThreshold, stock_notification: variant.stockNotification },
  }))
  const madeVariants = []
  for (const slice of slices(rows))
    madeVariants.push(
      ...(await query.insertInto('product_variant').values(slice).returning(['id', 'product_id', 'combination']).execute()),
    )
  const variantId = new Map(madeVariants.map((variant) => [`${variant.product_id} ${variant.combination}`, variant.id]))
  const held = variants.flatMap(({ id, valueIds, combination }) =>
    valueIds.map((value) => ({
      ...{ store_id: storeId, product_id: id, value_id: value },
      variant_id: variantId.get(`${id} ${combination}`) ?? 0,
    })),
  )
  for (const slice of slices(held)) await query.insertInto('product_variant_value').values(slice).execute()
}

/** Addresses of images, and texts in other languages. */
async function insertTexts(query: Kysely<Tables>, storeId: number, products: readonly Made[]): Promise<void> {
  const urls = products.flatMap(({ record, id }) => urlRows(storeId, id, record.images))
  for (const slice of slices(urls)) await query.insertInto('product_image_url').values(slice).execute()
  const translations = products.flatMap(({ record, id }) =>
    record.translations.map(({ locale, name, description, pageTitle, metaDescription, permalink }) => ({
      ...{ store_id: storeId, product_id: id, locale, name, description, permalink },
      ...{ page_title: pageTitle, meta_description: metaDescription },
    })),
  )
  for (const slice of slices(translations)) await query.insertInto('product_translation').values(slice).execute()
}

/** Rows of addresses of images. */
export const urlRows = (storeId: number, id: number, images: readonly ImageRecord[]) =>
  images.map(({ url, alt }, index) => ({ store_id: storeId, product_id: id, position: index + 1, url, alt }))
