import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { amountOf, minorUnitOf, ONE } from '../amount.ts'
import { decodeId } from '../ids.ts'
import { roundingProblems } from '../store-currency/store-currency.ts'

/** Prices for a category of customers, or for everybody. Decimals are exact text. */
export type PriceList = {
  readonly id: number
  readonly name: string
  readonly active: boolean
  /** Row of the category; null: everybody. */
  readonly customerCategoryId: number | null
  /** ISO 4217 code; null: that of the store. */
  readonly currency: string | null
  /** Of two lists, the one with the higher number comes first. */
  readonly priority: number
  /** Inclusive; null: it has begun. */
  readonly startsAt: Date | null
  /** Exclusive; null: it does not end. */
  readonly endsAt: Date | null
  /** Percent that are added to prices; null: only fixed prices count. */
  readonly adjustmentPercent: string | null
  /** Null: the minor unit of the currency. */
  readonly roundingStep: string | null
  readonly roundingEnding: string
  readonly roundingDirection: 'NEAREST' | 'UP' | 'DOWN'
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** What a merchant writes of a list. */
export type PriceListFields = Omit<PriceList, 'id' | 'createdAt' | 'updatedAt' | 'version'>

/** Price of one unit that a list sets for an item. Decimals are exact text. */
export type PriceListPrice = {
  readonly id: number
  readonly priceListId: number
  readonly productId: number
  /** Null: the product, and all its variants without a price of their own. */
  readonly variantId: number | null
  /** Units of the item in an order from which it counts. */
  readonly minimumQuantity: number
  readonly price: string
  /** Null: that of the item. */
  readonly compareAtPrice: string | null
}

/** A fixed price as a caller gives it. */
export type PriceInput = {
  readonly productId: string
  readonly variantId?: string | null | undefined
  readonly minimumQuantity?: number | null | undefined
  readonly price: string
  readonly compareAtPrice?: string | null | undefined
}

/** Item of a fixed price as a caller gives it. */
export type PriceItemInput = {
  readonly productId: string
  readonly variantId?: string | null | undefined
  readonly minimumQuantity?: number | null | undefined
}

/** A fixed price to write, with the rows of its item. */
export type WrittenPrice = Omit<PriceListPrice, 'id' | 'priceListId'>

/** Of one store: a shopper's request looks at all of them. */
export const MAX_PRICE_LISTS = 50
/** Of one list. */
export const MAX_PRICES = 10_000
/** Of one item in one list, by number of units. */
export const MAX_QUANTITY_BREAKS = 20
/** Of one request. */
const MAX_ROWS = 250
const MAX_PRIORITY = 1_000
const MAX_UNITS = 1_000_000
/** Percent: eleven times the price. */
const MAX_PERCENT = 1_000n * ONE

/** Invalid fields of a list, in their order. */
export function priceListProblems(fields: PriceListFields, currency: string): readonly Problem[] {
  const { name, priority, startsAt, endsAt, adjustmentPercent } = fields
  const percent = adjustmentPercent === null ? 0n : amountOf(adjustmentPercent)
  return problemsIn([
    textProblem('name', name, 200),
    priority < 0 || priority > MAX_PRIORITY ? problem('priority', `0 to ${MAX_PRIORITY}`, priority) : null,
    startsAt && endsAt && endsAt <= startsAt ? problem('endsAt', 'after "startsAt"', endsAt.toISOString()) : null,
    percent < -100n * ONE || percent > MAX_PERCENT
      ? problem('adjustmentPercent', `-100 to ${MAX_PERCENT / ONE}`, adjustmentPercent)
      : null,
    ...roundingProblems(fields, currency),
  ])
}

/** Problems of how many rows a request has; null when there are neither none nor too many. */
const countProblem = (field: string, rows: readonly unknown[]): Problem | null =>
  rows.length < 1 || rows.length > MAX_ROWS ? problem(field, `1 to ${MAX_ROWS} rows`, rows.length) : null

/** The rows of fixed prices, or what is wrong with each of them. Row 0 does not exist. */
export function writtenPrices(
  inputs: readonly PriceInput[],
  currency: string,
): { readonly prices: readonly WrittenPrice[] } | { readonly problems: readonly Problem[] } {
  const count = countProblem('prices', inputs)
  if (count) return { problems: [count] }
  const unit = minorUnitOf(currency)
  const isPrice = (text: string) => !text.startsWith('-') && amountOf(text) % unit === 0n
  const prices = inputs.map(({ productId, variantId, minimumQuantity, price, compareAtPrice }) => ({
    ...itemRows({ productId, variantId }),
    minimumQuantity: minimumQuantity ?? 1,
    price,
    compareAtPrice: compareAtPrice ?? null,
  }))
  const seen = new Set<string>()
  const problems = prices.flatMap(({ productId, variantId, minimumQuantity, price, compareAtPrice }, index) => {
    const at = `prices.${index}`
    const key = `${productId} ${variantId} ${minimumQuantity}`
    const isRepeated = seen.has(key)
    seen.add(key)
    return problemsIn([
      isRepeated ? problem(at, 'of an item and minimum that no row before has', inputs[index]?.productId) : null,
      minimumQuantity < 1 || minimumQuantity > MAX_UNITS
        ? problem(`${at}.minimumQuantity`, `1 to ${MAX_UNITS}`, minimumQuantity)
        : null,
      isPrice(price) ? null : problem(`${at}.price`, `0 or more, in whole minor units of ${currency}`, price),
      compareAtPrice === null || (isPrice(compareAtPrice) && amountOf(compareAtPrice) > amountOf(price))
        ? null
        : problem(`${at}.compareAtPrice`, `above the price, in whole minor units of ${currency}`, compareAtPrice),
    ])
  })
  return problems.length > 0 ? { problems } : { prices }
}

/** Problems of rows whose item the store does not have. */
export const unknownItems = (
  inputs: readonly PriceInput[],
  prices: readonly WrittenPrice[],
  { products, variants }: { readonly products: ReadonlySet<number>; readonly variants: ReadonlyMap<number, number> },
): readonly Problem[] =>
  prices.flatMap(({ productId, variantId }, index) => {
    const input = inputs[index]
    if (!products.has(productId)) return [problem(`prices.${index}.productId`, 'a product of the store', input?.productId)]
    if (variantId === null || variants.get(variantId) === productId) return []
    return [problem(`prices.${index}.variantId`, 'a variant of the product', input?.variantId)]
  })

/** The rows of items, or what is wrong with their number. */
export function removedItems(inputs: readonly PriceItemInput[]) {
  const count = countProblem('items', inputs)
  if (count) return { problems: [count] }
  return { items: inputs.map((input) => ({ ...itemRows(input), minimumQuantity: input.minimumQuantity ?? null })) }
}

/** Invalid ids are row 0, which does not exist. */
const itemRows = ({ productId, variantId }: Pick<PriceItemInput, 'productId' | 'variantId'>) => ({
  productId: decodeId(productId, 'Product') ?? 0,
  variantId: variantId == null ? null : (decodeId(variantId, 'ProductVariant') ?? 0),
})
