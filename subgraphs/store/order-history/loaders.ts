import { loaderByKey, loaderOfLists, loaderPerArguments } from '../../toolkit/loader.ts'
import type { Tenant } from '../tenant.ts'
import type { HistoryRange, OrderHistoryRepository } from './repository.ts'

export const orderHistoryLoaders = (history: OrderHistoryRepository, { storeId }: Tenant) => ({
  orderHistoryEntryById: loaderByKey(
    async (ids: readonly number[]) => history.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  /** Per range: entries by their order's row. */
  historyOfOrder: loaderPerArguments((range: HistoryRange) =>
    loaderOfLists(
      async (orderIds: readonly number[]) => history.ofOrders(await storeId(), orderIds, range),
      ({ orderId }) => orderId,
    ),
  ),
  historyCountOfOrder: loaderByKey(
    async (orderIds: readonly number[]) => history.countOf(await storeId(), orderIds),
    ({ orderId }) => orderId,
  ),
})
