import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { OrderRefundRepository } from './repository.ts'

export const orderRefundLoaders = (refunds: OrderRefundRepository, { storeId }: Tenant) => ({
  orderRefundById: loaderByKey(
    async (ids: readonly number[]) => refunds.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  refundsOfOrder: loaderOfLists(
    async (orderIds: readonly number[]) => refunds.ofOrders(await storeId(), orderIds),
    ({ orderId }) => orderId,
  ),
  linesOfRefund: loaderOfLists(
    async (refundIds: readonly number[]) => refunds.linesOf(await storeId(), refundIds),
    ({ refundId }) => refundId,
  ),
})
