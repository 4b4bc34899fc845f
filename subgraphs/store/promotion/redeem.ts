import type { UnitOfWork } from '../write.ts'
import type { AppliedPromotion } from './apply.ts'
import { type CouponUse, type PromotionUse, redemptionRepository } from './redemption-repository.ts'
import { isUsable, isUsedUp } from './rule.ts'

/**
 * `used-up`: another order took the last use since this one was calculated; nothing is counted, and
 * the order has to be calculated again.
 */
export type Redemption =
  | { readonly kind: 'redeemed' }
  | { readonly kind: 'used-up'; readonly promotionIds: readonly number[]; readonly couponCodes: readonly string[] }

/**
 * Counts the promotions and coupons of an order, in the transaction that creates it: either all of
 * them or none, never beyond a limit. To be called last, for orders with the same promotion wait
 * for each other from here on. `applied` is `discounts.applied` of `calculateCart`; the order's row
 * has to be there.
 */
export async function redeem(
  { query, storeId }: Pick<UnitOfWork, 'query' | 'storeId'>,
  orderId: number,
  applied: readonly AppliedPromotion[],
): Promise<Redemption> {
  if (applied.length === 0) return { kind: 'redeemed' }
  const redemptions = redemptionRepository(query)
  const promotions = await redemptions.lockPromotions(
    storeId,
    applied.map(({ promotionId }) => promotionId),
  )
  const coupons = await redemptions.lockCoupons(
    storeId,
    applied.flatMap(({ coupon }) => (coupon ? [coupon.id] : [])),
  )
  const gone = applied.filter((one) => !isLeft(one, promotions, coupons))
  if (gone.length > 0) {
    const couponCodes = gone.flatMap(({ coupon }) => (coupon ? [coupon.code] : []))
    return { kind: 'used-up', promotionIds: gone.map(({ promotionId }) => promotionId), couponCodes }
  }
  await redemptions.insert(
    storeId,
    orderId,
    applied.map(({ promotionId, coupon }) => ({ promotionId, couponId: coupon?.id ?? null })),
  )
  return { kind: 'redeemed' }
}

/**
 * Gives back what an order used, when it is cancelled or abandoned; an order that used nothing, or
 * gave it back already, changes nothing.
 */
export async function unredeem({ query, storeId }: Pick<UnitOfWork, 'query' | 'storeId'>, orderId: number): Promise<void> {
  const redemptions = redemptionRepository(query)
  const redeemed = await redemptions.lockOf(storeId, orderId)
  if (redeemed.length === 0) return
  await redemptions.lockPromotions(
    storeId,
    redeemed.map(({ promotionId }) => promotionId),
  )
  await redemptions.delete(storeId, orderId)
}

/** One that was deleted in the meantime is not left either. */
function isLeft(
  { promotionId, coupon }: AppliedPromotion,
  promotions: readonly PromotionUse[],
  coupons: readonly CouponUse[],
): boolean {
  const promotion = promotions.find(({ id }) => id === promotionId)
  if (!promotion || isUsedUp(promotion)) return false
  const use = coupon === null ? null : coupons.find(({ id }) => id === coupon.id)
  return use === null || (use !== undefined && isUsable(use))
}
