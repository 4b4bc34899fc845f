import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { InventoryRepository } from './repository.ts'

/** What `Product.inventoryLevels` promises to hold, of all products of a page together. */
const MOST_LEVELS = 50_000

export const inventoryLoaders = (inventory: InventoryRepository, { storeId }: Tenant) => ({
  inventoryLevelById: loaderByKey(
    async (ids: readonly number[]) => inventory.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  inventoryLevelsOfProduct: loaderOfLists(
    async (productIds: readonly number[]) => inventory.ofProducts(await storeId(), productIds, MOST_LEVELS),
    ({ productId }) => productId,
  ),
})
