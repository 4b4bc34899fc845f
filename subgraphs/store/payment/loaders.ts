import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Tenant } from '../tenant.ts'
import type { PaymentRepository } from './repository.ts'

export const paymentLoaders = (payments: PaymentRepository, { storeId }: Tenant) => ({
  paymentById: loaderByKey(
    async (ids: readonly number[]) => payments.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  paymentsOfOrder: loaderOfLists(
    async (orderIds: readonly number[]) => payments.ofOrders(await storeId(), orderIds),
    ({ orderId }) => orderId,
  ),
})
