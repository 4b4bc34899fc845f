import { loaderByKey } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { CheckoutCustomFieldRepository } from './repository.ts'

export const checkoutCustomFieldLoaders = (fields: CheckoutCustomFieldRepository, { storeId }: Tenant) => ({
  checkoutCustomFieldById: loaderByKey(
    async (ids: readonly number[]) => fields.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
})
