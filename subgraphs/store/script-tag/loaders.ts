import { loaderByKey } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { ScriptTagRepository } from './repository.ts'

export const scriptTagLoaders = (scriptTags: ScriptTagRepository, { storeId }: Tenant) => ({
  scriptTagById: loaderByKey(
    async (ids: readonly number[]) => scriptTags.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
})
