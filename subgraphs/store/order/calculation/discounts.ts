import { isText } from '../../../toolkit/validation.ts'
import { ruleOf } from '../../promotion/promotion.ts'
import { promotionRepository } from '../../promotion/repository.ts'
import { couponKey, type PromotionRule } from '../../promotion/rule.ts'
import type { CalculationScope } from './cart.ts'

/** Promotions that can apply, each with the coupons that were entered. */
export async function readPromotionRules(
  { query, storeId, now }: CalculationScope,
  codes: readonly string[],
): Promise<readonly PromotionRule[]> {
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
