import { type Kysely, sql } from 'kysely'
import { keysOf } from '../../../platform/collections/keys-of.ts'
import { NEW_PRODUCT } from '../product/product.ts'
import { productRepository } from '../product/repository.ts'
import { productImageRepository } from '../product-image/repository.ts'
import { productOptionRepository } from '../product-option/repository.ts'
import { newVariant } from '../product-variant/product-variant.ts'
import { productVariantRepository } from '../product-variant/repository.ts'
import type { Tables } from '../tables.ts'
import {
  type CategoryPath,
  changedBy,
  type ImageRecord,
  type ProductRecord,
  pathKey,
  type TranslationRecord,
} from './product-record.ts'

/** A product of the store as files hold it, and the rows that it consists of. */
export type StoredProduct = {
  readonly id: number
  readonly record: ProductRecord
  /** Of the variants of the record, in their order. */
  readonly variantIds: readonly number[]
  /** How many of the images are stored ones: the first. */
  readonly storedImages: number
}

/** Where a stored file is found by everybody. */
export type PublicUrl = (key: string) => string

/** Products with these permalinks, in any order. */
export async function idsByPermalink(
  database: Kysely<Tables>,
  storeId: number,
  permalinks: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ readonly id: number; readonly permalink: string }>`
    SELECT id, permalink FROM product WHERE store_id = ${storeId} AND permalink = ANY(${permalinks}::text[])`.execute(database)
  return new Map(rows.map(({ id, permalink }) => [permalink, id]))
}

/** These products as files hold them, oldest first. */
export async function readProducts(
  database: Kysely<Tables>,
  storeId: number,
  ids: readonly number[],
  publicUrl: PublicUrl,
): Promise<readonly StoredProduct[]> {
  if (ids.length === 0) return []
  const options = productOptionRepository(database)
  const variants = productVariantRepository(database)
  const [products, ofOptions, ofVariants, ofImages, ofUrls, ofTranslations, ofCategories] = await Promise.all([
    productRepository(database).findByIds(storeId, ids),
    options.ofProducts(storeId, ids),
    variants.ofProducts(storeId, ids),
    productImageRepository(database).ofProducts(storeId, ids, ['productId', 'key', 'position']),
    imageUrls(database, storeId, ids),
    translations(database, storeId, ids),
    categoryPaths(database, storeId, ids),
  ])
  const [values, chosen] = await Promise.all([
    ofOptions.length === 0
      ? []
      : options.valuesOf(
          storeId,
          ofOptions.map(({ id }) => id),
        ),
    ofVariants.length === 0
      ? []
      : variants.optionsOf(
          storeId,
          ofVariants.map(({ id }) => id),
        ),
  ])
  const optionsBy = Map.groupBy(ofOptions, ({ productId }) => productId)
  const valuesBy = Map.groupBy(values, ({ optionId }) => optionId)
  const variantsBy = Map.groupBy(ofVariants, ({ productId }) => productId)
  const chosenBy = Map.groupBy(chosen, ({ variantId }) => variantId)
  const imagesBy = Map.groupBy(ofImages, ({ productId }) => productId)
  const urlsBy = Map.groupBy(ofUrls, ({ productId }) => productId)
  const translationsBy = Map.groupBy(ofTranslations, ({ productId }) => productId)
  return products
    .toSorted((one, other) => one.id - other.id)
    .map((product) => {
      const own = variantsBy.get(product.id) ?? []
      const images = (imagesBy.get(product.id) ?? []).map(({ key }): ImageRecord => ({ url: publicUrl(key), alt: null }))
      const record: ProductRecord = {
        permalink: product.permalink,
        // The fields of a product, in their order.
        ...withoutZeros(picked(product, keysOf(NEW_PRODUCT))),
        categories: ofCategories.get(product.id) ?? [],
        options: (optionsBy.get(product.id) ?? []).map(({ id, name, optionType, addonPrice }) =>
          withoutZeros({
            name,
            optionType,
            addonPrice,
            values: (valuesBy.get(id) ?? []).map((value) => ({ name: value.name, custom: value.custom })),
          }),
        ),
        variants: own.map((variant) => ({
          ...withoutZeros(picked(variant, keysOf(newVariant('0')))),
          options: (chosenBy.get(variant.id) ?? []).map(({ name, value }) => ({ name, value })),
        })),
        images: [...images, ...(urlsBy.get(product.id) ?? []).map(({ url, alt }) => ({ url, alt }))],
        translations: (translationsBy.get(product.id) ?? []).map(({ productId: _, ...texts }) => texts),
        createdAt: product.createdAt.toISOString(),
      }
      return { id: product.id, record, variantIds: own.map(({ id }) => id), storedImages: images.length }
    })
}

const withoutZeros = <Fields extends object>(fields: Fields): Fields => changedBy(fields, fields)

const picked = <Row extends object, Key extends keyof Row>(row: Row, keys: readonly Key[]): Pick<Row, Key> =>
  // One entry for each key.
  Object.fromEntries(keys.map((key) => [key, row[key]])) as Pick<Row, Key>

const imageUrls = (database: Kysely<Tables>, storeId: number, ids: readonly number[]) =>
  database
    .selectFrom('product_image_url')
    .select(['product_id as productId', 'url', 'alt'])
    .where('store_id', '=', storeId)
    .where('product_id', 'in', ids)
    .orderBy('product_id')
    .orderBy('position')
    .execute()

const translations = (
  database: Kysely<Tables>,
  storeId: number,
  ids: readonly number[],
): Promise<(TranslationRecord & { readonly productId: number })[]> =>
  database
    .selectFrom('product_translation')
    .select(['product_id as productId', 'locale', 'name', 'description'])
    .select(['page_title as pageTitle', 'meta_description as metaDescription', 'permalink'])
    .where('store_id', '=', storeId)
    .where('product_id', 'in', ids)
    .orderBy('product_id')
    .orderBy('locale')
    .execute()

/** The categories of products, each from the top. */
async function categoryPaths(
  database: Kysely<Tables>,
  storeId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, readonly CategoryPath[]>> {
  const { rows } = await sql<{ readonly productId: number; readonly path: CategoryPath }>`
    WITH RECURSIVE held AS (
      SELECT product_id, category_id FROM product_category_member WHERE store_id = ${storeId} AND product_id = ANY(${ids}::integer[])
    ), above AS (
      SELECT id AS leaf, id, parent_id, 0 AS height, name, permalink FROM product_category
      WHERE store_id = ${storeId} AND id IN (SELECT category_id FROM held)
      UNION ALL
      SELECT above.leaf, up.id, up.parent_id, above.height + 1, up.name, up.permalink
      FROM product_category up JOIN above ON up.id = above.parent_id WHERE up.store_id = ${storeId}
    ), paths AS (
      SELECT leaf, jsonb_agg(jsonb_build_object('name', name, 'permalink', permalink) ORDER BY height DESC) AS path
      FROM above GROUP BY leaf
    )
    SELECT product_id AS "productId", path FROM held JOIN paths ON leaf = category_id`.execute(database)
  const found = rows.map(({ productId, path }) => ({
    productId,
    // jsonb has an order of keys of its own.
    path: path.map(({ name, permalink }) => ({ name, permalink })),
  }))
  return new Map(
    [...Map.groupBy(found, ({ productId }) => productId)].map(([productId, own]) => [
      productId,
      own.map(({ path }) => path).sort((one, other) => (pathKey(one) < pathKey(other) ? -1 : 1)),
    ]),
  )
}
