import type { KeysetRange } from '../../toolkit/keyset.ts'
import { loaderByKey, loaderOfLists, loaderPerArguments } from '../../toolkit/loader.ts'
import type { Tenant } from '../tenant.ts'
import type { StoreImportRepository } from './repository.ts'

export const storeImportLoaders = (storeImports: StoreImportRepository, { storeId }: Tenant) => ({
  storeImportById: loaderByKey(
    async (ids: readonly number[]) => storeImports.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  /** Per range: errors by their import. */
  errorsOfStoreImport: loaderPerArguments((range: KeysetRange) =>
    loaderOfLists(
      async (importIds: readonly number[]) => storeImports.errorsOf(await storeId(), importIds, range),
      ({ importId }) => importId,
    ),
  ),
  errorCountOfStoreImport: loaderByKey(
    async (importIds: readonly number[]) => storeImports.errorCounts(await storeId(), importIds),
    ({ importId }) => importId,
  ),
})
