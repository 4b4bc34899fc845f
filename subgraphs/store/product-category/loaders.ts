import { loaderByKey, loaderOfLists } from '../../runtime/loader.ts'
import type { Tenant } from '../context.ts'
import type { ProductCategoryRepository } from './repository.ts'

/** What the schema promises of `ProductCategory.children`. */
const MOST_CHILDREN = 250

export const productCategoryLoaders = (categories: ProductCategoryRepository, { storeId }: Tenant) => ({
  productCategoryById: loaderByKey(
    async (ids: readonly number[]) => categories.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  categoriesOfProduct: loaderOfLists(
    async (productIds: readonly number[]) => categories.holding(await storeId(), productIds),
    ({ productId }) => productId,
  ),
  productCategoriesOfParent: loaderOfLists(
    async (parentIds: readonly number[]) => categories.ofParents(await storeId(), parentIds, MOST_CHILDREN),
    ({ parentId }) => parentId,
  ),
})
