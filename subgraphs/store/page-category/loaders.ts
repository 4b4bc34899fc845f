import { loaderByKey } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { PageLabelRepository } from '../page-label/repository.ts'

export const pageCategoryLoaders = (categories: PageLabelRepository, { storeId }: Tenant) => ({
  pageCategoryById: loaderByKey(
    async (ids: readonly number[]) => categories.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
})
