import { type Amount, least, lineAmount, minorUnitOf, percentOf, rounded, roundedProduct, sumOf } from '../amount.ts'
import type { OrderDestination } from '../destination.ts'
import { isDestination } from './destinations.ts'
import {
  type Coupon,
  couponKey,
  hasBegun,
  hasEnded,
  isSelected,
  isUsable,
  isUsedUp,
  type PromotionRule,
  type PromotionSelection,
} from './rule.ts'

export type CartLine = {
  /** Null: a product that the store does not have; it belongs to no selection. */
  readonly productId: number | null
  /** Its categories, and all above them. */
  readonly categories: ReadonlySet<number>
  readonly price: Amount
  /** At least 1. */
  readonly quantity: number
  /** Off the line already, before any promotion. */
  readonly discount: Amount
}

export type PromotionCart = {
  readonly currency: string
  readonly lines: readonly CartLine[]
  /** Shipping before promotions; null: nothing is shipped, or no shipping method is chosen yet. */
  readonly shipping: Amount | null
  readonly destination: OrderDestination
  /** The buyer; null: a guest. */
  readonly customer: { readonly categories: ReadonlySet<number> } | null
  /** Codes as the customer wrote them. */
  readonly couponCodes: readonly string[]
  readonly now: Date
}

/** What a promotion took off, and through which coupon. */
export type AppliedPromotion = { readonly promotionId: number; readonly coupon: Coupon | null; readonly amount: Amount }

/** Why an entered code has no effect. */
export type CouponRefusal =
  | 'UNKNOWN'
  | 'DISABLED'
  | 'NOT_BEGUN'
  | 'EXPIRED'
  | 'USED_UP'
  | 'OTHER_CUSTOMERS'
  | 'CONDITION_NOT_MET'
  | 'OTHER_DESTINATION'
  | 'NOTHING_TO_DISCOUNT'
  | 'NOT_COMBINABLE'

export type RefusedCoupon = { readonly code: string; readonly reason: CouponRefusal }

/** What promotions take off a cart, in whole minor units. */
export type Discounts = {
  /** Off each line, its own discount not included. */
  readonly lines: readonly Amount[]
  /** Off the goods as a whole. */
  readonly order: Amount
  readonly shipping: Amount
  /** In the order in which they were worked out; each took something off. */
  readonly applied: readonly AppliedPromotion[]
  /** In the order in which they were entered. */
  readonly refused: readonly RefusedCoupon[]
}

type Candidate = { readonly promotion: PromotionRule; readonly coupon: Coupon | null }
type Result = Omit<Discounts, 'refused'> & { readonly saved: Amount }

/**
 * Products before the order before shipping, so that percentages of the order are of the remaining
 * amount.
 */
const TURN: Readonly<Record<PromotionRule['target'], number>> = { CATEGORIES: 0, BUY_X_GET_Y: 0, ORDER: 1, SHIPPING: 2 }

/**
 * Discounts of a store's promotions on a cart. Cumulative ones are combined; any other applies
 * alone. Of these combinations the customer gets the one that saves most; of equal ones the
 * cumulative, then the oldest promotion. Each percentage is of the amount left by those before it,
 * and no amount gets below zero.
 */
export function applyPromotions(cart: PromotionCart, promotions: readonly PromotionRule[]): Discounts {
  const inTurn = [...promotions].sort((one, other) => TURN[one.target] - TURN[other.target] || one.id - other.id)
  const candidates = inTurn.flatMap((promotion): Candidate[] => {
    if (refusalOf(promotion, cart) !== null) return []
    if (promotion.coupons.length === 0) return [{ promotion, coupon: null }]
    const coupon = enteredCoupon(promotion, cart.couponCodes)
    return coupon ? [{ promotion, coupon }] : []
  })

  const together = candidates.filter(({ promotion }) => promotion.isCumulative)
  const alone = candidates.filter(({ promotion }) => !promotion.isCumulative)
  const byAge = alone.sort((one, other) => one.promotion.id - other.promotion.id)
  const results = [together, ...byAge.map((candidate) => [candidate])].map((chosen) => resultOf(cart, chosen))
  const { lines, order, shipping, applied } = results.reduce((best, result) => (result.saved > best.saved ? result : best))
  return { lines, order, shipping, applied, refused: refusedCoupons(cart, promotions, applied) }
}

/** Why a promotion does not count for a cart, whatever its coupons; null: it does. */
function refusalOf(promotion: PromotionRule, cart: PromotionCart): CouponRefusal | null {
  if (!promotion.isEnabled) return 'DISABLED'
  if (!hasBegun(promotion, cart.now)) return 'NOT_BEGUN'
  if (hasEnded(promotion, cart.now)) return 'EXPIRED'
  if (isUsedUp(promotion)) return 'USED_UP'
  if (!isFor(promotion, cart.customer)) return 'OTHER_CUSTOMERS'
  if (promotion.target === 'SHIPPING' && !isDestination(promotion.destinations, cart.destination)) return 'OTHER_DESTINATION'
  return meetsCondition(promotion, cart) ? null : 'CONDITION_NOT_MET'
}

function isFor({ customers, customerCategories }: PromotionRule, customer: PromotionCart['customer']): boolean {
  switch (customers) {
    case 'ALL':
      return true
    case 'GUESTS':
      return customer === null
    case 'LOGGEDIN':
      return customer !== null
    case 'CATEGORIES':
      return customer !== null && !customer.categories.isDisjointFrom(customerCategories)
  }
}

/**
 * PRICE is the total of the goods before discounts. Units are those of the promotion's target: for
 * CATEGORIES the selected ones only.
 */
function meetsCondition(promotion: PromotionRule, { lines, currency }: PromotionCart): boolean {
  const unit = minorUnitOf(currency)
  const counted = promotion.target === 'CATEGORIES' ? selected(lines, promotion.selection) : lines
  switch (promotion.condition) {
    case 'NONE':
      return true
    case 'PRICE':
      return sumOf(lines.map((line) => lineAmount(line, unit))) >= (promotion.conditionPrice ?? 0n)
    case 'QTY':
      return unitsOf(counted) >= (promotion.conditionQuantity ?? 1)
    case 'SINGLE_ITEM':
      return [...unitsByProduct(counted).values()].some((units) => units >= (promotion.conditionQuantity ?? 1))
  }
}

const selected = (lines: readonly CartLine[], selection: PromotionSelection): readonly CartLine[] =>
  lines.filter((line) => isSelected(selection, line))

const unitsOf = (lines: readonly CartLine[]): number => lines.reduce((units, { quantity }) => units + quantity, 0)

/**
 * Variants of a product count together; a product that the store does not have is like no other.
 */
function unitsByProduct(lines: readonly CartLine[]): ReadonlyMap<number | CartLine, number> {
  const units = new Map<number | CartLine, number>()
  for (const line of lines) units.set(line.productId ?? line, (units.get(line.productId ?? line) ?? 0) + line.quantity)
  return units
}

/** The first usable coupon of a promotion, in the order of the codes that were entered. */
const enteredCoupon = ({ coupons }: PromotionRule, codes: readonly string[]): Coupon | undefined =>
  codes
    .map((code) => coupons.find((coupon) => couponKey(coupon.code) === couponKey(code)))
    .find((coupon) => coupon !== undefined && isUsable(coupon))

function resultOf(cart: PromotionCart, candidates: readonly Candidate[]): Result {
  const unit = minorUnitOf(cart.currency)
  const left = cart.lines.map((line) => {
    const amount = lineAmount(line, unit)
    return amount - least(rounded(line.discount, unit), amount)
  })
  const lines = left.map(() => 0n)
  let order = 0n
  let shipping = 0n
  const applied: AppliedPromotion[] = []
  for (const { promotion, coupon } of candidates) {
    let amount = 0n
    switch (promotion.target) {
      case 'ORDER':
        amount = amountOff(promotion, sumOf(left) - order, 1, unit)
        order += amount
        break
      case 'SHIPPING':
        amount = amountOff(promotion, rounded(cart.shipping ?? 0n, unit) - shipping, 1, unit)
        shipping += amount
        break
      case 'CATEGORIES':
      case 'BUY_X_GET_Y': {
        for (const [index, units] of discountedUnits(promotion, cart.lines).entries()) {
          const [line, rest] = [cart.lines[index], left[index]]
          if (units === 0 || line === undefined || rest === undefined) continue
          const off = amountOff(promotion, roundedProduct(rest, BigInt(units), BigInt(line.quantity), unit), units, unit)
          left[index] = rest - off
          lines[index] = (lines[index] ?? 0n) + off
          amount += off
        }
        break
      }
    }
    if (amount > 0n) applied.push({ promotionId: promotion.id, coupon, amount })
  }
  return { lines, order, shipping, applied, saved: sumOf(applied.map(({ amount }) => amount)) }
}

/**
 * Discount on a number of units that cost `amount` together: a percentage, or an amount for each;
 * at most all of it.
 */
const amountOff = ({ discount }: PromotionRule, amount: Amount, units: number, unit: Amount): Amount =>
  least(discount.isFixed ? rounded(discount.value * BigInt(units), unit) : percentOf(amount, discount.value, unit), amount)

/** How many units of each line a promotion of products discounts. */
function discountedUnits(promotion: PromotionRule, lines: readonly CartLine[]): readonly number[] {
  if (promotion.target === 'BUY_X_GET_Y') return freeUnits(promotion, lines)
  const units = unitsByProduct(lines)
  const enough = (line: CartLine) =>
    promotion.condition !== 'SINGLE_ITEM' || (units.get(line.productId ?? line) ?? 0) >= (promotion.conditionQuantity ?? 1)
  return lines.map((line) => (isSelected(promotion.selection, line) && enough(line) ? line.quantity : 0))
}

/**
 * One unit of Y for every `quantityX` units of X, the cheapest first. A unit is never both: of
 * something that is X and Y, three with `quantityX` 2 are one discounted unit and two that were
 * bought for it.
 */
function freeUnits({ required, selection, quantityX }: PromotionRule, lines: readonly CartLine[]): readonly number[] {
  const isX = lines.map((line) => isSelected(required, line))
  const byPrice = lines
    .map((line, index) => ({ index, line }))
    .filter(({ line }) => isSelected(selection, line))
    .sort((one, other) => (one.line.price === other.line.price ? 0 : one.line.price < other.line.price ? -1 : 1))
  const units = lines.map(() => 0)
  let bought = unitsOf(lines.filter((_, index) => isX[index]))
  let given = 0
  for (const { index, line } of byPrice) {
    // A given unit that is X as well is bought no longer, so it costs one more than quantityX.
    const room = isX[index] ? Math.floor((bought - given * quantityX) / (quantityX + 1)) : Math.floor(bought / quantityX) - given
    const taken = Math.max(0, Math.min(line.quantity, room))
    units[index] = taken
    given += taken
    if (isX[index]) bought -= taken
  }
  return units
}

function refusedCoupons(
  cart: PromotionCart,
  promotions: readonly PromotionRule[],
  applied: readonly AppliedPromotion[],
): readonly RefusedCoupon[] {
  const done = new Set(applied.flatMap(({ coupon }) => (coupon ? [couponKey(coupon.code)] : [])))
  const refused: RefusedCoupon[] = []
  for (const code of cart.couponCodes) {
    const key = couponKey(code)
    if (done.has(key)) continue
    done.add(key)
    refused.push({ code, reason: couponRefusal(cart, promotions, key) })
  }
  return refused
}

/** Why a code that took nothing off did not. */
function couponRefusal(cart: PromotionCart, promotions: readonly PromotionRule[], key: string): CouponRefusal {
  for (const promotion of promotions) {
    const coupon = promotion.coupons.find(({ code }) => couponKey(code) === key)
    if (!coupon) continue
    const reason = refusalOf(promotion, cart)
    if (reason !== null) return reason
    if (!isUsable(coupon)) return 'USED_UP'
    return resultOf(cart, [{ promotion, coupon }]).saved > 0n ? 'NOT_COMBINABLE' : 'NOTHING_TO_DISCOUNT'
  }
  return 'UNKNOWN'
}
