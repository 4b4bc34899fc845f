import type { KeysetRange } from '../../toolkit/keyset.ts'
import { loaderByKey, loaderOfLists, loaderPerArguments } from '../../toolkit/loader.ts'
import type { ShopRepository } from './repository.ts'

export const shopLoaders = (shops: ShopRepository) => ({
  /** Per range: what a shop has on sale. */
  productsOfShop: loaderPerArguments((range: KeysetRange) =>
    loaderOfLists(
      (storeIds: readonly number[]) => shops.products(storeIds, range),
      ({ storeId }) => storeId,
    ),
  ),
  productCountOfShop: loaderByKey(shops.countProducts, ({ storeId }) => storeId),
})
