import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { CustomFieldSelectOptionRepository } from './repository.ts'

export const customFieldSelectOptionLoaders = (options: CustomFieldSelectOptionRepository, { storeId }: Tenant) => ({
  selectOptionById: loaderByKey(
    async (ids: readonly number[]) => options.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  selectOptionsOfField: loaderOfLists(
    async (fieldIds: readonly number[]) => options.ofFields(await storeId(), fieldIds),
    ({ customFieldId }) => customFieldId,
  ),
})
