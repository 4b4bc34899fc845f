import type { ProductFilter, ProductSearch, Resolvers } from '#generated/store/resolvers.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { selectedColumns } from '../../toolkit/selected-columns.ts'
import { isText } from '../../toolkit/validation.ts'
import type { Context } from '../context.ts'
import { eventsFor, type FeedEvent, rowFor } from '../feed.ts'
import { decodeId, gone, identified, present, rowBefore } from '../ids.ts'
import { LIST_SIZES, searchWords } from '../lists.ts'
import type { ProductCategory } from '../product-category/product-category.ts'
import { CATEGORY_COLUMNS } from '../product-category/repository.ts'
import { exceeded, type StoreQuotas } from '../quota/quota.ts'
import { adjustUsage, storeQuotaRepository } from '../quota/repository.ts'
import type { UnitOfWork } from '../write.ts'
import { createProduct, deleteProduct, updateProduct } from './actions.ts'
import { PRODUCT_COLUMNS } from './columns.ts'
import { type Product, TRANSLATED } from './product.ts'
import type { ProductSelection } from './repository.ts'

const listed = (name: string): KeysetList<Product> => ({ name, parts: ['number'], positionOf: ({ id }) => [id] })
const OLDEST_FIRST = listed('products')
const NEWEST_FIRST = listed('productsNewestFirst')
const IN_CATEGORY = listed('productsInCategory')

const MAX_CATEGORIES = 50

const requested = selectedColumns<Product>({
  all: PRODUCT_COLUMNS,
  always: ['id'],
  besides: [
    ...['number', 'categories', 'variants', 'options', 'images', 'imageCount', 'attachments', 'attachmentCount', 'metafields'],
    ...['digitalAssets', 'digitalAssetCount', 'customFieldValues', 'customFieldValueCount', 'inventoryLevels', 'reviews'],
  ],
})

const categoriesRequested = selectedColumns<ProductCategory>({
  all: CATEGORY_COLUMNS,
  always: ['id', 'parentId'],
  besides: ['number', 'parent', 'parentNumber', 'children', 'products', 'metafields'],
})

export const productResolvers = {
  Query: {
    product: async (_, { id, locale }, context) => {
      const row = decodeId(id, 'Product')
      const found = row === null ? null : await context.load.productById.load(row)
      return found && translated(found, await languageOf(locale, context), context)
    },
    products: async (_, { filter, search, orderBy, locale, ...page }, context, info) => {
      const isNewestFirst = orderBy === 'ID_DESC'
      const list = isNewestFirst ? NEWEST_FIRST : OLDEST_FIRST
      const range = keysetRange(list, page, LIST_SIZES)
      const which = selectionOf(filter, search)
      const language = await languageOf(locale, context)
      const store = await context.storeId()
      const rows = await context.products.list(store, which, range, { isNewestFirst, columns: requested.of(info) })
      const inLanguage = await allTranslated(rows, language, context)
      return keysetPage(list, range, inLanguage, () => context.products.count(store, which))
    },
  },
  Mutation: {
    createProduct: (_, { input }, { write, quota: { quotas } }) =>
      write('createProduct', input, (unit) => withinQuota(unit, quotas, () => createProduct(unit, input))),
    updateProduct: (_, { id, input }, { write }) =>
      write('updateProduct', { ...input, id }, (unit) => updateProduct(unit, id, input)),
    deleteProduct: (_, given, { write }) =>
      write('deleteProduct', given, async (unit) => {
        const result = await deleteProduct(unit, given.id, given)
        if (result.__typename === 'DeleteProductSuccess') {
          await adjustUsage(unit.query, unit.storeId, { products: -1, fileBytes: 0 })
        }
        return result
      }),
  },
  Subscription: {
    productUpdated: {
      subscribe: async (_, { productId }, context) => {
        const only = await rowFor(productId, 'Product', (row) => context.load.productById.load(row))
        return eventsFor(context, 'productUpdated', ['product_updated', 'product_stock_updated'], ({ id }) => id === (only ?? id))
      },
      resolve: ({ payload: { id } }: FeedEvent, _: unknown, { load }: Context) => load.productById.load(id),
    },
  },
  Product: {
    ...identified('Product'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'Product')
      return row === null ? null : load.productById.load(row)
    },
    categories: ({ id }, _, { load }, info) => load.categoriesOfProduct(categoriesRequested.of(info)).load(id),
  },
  ProductCategory: {
    products: async ({ id }, { locale, ...page }, context, info) => {
      const { load } = context
      const range = keysetRange(IN_CATEGORY, page, LIST_SIZES)
      const language = await languageOf(locale, context)
      const rows = await load.productIdsInCategory(range).load(id)
      const product = load.productWith(requested.of(info))
      const found = await Promise.all(rows.map((row) => product.load(row.id)))
      const products = await allTranslated(
        found.filter((product) => product !== null),
        language,
        context,
      )
      return keysetPage(IN_CATEGORY, range, products, async () =>
        Number((await load.productCountInCategory.load(id))?.count ?? 0),
      )
    },
  },
  ProductConnection: connectionFields,
  CreateProductSuccess: {
    product: async ({ product, locale }, _, context) =>
      translated(await present(context.load.productById.load(product), 'product'), locale, context),
  },
  UpdateProductSuccess: {
    product: async ({ product, locale }, _, context) =>
      translated(await present(context.load.productById.load(product), 'product'), locale, context),
  },
  DeleteProductSuccess: gone('Product'),
} satisfies Resolvers

const ONE_PRODUCT = { products: 1, fileBytes: 0 }

/**
 * Counts a product created by `create`, as the last step: concurrent requests wait for the commit
 * only. Beyond the quota of the store it is rolled back.
 */
async function withinQuota<Result extends { readonly __typename: string }>(
  { query, storeId }: UnitOfWork,
  quotas: StoreQuotas,
  create: () => Promise<Result>,
) {
  const written = await create()
  if (written.__typename !== 'CreateProductSuccess') return written
  const quota = storeQuotaRepository(query, quotas)
  if (await quota.take(storeId, ONE_PRODUCT, { isWritten: true })) return written
  return exceeded(quotas, await quota.usageOf(storeId), ONE_PRODUCT)
}

/**
 * The language to read in; null for the store's own. Throws BAD_USER_INPUT for one that the store
 * does not have.
 */
async function languageOf(locale: string | null | undefined, { load, storeId }: Context): Promise<string | null> {
  if (locale == null) return null
  const languages = await load.languagesOfStore.load(await storeId())
  if (languages[0]?.code === locale) return null
  if (languages.some(({ code }) => code === locale)) return locale
  throw badInput('locale', `a language of the store (${languages.map(({ code }) => code).join(', ')})`, locale)
}

const allTranslated = (products: readonly Product[], locale: string | null, context: Context): Promise<readonly Product[]> =>
  // A promise for each would be for nothing in the store's own language.
  locale === null ? Promise.resolve(products) : Promise.all(products.map((product) => translated(product, locale, context)))

/** The product with the texts of a language, where it has them. */
async function translated(product: Product, locale: string | null, { load }: Context): Promise<Product> {
  const texts = locale === null ? null : await load.translationOfProduct(locale).load(product.id)
  if (!texts) return product
  const known = ([...TRANSLATED, 'permalink'] as const).flatMap((field) => (texts[field] === null ? [] : [[field, texts[field]]]))
  return { ...product, ...Object.fromEntries(known) }
}

function selectionOf(filter: ProductFilter | null | undefined, search: ProductSearch | null | undefined): ProductSelection {
  const { status, featured, type, categoryIds, afterId, sku, priceMin, priceMax, updatedSince, lowStock } = filter ?? {}
  if (categoryIds && categoryIds.length > MAX_CATEGORIES) {
    throw badInput('filter.categoryIds', `at most ${MAX_CATEGORIES} ids`, categoryIds.length)
  }
  if (sku != null && !isText(sku)) throw badInput('filter.sku', 'text without NUL characters and unpaired surrogates', sku)
  return {
    ...(status && { status }),
    ...(featured != null && { featured }),
    ...(type != null && { type }),
    // An invalid id is that of no category.
    ...(categoryIds && { categoryIds: categoryIds.map((id) => decodeId(id, 'ProductCategory') ?? 0) }),
    ...(afterId != null && { afterId: rowBefore('filter.afterId', afterId, 'Product') }),
    ...(sku != null && { sku }),
    ...(priceMin != null && { priceMin }),
    ...(priceMax != null && { priceMax }),
    ...(updatedSince != null && { updatedSince }),
    ...(lowStock != null && { lowStock }),
    ...(search && { words: wordsOf(search) }),
  }
}

function wordsOf({ query, fields }: ProductSearch) {
  const texts = searchWords('search.query', query)
  if (texts.length === 0) throw badInput('search.query', 'text that is not all white space', query)
  return { texts, fields: (fields ?? []).map((field) => field.toLowerCase()) }
}
