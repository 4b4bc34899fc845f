import type { KeysetRange } from '../../toolkit/keyset.ts'
import { loaderByKey, loaderOfLists, loaderPerArguments } from '../../toolkit/loader.ts'
import { MAX_CATEGORIES } from '../customer/customer.ts'
import type { Tenant } from '../tenant.ts'
import type { CustomerCategoryRepository } from './repository.ts'

export const customerCategoryLoaders = (categories: CustomerCategoryRepository, { storeId }: Tenant) => ({
  customerCategoryById: loaderByKey(
    async (ids: readonly number[]) => categories.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  /** Rows of categories, by the customer's. */
  categoryIdsOfCustomer: loaderOfLists(
    async (customerIds: readonly number[]) => categories.categoriesOf(await storeId(), customerIds, MAX_CATEGORIES),
    ({ customerId }) => customerId,
  ),
  /** Per range: rows of customers, by their category's. */
  customerIdsInCategory: loaderPerArguments((range: KeysetRange) =>
    loaderOfLists(
      async (categoryIds: readonly number[]) => categories.membersOf(await storeId(), categoryIds, range),
      ({ categoryId }) => categoryId,
    ),
  ),
  customerCountInCategory: loaderByKey(
    async (categoryIds: readonly number[]) => categories.countMembers(await storeId(), categoryIds),
    ({ categoryId }) => categoryId,
  ),
})
