import { loaderByKey } from '../../toolkit/loader.ts'
import type { PageLabelRepository } from '../page-label/repository.ts'
import type { Tenant } from '../tenant.ts'

export const pageCategoryLoaders = (categories: PageLabelRepository, { storeId }: Tenant) => ({
  pageCategoryById: loaderByKey(
    async (ids: readonly number[]) => categories.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
})
