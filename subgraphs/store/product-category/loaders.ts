import { memoize } from '../../../platform/collections/memoize.ts'
import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Columns } from '../../toolkit/selected-columns.ts'
import type { Tenant } from '../tenant.ts'
import type { ProductCategory } from './product-category.ts'
import type { ProductCategoryRepository } from './repository.ts'

/** What the schema promises of `ProductCategory.children`. */
const MAX_CHILDREN = 250

export const productCategoryLoaders = (categories: ProductCategoryRepository, { storeId }: Tenant) => ({
  productCategoryById: loaderByKey(
    async (ids: readonly number[]) => categories.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  categoriesOfProduct: memoize((columns: Columns<ProductCategory>) =>
    loaderOfLists(
      async (productIds: readonly number[]) => categories.holding(await storeId(), productIds, columns),
      ({ productId }) => productId,
    ),
  ),
  productCategoriesOfParent: loaderOfLists(
    async (parentIds: readonly number[]) => categories.ofParents(await storeId(), parentIds, MAX_CHILDREN),
    ({ parentId }) => parentId,
  ),
})
