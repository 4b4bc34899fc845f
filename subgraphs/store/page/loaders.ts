import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { PageRepository } from './repository.ts'

/** What the schema promises of `PageCategory.pages`. */
const MOST_OF_CATEGORY = 250

export const pageLoaders = (pages: PageRepository, { storeId }: Tenant) => ({
  pageById: loaderByKey(
    async (ids: readonly number[]) => pages.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  placesOfPage: loaderOfLists(
    async (pageIds: readonly number[]) => pages.placesOf(await storeId(), pageIds),
    ({ pageId }) => pageId,
  ),
  pagesOfCategory: loaderOfLists(
    async (categoryIds: readonly number[]) => pages.ofCategories(await storeId(), categoryIds, MOST_OF_CATEGORY),
    ({ categoryId }) => categoryId,
  ),
})
