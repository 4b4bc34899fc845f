import { keysOf } from '../../../platform/collections/keys-of.ts'
import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { amountOf } from '../amount.ts'
import { MAX_STOCK } from '../inventory/inventory.ts'
import type { VariantOptionType } from '../product-option/product-option.ts'

/** One of the forms that a product comes in. Decimals are exact text. */
export type ProductVariant = {
  readonly id: number
  readonly productId: number
  readonly price: string
  readonly costPerItem: string | null
  readonly compareAtPrice: string | null
  readonly sku: string | null
  readonly barcode: string | null
  readonly stock: number
  readonly stockUnlimited: boolean
  readonly stockThreshold: number
  readonly stockNotification: boolean
  readonly imageId: number | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** The value that a variant has of one option. */
export type VariantOption = {
  readonly variantId: number
  readonly name: string
  readonly optionType: VariantOptionType
  readonly value: string
  readonly custom: string | null
  readonly optionPosition: number
  readonly valuePosition: number
}

/** Fields of a variant that the merchant writes, besides its image and options. */
export type VariantFields = Omit<ProductVariant, 'id' | 'productId' | 'imageId' | 'createdAt' | 'updatedAt' | 'version'>

/** Fields as a caller gives them: undefined stays as it is, null clears. */
export type VariantChange = { readonly [Field in keyof VariantFields]?: VariantFields[Field] | null | undefined }

/** What lists of a product promise to hold. */
export const MAX_VARIANTS = 500

/** Defaults of a new variant of a product with this price. */
export const newVariant = (price: string): VariantFields => ({
  price,
  costPerItem: null,
  compareAtPrice: null,
  sku: null,
  barcode: null,
  // The REST contract's own default.
  stock: 100,
  stockUnlimited: false,
  stockThreshold: 0,
  stockNotification: false,
})

const CLEARABLE: ReadonlySet<keyof VariantFields> = new Set(['costPerItem', 'compareAtPrice', 'sku', 'barcode'])

/** The variant as it is after the change. Blank texts clear what can be empty: forms send them. */
export function changedVariant(before: VariantFields, change: VariantChange): VariantFields {
  const fields = keysOf(newVariant('0'))
  const given = (field: keyof VariantFields) => {
    const value = change[field]
    if (value === undefined) return before[field]
    return typeof value === 'string' && value.trim() === '' ? null : value
  }
  // One entry for each field.
  return Object.fromEntries(fields.map((field) => [field, given(field)])) as never
}

/** Problems of a variant after a change; `at` prefixes every field. */
export function variantProblems(variant: VariantFields, at = ''): readonly Problem[] {
  const missing = keysOf(variant).filter((field) => variant[field] === null && !CLEARABLE.has(field))
  if (missing.length > 0) return missing.map((field) => problem(`${at}${field}`, 'something', null))
  const { price, costPerItem, compareAtPrice, sku, barcode, stock, stockThreshold } = variant
  return problemsIn([
    price.startsWith('-') ? problem(`${at}price`, '0 or more', price) : null,
    costPerItem?.startsWith('-') ? problem(`${at}costPerItem`, '0 or more', costPerItem) : null,
    compareAtPrice !== null && amountOf(compareAtPrice) <= amountOf(price)
      ? problem(`${at}compareAtPrice`, `more than the price of ${price}`, compareAtPrice)
      : null,
    sku === null ? null : textProblem(`${at}sku`, sku, 255),
    barcode === null ? null : textProblem(`${at}barcode`, barcode, 255),
    stock < 0 || stock > MAX_STOCK ? problem(`${at}stock`, `0 to ${MAX_STOCK}`, stock) : null,
    stockThreshold < 0 || stockThreshold > MAX_STOCK ? problem(`${at}stockThreshold`, `0 to ${MAX_STOCK}`, stockThreshold) : null,
  ])
}

/** Key of a variant within its product: its values, sorted. */
export const combinationOf = (valueIds: readonly number[]): string => valueIds.toSorted((one, other) => one - other).join(',')
