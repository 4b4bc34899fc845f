import { amountOf } from '../amount.ts'
import type { Coupon, DiscountTarget, PromotionCondition, PromotionCustomers, PromotionLasts, PromotionRule } from './rule.ts'

/**
 * A promotion as a merchant writes it: everything that its other fields do not ask for is null or
 * empty.
 */
export type Promotion = {
  readonly id: number
  readonly name: string
  readonly enabled: boolean
  readonly discountTarget: DiscountTarget
  readonly buysAtLeast: PromotionCondition
  readonly conditionPrice: string | null
  readonly conditionQty: number | null
  readonly quantityX: number | null
  readonly type: 'FIX' | 'PERCENTAGE'
  readonly discountAmountFix: string | null
  readonly discountAmountPercent: string | null
  readonly lasts: PromotionLasts
  readonly beginsAt: Date | null
  readonly expiresAt: Date | null
  readonly timesUsed: number
  readonly maxTimesUsed: number | null
  readonly cumulative: boolean
  readonly customers: PromotionCustomers
  readonly countries: readonly string[]
  readonly regions: readonly string[]
  readonly municipalities: readonly string[]
  /** Rows, in the order of their ids. */
  readonly customerCategories: readonly number[]
  readonly categories: readonly number[]
  readonly categoriesX: readonly number[]
  readonly products: readonly number[]
  readonly productsX: readonly number[]
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** A coupon in the database. */
export type PromotionCoupon = Coupon & { readonly promotionId: number }

/**
 * A promotion as a rule for `applyPromotions`. `coupons`: the entered ones of its coupons; empty,
 * if it has none.
 */
export const ruleOf = (promotion: Promotion, coupons: readonly Coupon[]): PromotionRule => ({
  id: promotion.id,
  name: promotion.name,
  isEnabled: promotion.enabled,
  target: promotion.discountTarget,
  condition: promotion.buysAtLeast,
  conditionPrice: promotion.conditionPrice === null ? null : amountOf(promotion.conditionPrice),
  conditionQuantity: promotion.conditionQty,
  discount: {
    isFixed: promotion.type === 'FIX',
    value: amountOf((promotion.type === 'FIX' ? promotion.discountAmountFix : promotion.discountAmountPercent) ?? '0'),
  },
  lasts: promotion.lasts,
  beginsAt: promotion.beginsAt,
  expiresAt: promotion.expiresAt,
  timesUsed: promotion.timesUsed,
  maxTimesUsed: promotion.maxTimesUsed,
  isCumulative: promotion.cumulative,
  customers: promotion.customers,
  customerCategories: new Set(promotion.customerCategories),
  selection: { products: new Set(promotion.products), categories: new Set(promotion.categories) },
  required: { products: new Set(promotion.productsX), categories: new Set(promotion.categoriesX) },
  quantityX: promotion.quantityX ?? 1,
  coupons,
  destinations: promotion,
})
