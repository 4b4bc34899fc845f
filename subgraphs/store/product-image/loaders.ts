import { loaderByKey, loaderOfLists } from '../../runtime/loader.ts'
import type { Tenant } from '../context.ts'
import type { ProductImageRepository } from './repository.ts'

export const productImageLoaders = (images: ProductImageRepository, { storeId }: Tenant) => ({
  productImageById: loaderByKey(
    async (ids: readonly number[]) => images.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  productImagesOfProduct: loaderOfLists(
    async (productIds: readonly number[]) => images.ofProducts(await storeId(), productIds),
    ({ productId }) => productId,
  ),
})
