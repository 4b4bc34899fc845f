import { loaderByKey, loaderOfLists } from '../../runtime/loader.ts'
import type { Tenant } from '../context.ts'
import type { ProductVariantRepository } from './repository.ts'

export const productVariantLoaders = (variants: ProductVariantRepository, { storeId }: Tenant) => ({
  productVariantById: loaderByKey(
    async (ids: readonly number[]) => variants.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  variantsOfProduct: loaderOfLists(
    async (productIds: readonly number[]) => variants.ofProducts(await storeId(), productIds),
    ({ productId }) => productId,
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
