import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { PageImageRepository } from './repository.ts'

export const pageImageLoaders = (images: PageImageRepository, { storeId }: Tenant) => ({
  pageImageById: loaderByKey(
    async (ids: readonly number[]) => images.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  imagesOfPage: loaderOfLists(
    async (pageIds: readonly number[]) => images.ofPages(await storeId(), pageIds),
    ({ pageId }) => pageId,
  ),
})
