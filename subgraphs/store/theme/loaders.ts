import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { ThemeRepository } from './repository.ts'

export const themeLoaders = (themes: ThemeRepository, { storeId }: Tenant) => ({
  themeById: loaderByKey(
    async (ids: readonly number[]) => themes.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  filesOfTheme: loaderOfLists(
    async (themeIds: readonly number[]) => themes.filesOf(await storeId(), themeIds),
    ({ themeId }) => themeId,
  ),
  /** What customers see; the key is the store of the caller. */
  publicationOfStore: loaderByKey(
    async () => themes.publications(await storeId(), 1),
    (publication) => publication.storeId,
  ),
})
