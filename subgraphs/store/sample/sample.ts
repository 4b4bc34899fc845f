import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CustomerStatus } from '../customer/customer.ts'
import type { OrderStatus, ShipmentStatus } from '../order/status/states.ts'
import type { ProductStatus } from '../product/product.ts'
import type { ProductReview } from '../product-review/product-review.ts'
import { permalinkOf } from '../text-key.ts'
import type { Motif } from './picture.ts'

/** A product of the sample. Prices are in euros, or what buys as much; weights in kilograms. */
export type SampleProduct = {
  readonly sku: string
  readonly name: string
  readonly text: string
  readonly brand: string
  /** Path of its category from the top, names with slashes between; it is in all of them. */
  readonly in: string
  readonly price: number
  /** Price before the discount. */
  readonly before?: number
  readonly weight: number
  readonly motif: Motif
  /** Of its picture; unheeded where an option has colours. */
  readonly colour: string
  readonly status?: ProductStatus
  readonly featured?: true
  /**
   * Options: values with their colours, or values alone. Their combinations are its variants, the
   * last option changing fastest.
   */
  readonly options?: Readonly<Record<string, Readonly<Record<string, string>> | readonly string[]>>
  /** What the variants with a value cost more. */
  readonly dearer?: Readonly<Record<string, number>>
  /** Pieces at each location, of every variant or of the product. */
  readonly stock: readonly (readonly [workshop: number, shop: number])[]
}

/**
 * A variant of the sample: its values of each option. `sku` is the product's with these behind it.
 */
export type SampleVariant = {
  readonly sku: string
  readonly price: number
  readonly values: readonly { readonly option: string; readonly value: string; readonly colour: string | null }[]
}

/** A customer; without an address, in the capital of the store's country. */
export type SampleCustomer = {
  readonly email: string
  readonly name: string
  readonly surname: string
  readonly address: string
  readonly city?: string
  readonly postal?: string
  readonly country?: string
  /** Within Ireland; of the numbers reserved for fiction. */
  readonly phone?: string
  readonly in?: readonly string[]
  readonly marketing?: true
  readonly status?: CustomerStatus
}

/** An order of the sample, and how it went. Lines are units by SKU. */
export type SampleOrder = {
  /** Days before now, as in all of these. */
  readonly days: number
  readonly who: string
  readonly lines: Readonly<Record<string, number>>
  readonly delivery: 'Post' | 'Courier' | 'Collect'
  readonly pays?: 'Bank transfer'
  readonly coupon?: string
  /** Final state: PAID orders wait to be packed, and none is UNFULFILLED. */
  readonly ends: Exclude<OrderStatus | ShipmentStatus, 'UNFULFILLED'>
  /** It was canceled before the payment. */
  readonly unpaid?: true
  /** Why it was canceled. */
  readonly reason?: string
  readonly refund?: {
    readonly amount?: number
    readonly lines?: Readonly<Record<string, number>>
    readonly restock?: true
    readonly reason: string
  }
}

type Trade = {
  readonly customers: readonly SampleCustomer[]
  readonly orders: readonly SampleOrder[]
  readonly reviews: readonly {
    /** SKU of the product. */
    readonly of: string
    readonly who: string
    readonly rating: number
    readonly says: string | null
    readonly status?: ProductReview['status']
  }[]
  readonly pages: readonly { readonly title: string; readonly in: string; readonly body: string; readonly legal?: true }[]
}

/** What a new store is filled with, from the files beside this one. */
export const readSample = (): { readonly products: readonly SampleProduct[] } & Trade => ({
  // Our own file, which a test reads.
  products: contentOf('catalogue.json') as readonly SampleProduct[],
  ...(contentOf('trade.json') as Trade),
})

// Our own files: a test reads every word of them.
const contentOf = (file: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8'))

/** The variants of a product, in the order of its stock; none where there is nothing to choose. */
export function variantsOf({ sku, price, options, dearer }: SampleProduct): readonly SampleVariant[] {
  if (!options) return []
  const combinations = Object.entries(options).reduce<readonly SampleVariant['values'][]>(
    (begun, [option, values]) =>
      begun.flatMap((chosen) =>
        (Array.isArray(values) ? values.map((value) => [value, null] as const) : Object.entries(values)).map(
          ([value, colour]) => [...chosen, { option, value, colour }],
        ),
      ),
    [[]],
  )
  return combinations.map((values) => ({
    sku: [sku, ...values.map(({ value }) => permalinkOf(value).toUpperCase())].join('-'),
    price: values.reduce((sum, { value }) => sum + (dearer?.[value] ?? 0), price),
    values,
  }))
}
