import { amountOf, least, textOf } from '../amount.ts'
import type { TaxRate } from '../order/calculation/tax.ts'
import { orderTotals } from '../order/calculation/totals.ts'
import type { OrderCurrency } from '../store-currency/exchange.ts'
import type { ListedPrice } from '../storefront/shopper-prices.ts'
import { type Tax, taxesIn, taxesOnProduct } from '../tax/tax.ts'

/** What the price of a product depends on in a shop. */
export type PriceRules = {
  /** ISO 3166-1 alpha-2 code: taxes of this country are shown. */
  readonly country: string
  readonly pricesIncludeTax: boolean
  readonly taxes: readonly Tax[]
}

/** What a shopper reads. Decimals are exact text. */
export type ShownPrice = { readonly amount: string; readonly withoutTax: string; readonly compareAt: string | null }

/**
 * A unit price as a customer in the shop's country pays it: the total of an order of one unit.
 * `categories` are those of the product with all above them.
 */
export function shownPrice(
  { country, pricesIncludeTax, taxes }: PriceRules,
  { code: currency, exchange }: OrderCurrency,
  { categories, listed }: { readonly categories: ReadonlySet<number>; readonly listed: ListedPrice },
): ShownPrice {
  const { price, discount, compareAt } = listed
  const rates = taxesOnProduct(taxesIn(taxes, exchange), categories, {
    country,
    region: null,
    municipality: null,
    postal: null,
  }).map(({ rate, fixed }): TaxRate => ({ rate: amountOf(rate), isFixed: fixed }))
  const lineOf = (unit: string, off: string) => {
    const line = { price: amountOf(unit), quantity: 1, discount: least(amountOf(off), amountOf(unit)), taxes: rates }
    const { total, tax } = orderTotals({ currency, pricesIncludeTax, lines: [line], ...NOTHING_ELSE })
    return { total, tax }
  }
  const now = lineOf(price, discount)
  const former = lineOf(compareAt ?? price, '0').total
  return {
    amount: textOf(now.total),
    withoutTax: textOf(now.total - now.tax),
    compareAt: former > now.total ? textOf(former) : null,
  }
}

const NOTHING_ELSE = { discount: 0n, shipping: 0n, shippingDiscount: 0n, shippingTaxes: [], giftCards: 0n }
