import type { Resolvers } from '#generated/store/resolvers.ts'
import { checkPageSize } from '../../toolkit/connection.ts'
import { encodeId } from '../../toolkit/ids.ts'
import { type Product, TRANSLATED } from '../product/product.ts'
import { CATEGORY_COLUMNS } from '../product-category/repository.ts'
import { IMAGE_COLUMNS } from '../product-image/repository.ts'
import type { ProductVariant } from '../product-variant/product-variant.ts'
import { VARIANT_COLUMNS } from '../product-variant/repository.ts'
import { listProducts, type StorefrontProduct } from './listing.ts'
import type { FacetRow } from './listing-repository.ts'
import { type ListedPrice, type ShownPrice, shownPrice } from './price.ts'

const MAX_REVIEWS = 50
const MAX_RELATED = 20

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
    price: (of) => shown(of, listedVariant(of.product, of.variant)),
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

const listedVariant = (product: Product, variant: ProductVariant): ListedPrice => ({
  price: variant.price,
  discount: product.discount,
  compareAt: variant.compareAtPrice,
})

/** The price of a product; with variants, the lowest or highest of theirs. */
async function priceOfProduct(of: StorefrontProduct, bound: 'minPrice' | 'maxPrice'): Promise<ShownPrice> {
  const { product, storefront } = of
  const variants = await storefront.load.variantSummary.load(product.id)
  const { price, discount, compareAtPrice } = product
  return shown(
    of,
    variants ? { price: variants[bound], discount, compareAt: null } : { price, discount, compareAt: compareAtPrice },
  )
}

async function shown({ storefront, product }: StorefrontProduct, listed: ListedPrice): Promise<ShownPrice> {
  const [rules, categories] = await Promise.all([storefront.load.priceRules(), storefront.load.taxCategories.load(product.id)])
  return shownPrice(rules, categories?.ids ?? NONE, listed)
}

const NONE: ReadonlySet<number> = new Set()
