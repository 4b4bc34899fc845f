import { type Amount, amountOf, least, textOf } from '../amount.ts'
import {
  convertedPrice,
  exactPrice,
  type OrderCurrency,
  type PriceRounding,
  roundedConversion,
  roundedPrice,
  withPercent,
} from '../store-currency/exchange.ts'
import type { PriceList, PriceListPrice } from './price-list.ts'

/** How a list adjusts prices. */
export type AppliedList = PriceRounding & Pick<PriceList, 'id' | 'currency' | 'adjustmentPercent'>

/** Lists that apply to a customer now, and what they set for some products. */
export type CustomerPrices = {
  readonly currency: OrderCurrency
  /** In their order: the first one with a price for an item sets it. */
  readonly lists: readonly AppliedList[]
  /** Of these lists. */
  readonly fixed: FixedPrices
}

/** Fixed prices by their list and item, each in any order. */
export type FixedPrices = ReadonlyMap<string, readonly PriceListPrice[]>

/** Prices without any list. */
export const withoutLists = (currency: OrderCurrency): CustomerPrices => ({ currency, lists: [], fixed: new Map() })

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
 * reaches, then the adjustment. Price and discount of the item are replaced. In another currency than
 * that of the store, each item without a list has the converted price.
 */
export function priceByLists({ currency, lists, fixed }: CustomerPrices, item: PricedItem, quantity: number): ListPrice | null {
  const { productId, variantId } = item
  for (const list of lists) {
    const set =
      highest(fixed.get(itemKey(list.id, productId, variantId)), quantity) ??
      highest(fixed.get(itemKey(list.id, productId, null)), quantity)
    const found = set && { price: set.price, compareAt: set.compareAtPrice }
    if (found) return isIn(list, currency) ? found : inCurrency(found, currency)
    if (list.adjustmentPercent !== null) return { price: textOf(adjustedPrice(list, item, currency)), compareAt: null }
  }
  if (currency.exchange === null) return null
  const net = amountOf(item.price) - least(amountOf(item.discount), amountOf(item.price))
  return { price: textOf(convertedPrice(net, currency)), compareAt: null }
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
 * The price of an item after its own discount in a currency, with the percent of a list added, rounded
 * to the ending of the list; one of another currency than that of the list, to the ending of the
 * currency. Never below zero.
 */
export function adjustedPrice(list: AppliedList, { price, discount }: PricedItem, currency: OrderCurrency): Amount {
  const listed = amountOf(price)
  const base = listed - least(amountOf(discount), listed)
  const exact = withPercent(exactPrice(base, currency.exchange), amountOf(list.adjustmentPercent ?? '0'))
  if (currency.exchange === null) return roundedPrice(exact, list, currency.code)
  return roundedConversion(exact, isIn(list, currency) ? list : currency.rounding, currency.code)
}

/** Whether the prices of a list are in a currency already. */
const isIn = (list: AppliedList, { code, exchange }: OrderCurrency): boolean => exchange === null || list.currency === code

/** Prices of one unit in a currency. */
const inCurrency = ({ price, compareAt }: ListPrice, currency: OrderCurrency): ListPrice => ({
  price: textOf(convertedPrice(amountOf(price), currency)),
  compareAt: compareAt === null ? null : textOf(convertedPrice(amountOf(compareAt), currency)),
})
