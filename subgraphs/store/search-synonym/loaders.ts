import { loaderByKey } from '../../toolkit/loader.ts'
import type { Tenant } from '../tenant.ts'
import type { SearchSynonymRepository } from './repository.ts'

export const searchSynonymLoaders = (synonyms: SearchSynonymRepository, { storeId }: Tenant) => ({
  searchSynonymById: loaderByKey(
    async (ids: readonly number[]) => synonyms.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
})
