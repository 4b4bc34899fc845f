import type { KeysetRange } from '../../toolkit/keyset.ts'
import { loaderByKey, loaderOfLists, loaderPerArguments } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { FulfillmentRepository } from './repository.ts'

export const fulfillmentLoaders = (fulfillments: FulfillmentRepository, { storeId }: Tenant) => ({
  fulfillmentById: loaderByKey(
    async (ids: readonly number[]) => fulfillments.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  fulfillmentsOfOrder: loaderOfLists(
    async (orderIds: readonly number[]) => fulfillments.ofOrders(await storeId(), orderIds),
    ({ orderNumber }) => orderNumber ?? 0,
  ),
  /** Per range: entries by their fulfillment's row. */
  historyOfFulfillment: loaderPerArguments((range: KeysetRange) =>
    loaderOfLists(
      async (ids: readonly number[]) => fulfillments.historyOf(await storeId(), ids, range),
      ({ fulfillmentId }) => fulfillmentId,
    ),
  ),
  historyCountOfFulfillment: loaderByKey(
    async (ids: readonly number[]) => fulfillments.historyCountOf(await storeId(), ids),
    ({ fulfillmentId }) => fulfillmentId,
  ),
})
