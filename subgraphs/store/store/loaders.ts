import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { StoreRepository } from './repository.ts'

/** What `User.stores` promises to hold. */
const MOST_OWNED = 250

export const storeLoaders = (stores: StoreRepository) => ({
  storeById: loaderByKey(stores.findByIds, ({ id }) => id),
  storesOfOwner: loaderOfLists(
    (owners: readonly string[]) => stores.ownedBy(owners, MOST_OWNED),
    // Each was found by its owner.
    ({ ownerId }) => String(ownerId),
  ),
  languagesOfStore: loaderOfLists(stores.languagesOf, ({ storeId }) => storeId),
})
