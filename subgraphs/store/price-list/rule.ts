import { type Amount, amountOf, LARGEST, least, minorUnitOf, ONE, textOf } from '../amount.ts'
import type { PriceList, PriceListPrice } from './price-list.ts'

/** How a list adjusts prices. */
export type AppliedList = Pick<PriceList, 'id' | 'adjustmentPercent' | 'roundingStep' | 'roundingEnding' | 'roundingDirection'>

/** Lists that apply to a customer now, and what they set for some products. */
export type CustomerPrices = {
  /** ISO 4217 code of the store. */
  readonly currency: string
  /** In their order: the first one with a price for an item sets it. */
  readonly lists: readonly AppliedList[]
  /** Of these lists. */
  readonly fixed: FixedPrices
}

/** Fixed prices by their list and item, each in any order. */
export type FixedPrices = ReadonlyMap<string, readonly PriceListPrice[]>

/** Prices without any list. */
export const NO_LISTS: CustomerPrices = { currency: '', lists: [], fixed: new Map() }

/** Fixed prices by their list and item: a product may have thousands. */
export const byItem = (prices: readonly PriceListPrice[]): FixedPrices =>
  Map.groupBy(prices, ({ priceListId, productId, variantId }) => itemKey(priceListId, productId, variantId))

const itemKey = (priceListId: number, productId: number, variantId: number | null): string =>
  `${priceListId} ${productId} ${variantId ?? 0}`

/** An item with its price without lists. Decimals are exact text. */
export type PricedItem = {
  readonly productId: number
  readonly variantId: number | null
  readonly price: string
  /** Off one unit. */
  readonly discount: string
}

/** Price of one unit by a list. `compareAt` null: the list has none of its own. */
export type ListPrice = { readonly price: string; readonly compareAt: string | null }

/** Lists without those that never set a price: one that adjusts all prices is the last to be asked. */
export function reachableLists<List extends AppliedList>(lists: readonly List[]): readonly List[] {
  const last = lists.findIndex(({ adjustmentPercent }) => adjustmentPercent !== null)
  return last === -1 ? lists : lists.slice(0, last + 1)
}

/**
 * Price of one unit of an item by the first list that has one; null: none has. Of a list, the price
 * of the variant comes before that of its product, then the highest minimum that `quantity`
 * reaches, then the adjustment. Price and discount of the item are replaced.
 */
export function priceByLists({ currency, lists, fixed }: CustomerPrices, item: PricedItem, quantity: number): ListPrice | null {
  const { productId, variantId } = item
  for (const list of lists) {
    const set =
      highest(fixed.get(itemKey(list.id, productId, variantId)), quantity) ??
      highest(fixed.get(itemKey(list.id, productId, null)), quantity)
    if (set) return { price: set.price, compareAt: set.compareAtPrice }
    if (list.adjustmentPercent !== null) return { price: textOf(adjustedPrice(list, item, currency)), compareAt: null }
  }
  return null
}

/** Numbers of units from which an item has another price, ascending, without one. */
export function quantityBreaks({ lists, fixed }: CustomerPrices, { productId, variantId }: PricedItem): readonly number[] {
  const own = lists.flatMap(({ id }) => [variantId, null].flatMap((variant) => fixed.get(itemKey(id, productId, variant)) ?? []))
  const breaks = own.map(({ minimumQuantity }) => minimumQuantity).filter((minimum) => minimum > 1)
  return [...new Set(breaks)].toSorted((one, other) => one - other)
}

/** The price with the highest minimum that a quantity reaches; null: it reaches none. */
const highest = (prices: readonly PriceListPrice[] = [], quantity: number): PriceListPrice | null =>
  prices
    .filter(({ minimumQuantity }) => minimumQuantity <= quantity)
    .reduce<PriceListPrice | null>(
      (best, price) => (best === null || price.minimumQuantity > best.minimumQuantity ? price : best),
      null,
    )

/**
 * The price of an item after its own discount, with the percent of a list added, rounded to the
 * ending of the list, and then to minor units: those of the step may be of a currency that the
 * store had before. Never below zero.
 */
export function adjustedPrice(list: AppliedList, { price, discount }: PricedItem, currency: string): Amount {
  const listed = amountOf(price)
  const base = listed - least(amountOf(discount), listed)
  const unit = minorUnitOf(currency)
  const exact = { of: base * (100n * ONE + amountOf(list.adjustmentPercent ?? '0')), over: 100n * ONE }
  if (exact.of === 0n) return 0n
  const [step, ending] = [list.roundingStep === null ? unit : amountOf(list.roundingStep), amountOf(list.roundingEnding)]
  const isBelow = exact.of < ending * exact.over && list.roundingDirection !== 'UP'
  const ended = roundedTo(exact, isBelow ? [unit, 0n] : [step, ending], list.roundingDirection)
  return least(roundedTo({ of: ended, over: 1n }, [unit, 0n], list.roundingDirection), LARGEST)
}

/** The amount `ending + n × step`, n 0 or more, that `of ÷ over` becomes. */
function roundedTo(
  { of, over }: { readonly of: bigint; readonly over: bigint },
  [step, ending]: readonly [step: Amount, ending: Amount],
  direction: PriceList['roundingDirection'],
): Amount {
  if (of <= ending * over) return ending
  const lower = ending + ((of - ending * over) / (step * over)) * step
  const above = of - lower * over
  if (above === 0n || direction === 'DOWN') return lower
  return direction === 'UP' || 2n * above >= step * over ? lower + step : lower
}
