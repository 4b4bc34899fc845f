import { loaderByKey } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { TaxRepository } from './repository.ts'

export const taxLoaders = (taxes: TaxRepository, { storeId }: Tenant) => ({
  taxById: loaderByKey(
    async (ids: readonly number[]) => taxes.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
})
