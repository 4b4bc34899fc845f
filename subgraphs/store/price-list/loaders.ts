import type { KeysetRange } from '../../toolkit/keyset.ts'
import { loaderByKey, loaderOfLists, loaderPerArguments } from '../../toolkit/loader.ts'
import type { Tenant } from '../tenant.ts'
import type { PriceListRepository } from './repository.ts'

/** A part of the fixed prices of a list; `productId` null: of all products. */
type PricesPart = { readonly productId: number | null; readonly range: KeysetRange }

export const priceListLoaders = (priceLists: PriceListRepository, { storeId }: Tenant) => ({
  priceListById: loaderByKey(
    async (ids: readonly number[]) => priceLists.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  /** Per part: fixed prices, by their list. */
  pricesOfPriceList: loaderPerArguments(({ productId, range }: PricesPart) =>
    loaderOfLists(
      async (ids: readonly number[]) => priceLists.pricesOf(await storeId(), ids, productId, range),
      ({ priceListId }) => priceListId,
    ),
  ),
  /** Per product, or null for all: number of fixed prices, by their list. */
  priceCountOfPriceList: loaderPerArguments((productId: number | null) =>
    loaderByKey(
      async (ids: readonly number[]) => priceLists.countPrices(await storeId(), ids, productId),
      ({ priceListId }) => priceListId,
    ),
  ),
})
