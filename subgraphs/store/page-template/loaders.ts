import { loaderByKey } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { PageLabelRepository } from '../page-label/repository.ts'

export const pageTemplateLoaders = (templates: PageLabelRepository, { storeId }: Tenant) => ({
  pageTemplateById: loaderByKey(
    async (ids: readonly number[]) => templates.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
})
