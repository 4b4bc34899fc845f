import { loaderByKey } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { CustomFieldRepository } from './repository.ts'

export const customFieldLoaders = (fields: CustomFieldRepository, { storeId }: Tenant) => ({
  customFieldById: loaderByKey(
    async (ids: readonly number[]) => fields.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
})
