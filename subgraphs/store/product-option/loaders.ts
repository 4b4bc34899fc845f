import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { ProductOptionRepository } from './repository.ts'

export const productOptionLoaders = (options: ProductOptionRepository, { storeId }: Tenant) => ({
  productOptionById: loaderByKey(
    async (ids: readonly number[]) => options.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  productOptionValueById: loaderByKey(
    async (ids: readonly number[]) => options.findValuesByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  optionsOfProduct: loaderOfLists(
    async (productIds: readonly number[]) => options.ofProducts(await storeId(), productIds),
    ({ productId }) => productId,
  ),
  valuesOfOption: loaderOfLists(
    async (optionIds: readonly number[]) => options.valuesOf(await storeId(), optionIds),
    ({ optionId }) => optionId,
  ),
})
