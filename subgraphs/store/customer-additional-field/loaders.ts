import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { CustomerAdditionalFieldRepository } from './repository.ts'

export const customerAdditionalFieldLoaders = (fields: CustomerAdditionalFieldRepository, { storeId }: Tenant) => ({
  customerAdditionalFieldById: loaderByKey(
    async (ids: readonly number[]) => fields.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  additionalFieldsOfCustomer: loaderOfLists(
    async (customerIds: readonly number[]) => fields.ofCustomers(await storeId(), customerIds),
    ({ customerId }) => customerId,
  ),
})
