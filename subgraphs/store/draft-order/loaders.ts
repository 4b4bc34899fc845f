import { loaderByKey } from '../../toolkit/loader.ts'
import type { Tenant } from '../tenant.ts'
import type { DraftOrderRepository } from './repository.ts'

export const draftOrderLoaders = (draftOrders: DraftOrderRepository, { storeId }: Tenant) => ({
  draftOrderById: loaderByKey(
    async (ids: readonly number[]) => draftOrders.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
})
