import { type Amount, amountOf } from '../amount.ts'
import type { Place } from '../place.ts'
import { applyPromotions, type CartLine, type Discounts } from '../promotion/apply.ts'
import type { PromotionRule } from '../promotion/rule.ts'
import { type Tax, taxesOnProduct, taxesOnShipping } from '../tax/tax.ts'
import { type OrderMoney, orderMoney, type TaxRate } from './money.ts'

export type Basket = {
  readonly currency: string
  readonly pricesIncludeTax: boolean
  readonly lines: readonly CartLine[]
  /** What shipping costs before promotions; null: nothing is sent, or the way is not chosen yet, and nothing is due for it. */
  readonly shipping: Amount | null
  /** Where it goes: promotions of shipping ask for it. */
  readonly place: Place
  /** Where taxes are due: the place of shipping or of billing, as the store has it. */
  readonly taxPlace: Place
  readonly customer: { readonly categories: ReadonlySet<number> } | null
  readonly couponCodes: readonly string[]
  /** What gift cards can pay. */
  readonly giftCards: Amount
  readonly now: Date
}

export type Rules = { readonly promotions: readonly PromotionRule[]; readonly taxes: readonly Tax[] }

export type PricedOrder = {
  readonly money: OrderMoney
  readonly discounts: Discounts
  /** The taxes of each line, in the order of `money.lines[n].taxes`. */
  readonly lineTaxes: readonly (readonly Tax[])[]
  /** In the order of `money.shippingTaxes`. */
  readonly shippingTaxes: readonly Tax[]
}

/** What a basket comes to under the rules of its store. An order whose prices are given by an application has no promotions among its rules. */
export function priced(basket: Basket, { promotions, taxes }: Rules): PricedOrder {
  const discounts = applyPromotions(basket, promotions)
  const lineTaxes = basket.lines.map(({ categories }) => taxesOnProduct(taxes, categories, basket.taxPlace))
  const shippingTaxes = basket.shipping === null ? [] : taxesOnShipping(taxes, basket.taxPlace)
  const money = orderMoney({
    currency: basket.currency,
    pricesIncludeTax: basket.pricesIncludeTax,
    lines: basket.lines.map(({ price, quantity, discount }, index) => ({
      price,
      quantity,
      discount: discount + (discounts.lines[index] ?? 0n),
      taxes: (lineTaxes[index] ?? []).map(rateOf),
    })),
    discount: discounts.order,
    shipping: basket.shipping ?? 0n,
    shippingDiscount: discounts.shipping,
    shippingTaxes: shippingTaxes.map(rateOf),
    giftCards: basket.giftCards,
  })
  return { money, discounts, lineTaxes, shippingTaxes }
}

const rateOf = ({ rate, fixed }: Tax): TaxRate => ({ rate: amountOf(rate), isFixed: fixed })
