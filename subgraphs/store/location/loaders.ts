import { loaderByKey } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { LocationRepository } from './repository.ts'

export const locationLoaders = (locations: LocationRepository, { storeId }: Tenant) => ({
  locationById: loaderByKey(
    async (ids: readonly number[]) => locations.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
})
