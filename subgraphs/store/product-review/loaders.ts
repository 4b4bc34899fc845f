import type { KeysetRange } from '../../toolkit/keyset.ts'
import { loaderByKey, loaderOfLists, loaderPerArguments } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { ProductReviewRepository } from './repository.ts'

export const productReviewLoaders = (reviews: ProductReviewRepository, { storeId }: Tenant) => ({
  productReviewById: loaderByKey(
    async (ids: readonly number[]) => reviews.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  /** Per range: reviews of a product. */
  reviewsOfProduct: loaderPerArguments((range: KeysetRange) =>
    loaderOfLists(
      async (productIds: readonly number[]) => reviews.ofProducts(await storeId(), productIds, range),
      ({ productId }) => productId,
    ),
  ),
  reviewCountOfProduct: loaderByKey(
    async (productIds: readonly number[]) => reviews.countOfProducts(await storeId(), productIds),
    ({ productId }) => productId ?? 0,
  ),
})
