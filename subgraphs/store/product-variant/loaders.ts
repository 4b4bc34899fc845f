import { memoize } from '../../../platform/collections/memoize.ts'
import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Columns } from '../../toolkit/selected-columns.ts'
import type { Tenant } from '../tenant.ts'
import type { ProductVariant } from './product-variant.ts'
import type { ProductVariantRepository } from './repository.ts'

export const productVariantLoaders = (variants: ProductVariantRepository, { storeId }: Tenant) => ({
  productVariantById: loaderByKey(
    async (ids: readonly number[]) => variants.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  variantsOfProduct: memoize((columns: Columns<ProductVariant>) =>
    loaderOfLists(
      async (productIds: readonly number[]) => variants.ofProducts(await storeId(), productIds, columns),
      ({ productId }) => productId,
    ),
  ),
  variantsWithValue: loaderOfLists(
    async (valueIds: readonly number[]) => variants.withValues(await storeId(), valueIds),
    ({ valueId }) => valueId,
  ),
  optionsOfVariant: loaderOfLists(
    async (variantIds: readonly number[]) => variants.optionsOf(await storeId(), variantIds),
    ({ variantId }) => variantId,
  ),
})
