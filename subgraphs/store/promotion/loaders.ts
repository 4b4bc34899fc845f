import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { PromotionRepository } from './repository.ts'

export const promotionLoaders = (promotions: PromotionRepository, { storeId }: Tenant) => ({
  promotionById: loaderByKey(
    async (ids: readonly number[]) => promotions.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  couponsOfPromotion: loaderOfLists(
    async (ids: readonly number[]) => promotions.couponsOf(await storeId(), ids),
    ({ promotionId }) => promotionId,
  ),
})
