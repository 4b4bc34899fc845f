import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { OrderDocumentRepository } from './repository.ts'

export const orderDocumentLoaders = (documents: OrderDocumentRepository, { storeId }: Tenant) => ({
  orderDocumentById: loaderByKey(
    async (ids: readonly number[]) => documents.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  documentsOfOrder: loaderOfLists(
    async (orderIds: readonly number[]) => documents.ofOrders(await storeId(), orderIds),
    ({ orderNumber }) => orderNumber,
  ),
})
