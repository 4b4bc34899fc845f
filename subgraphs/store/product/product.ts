import { keysOf } from '../../../platform/collections/keys-of.ts'
import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { amountOf } from '../amount.ts'
import { MAX_STOCK } from '../inventory/inventory.ts'

export type ProductType = 'PHYSICAL' | 'DIGITAL' | 'GIFT_CARD'
export type ProductStatus = 'AVAILABLE' | 'NOT_AVAILABLE' | 'DISABLED'
export type PackageFormat = 'BOX' | 'CYLINDER'

/** Something a store sells. Decimals are exact text. */
export type Product = {
  readonly id: number
  readonly name: string
  readonly pageTitle: string | null
  readonly metaDescription: string | null
  readonly description: string | null
  readonly type: ProductType
  readonly status: ProductStatus
  readonly daysToExpire: number
  readonly price: string
  readonly discount: string
  readonly costPerItem: string | null
  readonly compareAtPrice: string | null
  readonly weight: string
  readonly stock: number
  readonly stockUnlimited: boolean
  readonly stockThreshold: number
  readonly stockNotification: boolean
  readonly backInStockEnabled: boolean
  readonly minimumQuantity: number | null
  readonly maximumQuantity: number | null
  readonly sku: string | null
  readonly brand: string | null
  readonly barcode: string | null
  readonly googleProductCategory: string | null
  readonly quotable: boolean
  readonly featured: boolean
  readonly reviewsEnabled: boolean
  readonly shippingRequired: boolean
  readonly packageFormat: PackageFormat
  readonly length: string | null
  readonly width: string | null
  readonly height: string | null
  readonly diameter: string | null
  readonly permalink: string
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** Fields of a product that the merchant writes. */
export type ProductFields = Omit<Product, 'id' | 'permalink' | 'createdAt' | 'updatedAt' | 'version'>

/** Fields as a caller gives them: undefined stays as it is, null clears. */
export type ProductChange = { readonly [Field in keyof ProductFields]?: ProductFields[Field] | null | undefined }

/** Fields that are stored per language. */
export const TRANSLATED = ['name', 'description', 'pageTitle', 'metaDescription'] as const

/** Defaults of a new product, as in the schema. */
export const NEW_PRODUCT: ProductFields = {
  name: '',
  pageTitle: null,
  metaDescription: null,
  description: null,
  type: 'PHYSICAL',
  status: 'AVAILABLE',
  daysToExpire: 365,
  price: '0',
  discount: '0',
  costPerItem: null,
  compareAtPrice: null,
  weight: '1',
  // The REST contract's own default.
  stock: 100,
  stockUnlimited: false,
  stockThreshold: 0,
  stockNotification: false,
  backInStockEnabled: false,
  minimumQuantity: null,
  maximumQuantity: null,
  sku: null,
  brand: null,
  barcode: null,
  googleProductCategory: null,
  quotable: false,
  featured: false,
  reviewsEnabled: true,
  shippingRequired: true,
  packageFormat: 'BOX',
  length: null,
  width: null,
  height: null,
  diameter: null,
}

/** Lengths of texts, in characters. */
const TEXTS: Readonly<Partial<Record<keyof ProductFields, number>>> = {
  name: 255,
  pageTitle: 255,
  metaDescription: 1_000,
  description: 100_000,
  sku: 255,
  brand: 255,
  barcode: 255,
  googleProductCategory: 1_000,
}
const AMOUNTS = ['price', 'discount', 'costPerItem', 'compareAtPrice', 'weight', 'length', 'width', 'height', 'diameter'] as const
const WHOLE: readonly (readonly [field: keyof ProductFields, min: number, max: number])[] = [
  ['daysToExpire', 1, 36_500],
  ['stock', 0, MAX_STOCK],
  ['stockThreshold', 0, MAX_STOCK],
  ['minimumQuantity', 1, MAX_STOCK],
  ['maximumQuantity', 1, MAX_STOCK],
]

/** The product as it is after the change. Blank texts clear what can be empty: forms send them. */
export function changed(before: ProductFields, change: ProductChange): ProductFields {
  const fields = keysOf(NEW_PRODUCT)
  return Object.fromEntries(
    fields.map((field) => [field, change[field] === undefined ? before[field] : given(field, change)]),
    // One entry for each field.
  ) as never
}

function given(field: keyof ProductFields, change: ProductChange): unknown {
  const value = change[field]
  if (field === 'discount') return value ?? NEW_PRODUCT.discount
  return typeof value === 'string' && value.trim() === '' && field !== 'name' && field in TEXTS ? null : value
}

/**
 * Problems of a product after a change, in the order of the schema. Null for a required field is
 * one, too.
 */
export function productProblems(product: ProductFields): readonly Problem[] {
  const missing = keysOf(NEW_PRODUCT).filter((field) => product[field] === null && NEW_PRODUCT[field] !== null)
  if (missing.length > 0) return missing.map((field) => problem(field, 'something', null))
  const single = problemsIn([
    ...Object.entries(TEXTS).map(([field, max]) => {
      // Keys of TEXTS, all fields of a product.
      const text = product[field as keyof ProductFields]
      return typeof text === 'string' ? textProblem(field, text, max) : null
    }),
    ...AMOUNTS.map((field) => (product[field]?.startsWith('-') ? problem(field, '0 or more', product[field]) : null)),
    ...WHOLE.map(([field, min, max]) => {
      const number = product[field]
      return typeof number === 'number' && (number < min || number > max) ? problem(field, `${min} to ${max}`, number) : null
    }),
  ])
  return single.length > 0 ? single : mutualProblems(product)
}

/** Problems between fields that are valid by themselves. */
const mutualProblems = ({
  price,
  discount,
  compareAtPrice,
  minimumQuantity,
  maximumQuantity,
}: ProductFields): readonly Problem[] =>
  problemsIn([
    amountOf(discount) > amountOf(price) ? problem('discount', `at most the price of ${price}`, discount) : null,
    compareAtPrice !== null && amountOf(compareAtPrice) <= amountOf(price)
      ? problem('compareAtPrice', `more than the price of ${price}`, compareAtPrice)
      : null,
    minimumQuantity !== null && maximumQuantity !== null && maximumQuantity < minimumQuantity
      ? problem('maximumQuantity', `at least the minimum of ${minimumQuantity}`, maximumQuantity)
      : null,
  ])
