import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { ProductCustomFieldValueRepository } from './repository.ts'

export const productCustomFieldValueLoaders = (values: ProductCustomFieldValueRepository, { storeId }: Tenant) => ({
  customFieldValueById: loaderByKey(
    async (ids: readonly number[]) => values.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  customFieldValuesOfProduct: loaderOfLists(
    async (productIds: readonly number[]) => values.ofProducts(await storeId(), productIds),
    ({ productId }) => productId,
  ),
})
