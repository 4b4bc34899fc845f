import { MAX_CATEGORIES } from '../customer/customer.ts'
import type { CustomerRepository } from '../customer/repository.ts'
import type { CustomerCategoryRepository } from '../customer-category/repository.ts'
import type { Shopper } from '../storefront/shopper.ts'
import { accountOfSession } from './actions.ts'
import type { CustomerAccountRepository } from './repository.ts'

type ShopperDeps = {
  readonly customerAccounts: CustomerAccountRepository
  readonly customers: CustomerRepository
  readonly customerCategories: CustomerCategoryRepository
  readonly now: () => Date
}

/** The shopper of an open session; null: the session has ended. */
export async function shopperOf(
  { customerAccounts, customers, customerCategories, now }: ShopperDeps,
  storeId: number,
  accountToken: string,
): Promise<Shopper | null> {
  const account = await accountOfSession(customerAccounts, storeId, accountToken, now())
  if (!account) return null
  const customer = await customers.findByEmail(storeId, account.email)
  const memberships = customer ? await customerCategories.categoriesOf(storeId, [customer.id], MAX_CATEGORIES) : []
  return { accountId: account.id, categories: new Set(memberships.map(({ categoryId }) => categoryId)) }
}
