import { loaderOfLists } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { MetafieldRepository } from './repository.ts'

export const metafieldLoaders = (metafields: MetafieldRepository, { storeId }: Tenant) => ({
  /** Keys are those of `ownerKey`. */
  metafieldsOfOwner: loaderOfLists(
    async (owners: readonly string[]) => metafields.ofOwners(await storeId(), owners),
    ({ owner }) => owner,
  ),
})
