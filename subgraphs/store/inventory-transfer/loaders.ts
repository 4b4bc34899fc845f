import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Tenant } from '../tenant.ts'
import type { InventoryTransferRepository } from './repository.ts'

export const inventoryTransferLoaders = (transfers: InventoryTransferRepository, { storeId }: Tenant) => ({
  inventoryTransferById: loaderByKey(
    async (ids: readonly number[]) => transfers.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  linesOfInventoryTransfer: loaderOfLists(
    async (ids: readonly number[]) => transfers.linesOf(await storeId(), ids),
    ({ transferId }) => transferId,
  ),
})
