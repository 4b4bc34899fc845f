import type { Columns } from '../../runtime/columns-asked.ts'
import { loaderByKey, loaderOfLists } from '../../runtime/loader.ts'
import { oncePer } from '../../runtime/once-per.ts'
import type { Tenant } from '../tenant.ts'
import type { ProductImage } from './product-image.ts'
import type { ProductImageRepository } from './repository.ts'

export const productImageLoaders = (images: ProductImageRepository, { storeId }: Tenant) => ({
  productImageById: loaderByKey(
    async (ids: readonly number[]) => images.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  productImagesOfProduct: oncePer((columns: Columns<ProductImage>) =>
    loaderOfLists(
      async (productIds: readonly number[]) => images.ofProducts(await storeId(), productIds, columns),
      ({ productId }) => productId,
    ),
  ),
})
