import type { Resolvers } from '#generated/store/resolvers.ts'
import { checkPageSize } from '../../toolkit/connection.ts'
import { encodeId } from '../../toolkit/ids.ts'
import { type Product, TRANSLATED } from '../product/product.ts'
import { CATEGORY_COLUMNS } from '../product-category/repository.ts'
import { IMAGE_COLUMNS } from '../product-image/repository.ts'
import type { ProductVariant } from '../product-variant/product-variant.ts'
import { VARIANT_COLUMNS } from '../product-variant/repository.ts'
import type { ListedPrice, ShownItem } from '../storefront/shopper-prices.ts'
import { listProducts, type StorefrontProduct } from './listing.ts'
import type { FacetRow } from './listing-repository.ts'
import { type ShownPrice, shownPrice } from './price.ts'

const MAX_REVIEWS = 50
const MAX_RELATED = 20
/** Of one item. */
const MAX_QUANTITY_PRICES = 20

export const storefrontProductResolvers = {
  Storefront: { products: (storefront, args, context) => listProducts(context, storefront, args) },
  StorefrontProduct: {
    id: ({ product }) => encodeId('Product', String(product.id)),
    name: async (of) => (await inLanguage(of)).name,
    description: async (of) => (await inLanguage(of)).description,
    permalink: async (of) => (await inLanguage(of)).permalink,
    url: async (of, _, { publicUrl }) =>
      `${publicUrl}/shops/${of.storefront.store.code}/products/${encodeURIComponent((await inLanguage(of)).permalink)}`,
    type: ({ product }) => product.type,
    brand: ({ product }) => product.brand,
    sku: ({ product }) => product.sku,
    barcode: ({ product }) => product.barcode,
    googleProductCategory: ({ product }) => product.googleProductCategory,
    featured: ({ product }) => product.featured,
    shippingRequired: ({ product }) => product.shippingRequired && product.type === 'PHYSICAL',
    minimumQuantity: ({ product }) => product.minimumQuantity,
    maximumQuantity: ({ product }) => product.maximumQuantity,
    price: (of) => priceOfProduct(of, 'minPrice'),
    maximumPrice: (of) => priceOfProduct(of, 'maxPrice'),
    quantityPrices: async (of) => {
      const variants = await of.storefront.load.variantSummary.load(of.product.id)
      return variants ? [] : quantityPrices(of, itemOf(of))
    },
    availability: async ({ storefront, product }) => {
      const variants = await storefront.load.variantSummary.load(product.id)
      return availabilityOf(product, variants ? variants.isInStock : isInStock(product))
    },
    images: ({ storefront, product }) => storefront.load.productImagesOfProduct(IMAGE_COLUMNS).load(product.id),
    options: async ({ storefront, product }) =>
      (await storefront.load.optionsOfProduct.load(product.id)).map((option) => ({ storefront, option })),
    variants: async ({ storefront, product }) =>
      (await storefront.load.variantsOfProduct(VARIANT_COLUMNS).load(product.id)).map((variant) => ({
        storefront,
        product,
        variant,
      })),
    collections: async ({ storefront, product }) =>
      (await storefront.load.categoriesOfProduct(CATEGORY_COLUMNS).load(product.id)).map((category) => ({
        storefront,
        category,
      })),
    seo: async (of) => {
      const { name, pageTitle, metaDescription } = await inLanguage(of)
      return { title: pageTitle ?? name, description: metaDescription }
    },
    rating: async ({ storefront, product }) => {
      const { count, sum } = (await storefront.load.rating.load(product.id)) ?? { count: 0, sum: 0 }
      return { count, average: count === 0 ? null : Math.round((100 * sum) / count) / 100 }
    },
    reviews: ({ storefront, product }, { first }) =>
      storefront.load.publishedReviews(checkPageSize('first', first ?? 10, MAX_REVIEWS)).load(product.id),
    related: async ({ storefront, product }, { first }) => {
      const size = checkPageSize('first', first ?? 8, MAX_RELATED)
      const rows = await storefront.load.relatedIds(size).load(product.id)
      const products = await storefront.load.productById.loadMany(rows.map(({ id }) => id))
      return products.flatMap((found) => (found && !(found instanceof Error) ? [{ storefront, product: found }] : []))
    },
  },
  StorefrontVariant: {
    id: ({ variant }) => encodeId('ProductVariant', String(variant.id)),
    sku: ({ variant }) => variant.sku,
    barcode: ({ variant }) => variant.barcode,
    options: ({ storefront, variant }) => storefront.load.optionsOfVariant.load(variant.id),
    price: async (of) => shown(of, await of.storefront.prices.priceOf(itemOf(of))),
    quantityPrices: (of) => quantityPrices(of, itemOf(of)),
    availability: ({ product, variant }) => availabilityOf(product, isInStock(variant)),
    image: ({ storefront, variant }) =>
      variant.imageId === null ? null : storefront.load.productImageById.load(variant.imageId),
  },
  StorefrontOption: {
    name: ({ option }) => option.name,
    type: ({ option }) => option.optionType,
    values: async ({ storefront, option }) =>
      (await storefront.load.valuesOfOption.load(option.id)).map(({ name, custom }) => ({ name, color: custom })),
  },
  StorefrontImage: { url: ({ key }, _, { files }) => files.publicUrl(key) },
  StorefrontProductConnection: {
    totalCount: ({ count }) => count(),
    facets: ({ facets }) => facets(),
  },
  StorefrontFacets: {
    collections: (rows) => valuesOf(rows, 'collection'),
    brands: (rows) => valuesOf(rows, 'brand'),
    options: (rows) =>
      [...Map.groupBy(of(rows, 'option'), ({ label }) => label ?? '')].map(([name, values]) => ({
        name,
        values: values.map(({ value, count }) => ({ value, label: value, count })),
      })),
    priceMin: (rows) => of(rows, 'price')[0]?.value ?? null,
    priceMax: (rows) => of(rows, 'price')[0]?.label ?? null,
    availableCount: (rows) => of(rows, 'available')[0]?.count ?? 0,
    ratings: (rows) => valuesOf(rows, 'rating'),
  },
} satisfies Resolvers

const of = (rows: readonly FacetRow[], facet: FacetRow['facet']): readonly FacetRow[] => rows.filter((row) => row.facet === facet)

const valuesOf = (rows: readonly FacetRow[], facet: FacetRow['facet']) =>
  of(rows, facet).map(({ value, label, count }) => ({ value, label: label ?? value, count }))

type Texts = Pick<Product, (typeof TRANSLATED)[number] | 'permalink'>

/** The texts of a product in the language of the shop, where it has them. */
async function inLanguage({ storefront: { language, load }, product }: StorefrontProduct): Promise<Texts> {
  const texts = language === null ? null : await load.translationOfProduct(language).load(product.id)
  if (!texts) return product
  const known = ([...TRANSLATED, 'permalink'] as const).flatMap((field) => (texts[field] === null ? [] : [[field, texts[field]]]))
  return { ...product, ...Object.fromEntries(known) }
}

const isInStock = ({ stock, stockUnlimited }: Pick<Product, 'stock' | 'stockUnlimited'>): boolean => stockUnlimited || stock > 0

const availabilityOf = ({ status }: Product, inStock: boolean) =>
  status !== 'AVAILABLE' ? 'NOT_FOR_SALE' : inStock ? 'IN_STOCK' : 'OUT_OF_STOCK'

/** The item of a product, or of one of its variants. */
const itemOf = ({ product, variant }: StorefrontProduct & { readonly variant?: ProductVariant }): ShownItem => ({
  productId: product.id,
  variantId: variant?.id ?? null,
  price: variant?.price ?? product.price,
  discount: product.discount,
  compareAt: variant ? variant.compareAtPrice : product.compareAtPrice,
})

/** The price of a product; with variants, the lowest or highest of theirs. */
async function priceOfProduct(of: StorefrontProduct, bound: 'minPrice' | 'maxPrice'): Promise<ShownPrice> {
  const { product, storefront } = of
  const summary = await storefront.load.variantSummary.load(product.id)
  if (!summary) return shown(of, await storefront.prices.priceOf(itemOf(of)))
  if (!(await storefront.prices.changesPrices()))
    return shown(of, { price: summary[bound], discount: product.discount, compareAt: null })
  const bounds = await storefront.prices.boundsOf(product)
  // A product whose variants were deleted in between has its own price.
  return shown(of, bounds ? bounds[bound] : await storefront.prices.priceOf(itemOf(of)))
}

/** Prices of one unit from some units on, without those that change nothing. */
async function quantityPrices(of: StorefrontProduct, item: ShownItem) {
  const { prices } = of.storefront
  const breaks = (await prices.breaksOf(item)).slice(0, MAX_QUANTITY_PRICES)
  const all = await Promise.all(
    [1, ...breaks].map(async (minimumQuantity) => ({
      minimumQuantity,
      price: await shown(of, await prices.priceOf(item, minimumQuantity)),
    })),
  )
  return all.filter(({ price }, index) => index > 0 && price.amount !== all[index - 1]?.price.amount)
}

async function shown({ storefront, product }: StorefrontProduct, listed: ListedPrice): Promise<ShownPrice> {
  const [rules, categories] = await Promise.all([storefront.load.priceRules(), storefront.load.taxCategories.load(product.id)])
  return shownPrice(rules, storefront.currency, { categories: categories?.ids ?? NONE, listed })
}

const NONE: ReadonlySet<number> = new Set()
