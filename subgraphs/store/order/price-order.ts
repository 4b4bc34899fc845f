import { isText } from '../../toolkit/validation.ts'
import { amountOf } from '../amount.ts'
import type { Parts } from '../context.ts'
import type { Place } from '../place.ts'
import { productCategoryRepository } from '../product-category/repository.ts'
import { ruleOf } from '../promotion/promotion.ts'
import { promotionRepository } from '../promotion/repository.ts'
import { couponKey } from '../promotion/rule.ts'
import { taxRepository } from '../tax/repository.ts'
import { isStorable } from './money.ts'
import { type PricedOrder, priced } from './pricing.ts'

/** An order as it is to be priced; amounts are decimal text. */
export type OrderToPrice = {
  /** ISO 4217 code of the order. */
  readonly currency: string
  readonly lines: readonly {
    /** Null: a product that the store does not have. */
    readonly productId: number | null
    /** Of one unit. */
    readonly price: string
    /** 1 or more. */
    readonly quantity: number
    /** Off the whole line. */
    readonly discount: string
  }[]
  /** What shipping costs, as quoted or as given; null: nothing is sent, or the way is not chosen yet. */
  readonly shipping: string | null
  readonly shippingPlace: Place
  readonly billingPlace: Place
  /** Categories of the customer; null: a guest. */
  readonly customer: { readonly categories: ReadonlySet<number> } | null
  /** As the customer wrote them; of more than 20 only the first count. */
  readonly couponCodes: readonly string[]
  /** What gift cards can pay. */
  readonly giftCards: string
  /** Whether an application gave the prices, so that no promotion changes them. */
  readonly arePricesGiven: boolean
}

/** Where and when: of a transaction, or, for a dry run, without one. */
export type Pricing = { readonly query: Parts['database']; readonly storeId: number; readonly now: Date }

const MOST_CODES = 20

/** `too-large`: a figure that the database cannot hold. */
export type PriceOutcome =
  | ({ readonly kind: 'priced'; readonly pricesIncludeTax: boolean } & PricedOrder)
  | { readonly kind: 'too-large' }

/**
 * What an order comes to under the promotions and taxes of its store. For a dry run as well as within the transaction that writes the order, which then calls
 * `redeem(unit, orderId, discounts.applied)` and, when that says `used-up`, prices again. Five statements, whatever the size of the order.
 */
export async function priceOrder({ query, storeId, now }: Pricing, order: OrderToPrice): Promise<PriceOutcome> {
  const codes = order.arePricesGiven ? [] : order.couponCodes.slice(0, MOST_CODES)
  const products = order.lines.flatMap(({ productId }) => productId ?? [])
  const taxes = taxRepository(query)
  const [settings, rates, categories, promotions] = await Promise.all([
    taxes.settings(storeId),
    taxes.list(storeId),
    productCategoryRepository(query).ofProducts(storeId, products),
    order.arePricesGiven ? [] : promotionRules({ query, storeId, now }, codes),
  ])

  const result = priced(
    {
      currency: order.currency,
      pricesIncludeTax: settings.pricesIncludeTax,
      lines: order.lines.map(({ productId, price, quantity, discount }) => ({
        productId,
        quantity,
        categories: categories.get(productId ?? 0) ?? new Set(),
        price: amountOf(price),
        discount: amountOf(discount),
      })),
      shipping: order.shipping === null ? null : amountOf(order.shipping),
      place: order.shippingPlace,
      taxPlace: settings.taxedAddress === 'BILLING' ? order.billingPlace : order.shippingPlace,
      customer: order.customer,
      couponCodes: codes,
      giftCards: amountOf(order.giftCards),
      now,
    },
    { promotions, taxes: rates },
  )
  const { pricesIncludeTax } = settings
  return isStorable(result.money) ? { kind: 'priced', pricesIncludeTax, ...result } : { kind: 'too-large' }
}

/** Promotions that can count, each with the coupons that were entered. */
async function promotionRules({ query, storeId, now }: Pricing, codes: readonly string[]) {
  // PostgreSQL has no text with a NUL, and so no coupon.
  const keys = codes.filter(isText).map(couponKey)
  const promotions = promotionRepository(query)
  const [candidates, coupons] = await Promise.all([
    promotions.candidates(storeId, keys, now),
    keys.length === 0 ? [] : promotions.couponsByKeys(storeId, keys),
  ])
  return candidates.map((promotion) =>
    ruleOf(
      promotion,
      coupons.filter(({ promotionId }) => promotionId === promotion.id),
    ),
  )
}
