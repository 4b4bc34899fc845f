import { memoize } from '../../../platform/collections/memoize.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import { loaderByKey, loaderOfLists, loaderPerArguments } from '../../toolkit/loader.ts'
import type { Columns } from '../../toolkit/selected-columns.ts'
import type { Tenant } from '../tenant.ts'
import type { Product } from './product.ts'
import type { ProductRepository } from './repository.ts'

export const productLoaders = (products: ProductRepository, { storeId }: Tenant) => ({
  productById: loaderByKey(
    async (ids: readonly number[]) => products.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  /** Per columns: a product with those, by its row. */
  productWith: memoize((columns: Columns<Product>) =>
    loaderByKey(
      async (ids: readonly number[]) => products.findByIds(await storeId(), ids, columns),
      ({ id }) => id,
    ),
  ),
  /** Per language: the texts of a product there, by its row. */
  translationOfProduct: loaderPerArguments((locale: string) =>
    loaderByKey(
      async (ids: readonly number[]) => products.translations(await storeId(), locale, ids),
      ({ productId }) => productId,
    ),
  ),
  /** Per range: rows of products, by their category's. */
  productIdsInCategory: loaderPerArguments((range: KeysetRange) =>
    loaderOfLists(
      async (categoryIds: readonly number[]) => products.idsInCategories(await storeId(), categoryIds, range),
      ({ categoryId }) => categoryId,
    ),
  ),
  productCountInCategory: loaderByKey(
    async (categoryIds: readonly number[]) => products.countInCategories(await storeId(), categoryIds),
    ({ categoryId }) => categoryId,
  ),
})
