import { loaderByKey } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { CustomerRepository } from './repository.ts'

export const customerLoaders = (customers: CustomerRepository, { storeId }: Tenant) => ({
  customerById: loaderByKey(
    async (ids: readonly number[]) => customers.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
})
