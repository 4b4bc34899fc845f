import type { Amount } from '../amount.ts'
import { converted, convertedCharge, type OrderCurrency } from '../store-currency/exchange.ts'
import { identityKey } from '../text-key.ts'
import type { Destinations } from './destinations.ts'

export type DiscountTarget = 'ORDER' | 'SHIPPING' | 'CATEGORIES' | 'BUY_X_GET_Y'
export type PromotionCondition = 'NONE' | 'PRICE' | 'QTY' | 'SINGLE_ITEM'
export type PromotionCustomers = 'ALL' | 'LOGGEDIN' | 'CATEGORIES' | 'GUESTS'
export type PromotionLasts = 'NONE' | 'DATE' | 'MAX_TIMES_USED' | 'BOTH'

export type Coupon = {
  readonly id: number
  /** Unique in the store, whatever its case. */
  readonly code: string
  /** 0: no limit. */
  readonly usageLimit: number
  readonly timesUsed: number
}

/** Products, by themselves or by their categories. Empty: none. */
export type PromotionSelection = { readonly products: ReadonlySet<number>; readonly categories: ReadonlySet<number> }

export type PromotionRule = {
  readonly id: number
  readonly name: string
  readonly isEnabled: boolean
  readonly target: DiscountTarget
  readonly condition: PromotionCondition
  /** What the goods must cost for condition PRICE. */
  readonly conditionPrice: Amount | null
  /** How many units conditions QTY and SINGLE_ITEM want. */
  readonly conditionQuantity: number | null
  /** A percentage, 0 to 100, or money. */
  readonly discount: { readonly isFixed: boolean; readonly value: Amount }
  readonly lasts: PromotionLasts
  /** The first instant; null: since ever. */
  readonly beginsAt: Date | null
  /** The first instant after it; null: for ever. */
  readonly expiresAt: Date | null
  readonly timesUsed: number
  readonly maxTimesUsed: number | null
  /** Whether it may be combined with other cumulative ones. */
  readonly isCumulative: boolean
  readonly customers: PromotionCustomers
  readonly customerCategories: ReadonlySet<number>
  /** Discounted items, for CATEGORIES and as the Y of BUY_X_GET_Y. */
  readonly selection: PromotionSelection
  /** What has to be bought, as the X of BUY_X_GET_Y. */
  readonly required: PromotionSelection
  /** Units of X for each unit of Y; at least 1. Of no meaning for other targets. */
  readonly quantityX: number
  /** Not empty: the customer has to enter one of them. */
  readonly coupons: readonly Coupon[]
  /** Where shipping is discounted; of no meaning for other targets. */
  readonly destinations: Destinations
}

export type PromotionStatus = 'ACTIVE' | 'EXPIRED'

/** What ends a promotion, and how far it is. */
export type Ends = Pick<PromotionRule, 'lasts' | 'beginsAt' | 'expiresAt' | 'timesUsed' | 'maxTimesUsed'>

/**
 * Expired is what cannot come back by waiting: past its last instant, or used up. One that is off,
 * or begins later, is active.
 */
export const promotionStatus = (promotion: Ends, now: Date): PromotionStatus =>
  hasEnded(promotion, now) || isUsedUp(promotion) ? 'EXPIRED' : 'ACTIVE'

const hasDates = ({ lasts }: Ends): boolean => lasts === 'DATE' || lasts === 'BOTH'

export const hasBegun = (promotion: Ends, now: Date): boolean =>
  !hasDates(promotion) || promotion.beginsAt === null || promotion.beginsAt <= now

export const hasEnded = (promotion: Ends, now: Date): boolean =>
  hasDates(promotion) && promotion.expiresAt !== null && promotion.expiresAt <= now

export const isUsedUp = ({ lasts, maxTimesUsed, timesUsed }: Omit<Ends, 'beginsAt' | 'expiresAt'>): boolean =>
  (lasts === 'MAX_TIMES_USED' || lasts === 'BOTH') && maxTimesUsed !== null && timesUsed >= maxTimesUsed

/** Whether a coupon can be used once more. */
export const isUsable = ({ usageLimit, timesUsed }: Pick<Coupon, 'usageLimit' | 'timesUsed'>): boolean =>
  usageLimit === 0 || timesUsed < usageLimit

/** One spelling for all that count as the same code: case and spaces around it do not matter. */
export const couponKey = (code: string): string => identityKey(code)

export const isSelected = (
  { products, categories }: PromotionSelection,
  { productId, categories: its }: { readonly productId: number | null; readonly categories: ReadonlySet<number> },
): boolean => (productId !== null && products.has(productId)) || !its.isDisjointFrom(categories)

/**
 * A promotion whose amounts of money are in the currency of an order; a condition in minor units, which
 * a converted price can reach.
 */
export const promotionIn = (promotion: PromotionRule, currency: Omit<OrderCurrency, 'rounding'>): PromotionRule =>
  currency.exchange === null
    ? promotion
    : {
        ...promotion,
        conditionPrice: promotion.conditionPrice === null ? null : convertedCharge(promotion.conditionPrice, currency),
        discount: promotion.discount.isFixed
          ? { isFixed: true, value: converted(promotion.discount.value, currency.exchange) }
          : promotion.discount,
      }
