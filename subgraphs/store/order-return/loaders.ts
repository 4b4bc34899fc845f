import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Tenant } from '../tenant.ts'
import type { OrderReturnRepository } from './repository.ts'

export const orderReturnLoaders = (returns: OrderReturnRepository, { storeId }: Tenant) => ({
  orderReturnById: loaderByKey(
    async (ids: readonly number[]) => returns.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  returnsOfOrder: loaderOfLists(
    async (orderIds: readonly number[]) => returns.ofOrders(await storeId(), orderIds),
    ({ orderId }) => orderId,
  ),
  linesOfReturn: loaderOfLists(
    async (returnIds: readonly number[]) => returns.linesOf(await storeId(), returnIds),
    ({ returnId }) => returnId,
  ),
})
