import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import type { PromotionLasts } from './rule.ts'

/** A promotion that an order uses, by which coupon. */
export type Redeemed = { readonly promotionId: number; readonly couponId: number | null }

/** Remaining uses of a promotion. */
export type PromotionUse = {
  readonly id: number
  readonly lasts: PromotionLasts
  readonly timesUsed: number
  readonly maxTimesUsed: number | null
}
/** Remaining uses of a coupon. */
export type CouponUse = { readonly id: number; readonly code: string; readonly usageLimit: number; readonly timesUsed: number }

/**
 * Which orders used which promotions, and how often each was used; every call is about one store.
 */
export const redemptionRepository = (database: Kysely<Tables>) => ({
  /**
   * Those that exist of these promotions, until the transaction ends. In the order of their ids, so
   * that two orders do not wait for each other.
   */
  lockPromotions: (storeId: number, ids: readonly number[]): Promise<PromotionUse[]> =>
    database
      .selectFrom('promotion')
      .select(['id', 'lasts', 'times_used as timesUsed', 'max_times_used as maxTimesUsed'])
      .where('store_id', '=', storeId)
      .where('id', 'in', ids)
      .orderBy('id')
      .forNoKeyUpdate()
      .execute(),

  /**
   * Those that exist of these coupons, until the transaction ends; to be called after
   * `lockPromotions`.
   */
  async lockCoupons(storeId: number, ids: readonly number[]): Promise<CouponUse[]> {
    if (ids.length === 0) return []
    return database
      .selectFrom('coupon')
      .select(['id', 'code', 'usage_limit as usageLimit', 'times_used as timesUsed'])
      .where('store_id', '=', storeId)
      .where('id', 'in', ids)
      .orderBy('id')
      .forNoKeyUpdate()
      .execute()
  },

  /** Counts one more use of each, and remembers whose it was. */
  async insert(storeId: number, orderId: number, redeemed: readonly Redeemed[]): Promise<void> {
    const promotions = redeemed.map(({ promotionId }) => promotionId)
    const coupons = redeemed.map(({ couponId }) => couponId)
    await sql`
      WITH used (promotion_id, coupon_id) AS (SELECT * FROM unnest(${promotions}::integer[], ${coupons}::integer[])),
        promotions AS (
          UPDATE promotion SET times_used = times_used + 1 FROM used WHERE store_id = ${storeId} AND promotion.id = used.promotion_id
        ),
        coupons AS (UPDATE coupon SET times_used = times_used + 1 FROM used WHERE store_id = ${storeId} AND coupon.id = used.coupon_id)
      INSERT INTO promotion_redemption (store_id, order_id, promotion_id, coupon_id)
      SELECT ${storeId}, ${orderId}, promotion_id, coupon_id FROM used`.execute(database)
  },

  /** What an order used, until the transaction ends. */
  lockOf: (storeId: number, orderId: number): Promise<Redeemed[]> =>
    database
      .selectFrom('promotion_redemption')
      .select(['promotion_id as promotionId', 'coupon_id as couponId'])
      .where('store_id', '=', storeId)
      .where('order_id', '=', orderId)
      .orderBy('promotion_id')
      .forUpdate()
      .execute(),

  /** Forgets what an order used, and counts it no longer. */
  async delete(storeId: number, orderId: number): Promise<void> {
    await sql`
      WITH gone AS (
          DELETE FROM promotion_redemption WHERE store_id = ${storeId} AND order_id = ${orderId} RETURNING promotion_id, coupon_id
        ),
        promotions AS (
          UPDATE promotion SET times_used = times_used - 1 FROM gone WHERE store_id = ${storeId} AND promotion.id = gone.promotion_id
        )
      UPDATE coupon SET times_used = times_used - 1 FROM gone WHERE store_id = ${storeId} AND coupon.id = gone.coupon_id`.execute(
      database,
    )
  },
})
