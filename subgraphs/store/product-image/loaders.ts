import { memoize } from '../../../platform/collections/memoize.ts'
import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Columns } from '../../toolkit/selected-columns.ts'
import type { Tenant } from '../tenant.ts'
import type { ProductImage } from './product-image.ts'
import type { ProductImageRepository } from './repository.ts'

export const productImageLoaders = (images: ProductImageRepository, { storeId }: Tenant) => ({
  productImageById: loaderByKey(
    async (ids: readonly number[]) => images.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  productImagesOfProduct: memoize((columns: Columns<ProductImage>) =>
    loaderOfLists(
      async (productIds: readonly number[]) => images.ofProducts(await storeId(), productIds, columns),
      ({ productId }) => productId,
    ),
  ),
})
