import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import { settleStock } from '../inventory/stock.ts'
import { freePermalink } from '../permalink-repository.ts'
import { productCategoryRepository } from '../product-category/repository.ts'
import { type VariantInput, writeVariants } from '../product-variant/actions.ts'
import { storeRepository } from '../store/repository.ts'
import { permalinkOf } from '../text-key.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import {
  changed,
  NEW_PRODUCT,
  type Product,
  type ProductChange,
  type ProductFields,
  productProblems,
  TRANSLATED,
} from './product.ts'
import { productRepository } from './repository.ts'
import { indexProducts } from './search-repository.ts'

/** A product as a caller gives it. */
type ProductInput = ProductChange & {
  readonly permalink?: string | null | undefined
  readonly categoryIds?: readonly string[] | null | undefined
  readonly variants?: readonly (VariantInput & { readonly id?: string | null | undefined })[] | null | undefined
  readonly locale?: string | null | undefined
}

/** What `Product.categories` promises to hold. */
const MAX_CATEGORIES = 250

/** Creates a product with its variants. */
export async function createProduct(unit: UnitOfWork, input: ProductInput) {
  const { query, storeId, now, emit } = unit
  const fields = changed(NEW_PRODUCT, withoutNulls(input))
  const problems = productProblems(fields)
  if (problems.length > 0) return validationError(problems)
  const found = await referencesOf(unit, input)
  if ('failure' in found) return found.failure

  const products = productRepository(query)
  const permalink = await freePermalink(query, 'product', storeId, {
    wanted: permalinkOf(input.permalink ?? fields.name),
    own: null,
  })
  const id = await products.insert(storeId, fields, permalink, now)
  if (found.categoryIds) await products.setCategories(storeId, id, found.categoryIds)
  // The texts are in that language, and replace missing ones of the store's own language.
  if (found.translated) await translate(unit, id, found.translated, input)
  const product: Product = { ...fields, id, permalink, createdAt: now, updatedAt: now, version: 1 }
  const failure = await writeVariants(unit, product, input.variants ?? [])
  if (failure) return failure
  await indexProducts(query, storeId, [id])
  emit({ event: 'product_created', entity: 'Product', id })
  return { __typename: 'CreateProductSuccess' as const, product: id, locale: found.translated }
}

/** Changes what the input has; in another language than the store's own, only its texts there. */
export async function updateProduct(
  unit: UnitOfWork,
  id: string,
  input: ProductInput & { readonly expectedVersion?: number | null | undefined },
) {
  const { query, storeId, now, emit } = unit
  const products = productRepository(query)
  const before = await products.lock(storeId, decodeId(id, 'Product') ?? 0)
  if (!before) return notFoundError('product', id)
  const stale = staleVersion(input.expectedVersion, before.version)
  if (stale) return stale
  const found = await referencesOf(unit, input)
  if ('failure' in found) return found.failure

  const wanted = changed(before, input)
  const problems = productProblems(found.translated ? { ...wanted, name: wanted.name ?? before.name } : wanted)
  if (problems.length > 0) return validationError(problems)
  const fields: ProductFields = found.translated ? { ...wanted, ...textsIn(before) } : wanted
  if (found.translated) await translate(unit, before.id, found.translated, input)

  const permalink =
    input.permalink === undefined || found.translated
      ? before.permalink
      : await freePermalink(query, 'product', storeId, { wanted: permalinkOf(input.permalink ?? fields.name), own: before.id })
  await products.update(storeId, before.id, fields, permalink, now)
  if (fields.stock !== before.stock) {
    await settleStock(unit, { productId: before.id, variantId: null }, fields.stock)
    emit({ event: 'product_stock_updated', entity: 'Product', id: before.id })
  }
  if (found.categoryIds) await products.setCategories(storeId, before.id, found.categoryIds)
  const failure = await writeVariants(unit, { ...before, ...fields }, input.variants ?? [])
  if (failure) return failure
  await indexProducts(query, storeId, [before.id])
  emit({ event: 'product_updated', entity: 'Product', id: before.id })
  return { __typename: 'UpdateProductSuccess' as const, product: before.id, locale: found.translated }
}

/** Deletes a product with everything that belongs to it; lines of orders stay. */
export async function deleteProduct(
  { query, storeId, emit }: UnitOfWork,
  id: string,
  { expectedVersion }: { readonly expectedVersion?: number | null | undefined },
) {
  const products = productRepository(query)
  const before = await products.lock(storeId, decodeId(id, 'Product') ?? 0)
  if (!before) return notFoundError('product', id)
  const stale = staleVersion(expectedVersion, before.version)
  if (stale) return stale
  await products.delete(storeId, before.id)
  emit({ event: 'product_deleted', entity: 'Product', id: before.id })
  return { __typename: 'DeleteProductSuccess' as const, row: before.id }
}

/**
 * What an input points at: rows of categories, and the language of its texts when that is not the
 * store's own.
 */
async function referencesOf({ query, storeId }: UnitOfWork, { categoryIds, locale, permalink }: ProductInput) {
  if (typeof permalink === 'string' && (permalink.trim() === '' || permalink.length > 200)) {
    return { failure: validationError([problem('permalink', '1 to 200 characters', permalink)]) }
  }
  const languages = locale == null ? [] : await storeRepository(query).languagesOf([storeId])
  if (locale != null && !languages.some(({ code }) => code === locale)) {
    const known = languages.map(({ code }) => code).join(', ')
    return { failure: validationError([problem('locale', `a language of the store (${known})`, locale)]) }
  }
  const translated = locale != null && languages[0]?.code !== locale ? locale : null
  if (categoryIds === undefined) return { categoryIds: null, translated }
  const wanted = [...new Set(categoryIds ?? [])]
  if (wanted.length > MAX_CATEGORIES) {
    return { failure: validationError([problem('categoryIds', `at most ${MAX_CATEGORIES} categories`, wanted.length)]) }
  }
  const rows = wanted.map((id) => decodeId(id, 'ProductCategory') ?? 0)
  const known = new Set(
    rows.length === 0 ? [] : (await productCategoryRepository(query).findByIds(storeId, rows)).map(({ id }) => id),
  )
  const missing = wanted.find((_, index) => !known.has(rows[index] ?? 0))
  if (missing !== undefined) return { failure: notFoundError('category', missing) }
  return { categoryIds: [...known], translated }
}

/** Of a product to be created, null is the same as absent. */
const withoutNulls = (input: ProductInput): ProductChange =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))

/** Writes the texts of another language than the store's own, with their permalink. */
async function translate({ query, storeId }: UnitOfWork, id: number, locale: string, input: ProductInput): Promise<void> {
  const { permalink } = input
  const address =
    permalink == null ? permalink : await freePermalink(query, { locale }, storeId, { wanted: permalinkOf(permalink), own: id })
  await productRepository(query).translate(storeId, id, locale, {
    ...textsOf(input),
    ...(address !== undefined && { permalink: address }),
  })
}

/** The texts that an input has. */
const textsOf = (input: ProductChange) =>
  Object.fromEntries(
    TRANSLATED.flatMap((field) => (input[field] === undefined ? [] : [[field, input[field]?.trim() ? input[field] : null]])),
  )

const textsIn = (product: ProductFields) =>
  // One entry for each of TRANSLATED.
  Object.fromEntries(TRANSLATED.map((field) => [field, product[field]])) as Pick<ProductFields, (typeof TRANSLATED)[number]>
