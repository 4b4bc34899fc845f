import { loaderByKey } from '../../toolkit/loader.ts'
import type { Tenant } from '../tenant.ts'
import type { StoreImportRepository } from './repository.ts'

export const storeImportLoaders = (storeImports: StoreImportRepository, { storeId }: Tenant) => ({
  storeImportById: loaderByKey(
    async (ids: readonly number[]) => storeImports.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
})
