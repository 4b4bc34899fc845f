import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { DigitalAssetRepository } from './repository.ts'

export const digitalAssetLoaders = (assets: DigitalAssetRepository, { storeId }: Tenant) => ({
  digitalAssetById: loaderByKey(
    async (ids: readonly number[]) => assets.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  digitalAssetsOfProduct: loaderOfLists(
    async (productIds: readonly number[]) => assets.ofProducts(await storeId(), productIds),
    ({ productId }) => productId,
  ),
})
