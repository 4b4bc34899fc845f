import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { ProductAttachmentRepository } from './repository.ts'

export const productAttachmentLoaders = (attachments: ProductAttachmentRepository, { storeId }: Tenant) => ({
  productAttachmentById: loaderByKey(
    async (ids: readonly number[]) => attachments.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  attachmentsOfProduct: loaderOfLists(
    async (productIds: readonly number[]) => attachments.ofProducts(await storeId(), productIds),
    ({ productId }) => productId,
  ),
})
