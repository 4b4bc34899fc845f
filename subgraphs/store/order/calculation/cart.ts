import { type Amount, amountOf } from '../../amount.ts'
import type { OrderDestination } from '../../destination.ts'
import type { GiftCard } from '../../gift-card/gift-card.ts'
import { applyPromotions, type CartLine, type Discounts } from '../../promotion/apply.ts'
import type { PromotionRule } from '../../promotion/rule.ts'
import type { ExchangeRate } from '../../store-currency/exchange.ts'
import { type Tax, taxesOnProduct, taxesOnShipping } from '../../tax/tax.ts'
import type { StoreQuery } from '../../write.ts'
import type { TaxRate } from './tax.ts'
import { type OrderTotals, orderTotals } from './totals.ts'

/** The database, a transaction or not, a store and a time: what a calculation reads by. */
export type CalculationScope = StoreQuery & { readonly now: Date }

/** Codes that may be entered for one order. */
export const MAX_COUPON_CODES = 20

/** The cart of an order; amounts are decimal text. */
export type CartInput = {
  /** ISO 4217 code of the order. */
  readonly currency: string
  /** How amounts of the store become those of the order; null: they are in its currency. */
  readonly exchange: ExchangeRate | null
  readonly lines: readonly {
    /** Null: not a product of the store. */
    readonly productId: number | null
    /** Of one unit. */
    readonly price: string
    /** 1 or more. */
    readonly quantity: number
    /** Off the whole line. */
    readonly discount: string
  }[]
  /**
   * Price of shipping, as quoted or as given; null: nothing is shipped, or no shipping method is
   * chosen yet.
   */
  readonly shipping: string | null
  readonly shippingDestination: OrderDestination
  readonly billingDestination: OrderDestination
  /** Categories of the customer; null: a guest. */
  readonly customer: { readonly categories: ReadonlySet<number> } | null
  /** As the customer wrote them; only the first 20 apply. */
  readonly couponCodes: readonly string[]
  /** Gift cards that were entered; some may not be able to pay. */
  readonly giftCards: readonly GiftCard[]
  /** Whether an application gave the prices: no promotion changes them. */
  readonly arePricesGiven: boolean
  /** Off the order as a whole, besides promotions. */
  readonly orderDiscount?: string
  /** Of an order that was placed: what was agreed besides its lines; absent: a new order. */
  readonly agreed?: {
    readonly shippingDiscount: string
    readonly giftCards: string
    /** Rates of fixed taxes by tax, where `exchange` does not convert them. */
    readonly fixedTaxes: ReadonlyMap<number, string>
  }
}

/** The same with amounts as numbers, and with the rows of its products. */
export type Cart = {
  readonly currency: string
  readonly pricesIncludeTax: boolean
  readonly lines: readonly CartLine[]
  /**
   * Price of shipping before promotions; null: nothing is shipped, or no shipping method is chosen
   * yet, and nothing is due for it.
   */
  readonly shipping: Amount | null
  /** Promotions of shipping depend on it. */
  readonly destination: OrderDestination
  /** Where taxes are due: the destination of shipping or of billing, by the settings of the store. */
  readonly taxDestination: OrderDestination
  readonly customer: { readonly categories: ReadonlySet<number> } | null
  readonly couponCodes: readonly string[]
  /** What gift cards can pay. */
  readonly giftCards: Amount
  /** Off the order as a whole, besides promotions. */
  readonly orderDiscount?: Amount
  /** Off shipping, besides promotions. */
  readonly shippingDiscount?: Amount
  readonly now: Date
}

export type CartRules = { readonly promotions: readonly PromotionRule[]; readonly taxes: readonly Tax[] }

export type CalculatedCart = {
  readonly totals: OrderTotals
  readonly discounts: Discounts
  /** The taxes of each line, in the order of `totals.lines[n].taxes`. */
  readonly lineTaxes: readonly (readonly Tax[])[]
  /** In the order of `totals.shippingTaxes`. */
  readonly shippingTaxes: readonly Tax[]
}

/**
 * Discounts, taxes and totals of a cart by the rules of its store. Pure. A cart whose prices an
 * application gave has no promotions among its rules.
 */
export function applyRules(basket: Cart, { promotions, taxes }: CartRules): CalculatedCart {
  const discounts = applyPromotions(basket, promotions)
  const lineTaxes = basket.lines.map(({ categories }) => taxesOnProduct(taxes, categories, basket.taxDestination))
  const shippingTaxes = basket.shipping === null ? [] : taxesOnShipping(taxes, basket.taxDestination)
  const totals = orderTotals({
    currency: basket.currency,
    pricesIncludeTax: basket.pricesIncludeTax,
    lines: basket.lines.map(({ price, quantity, discount }, index) => ({
      price,
      quantity,
      discount: discount + (discounts.lines[index] ?? 0n),
      taxes: (lineTaxes[index] ?? []).map(rateOf),
    })),
    discount: discounts.order + (basket.orderDiscount ?? 0n),
    shipping: basket.shipping ?? 0n,
    shippingDiscount: discounts.shipping + (basket.shippingDiscount ?? 0n),
    shippingTaxes: shippingTaxes.map(rateOf),
    giftCards: basket.giftCards,
  })
  return { totals, discounts, lineTaxes, shippingTaxes }
}

const rateOf = ({ rate, fixed }: Tax): TaxRate => ({ rate: amountOf(rate), isFixed: fixed })
