import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { emailKey } from '../customer/customer.ts'
import { membershipRepository } from '../customer/membership-repository.ts'
import { customerRepository } from '../customer/repository.ts'
import { decodeId } from '../ids.ts'
import { permalinkOf } from '../text-key.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import { customerCategoryProblems } from './customer-category.ts'
import { customerCategoryRepository } from './repository.ts'

type Versioned = { readonly expectedVersion?: number | null | undefined }
type CustomerReference = { readonly id?: string | null | undefined; readonly email?: string | null | undefined }

/** Customers that can be added at once. */
const MAX_ADDED = 250

/** Creates a category with a code made from its name. */
export async function createCustomerCategory({ query, storeId, now }: UnitOfWork, { name }: { readonly name: string }) {
  const problems = customerCategoryProblems(name)
  if (problems.length > 0) return validationError(problems)
  const categories = customerCategoryRepository(query)
  const code = await categories.freeCode(storeId, permalinkOf(name))
  const customerCategory = await categories.insert(storeId, { name, code }, now)
  return { __typename: 'CreateCustomerCategorySuccess' as const, customerCategory }
}

/** Renames a category; its code stays, because others remember it. */
export async function updateCustomerCategory(
  { query, storeId, now }: UnitOfWork,
  id: string,
  { name, expectedVersion }: Versioned & { readonly name?: string | null | undefined },
) {
  const problems = name === undefined ? [] : customerCategoryProblems(name ?? '')
  if (problems.length > 0) return validationError(problems)
  const categories = customerCategoryRepository(query)
  const before = await categories.lock(storeId, decodeId(id, 'CustomerCategory') ?? 0)
  if (!before) return notFoundError('customer category', id)
  const stale = staleVersion(expectedVersion, before.version)
  if (stale) return stale
  await categories.rename(storeId, before.id, name ?? before.name, now)
  return { __typename: 'UpdateCustomerCategorySuccess' as const, customerCategory: before.id }
}

/** Deletes a category; its customers stay. */
export async function deleteCustomerCategory({ query, storeId }: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const categories = customerCategoryRepository(query)
  const before = await categories.lock(storeId, decodeId(id, 'CustomerCategory') ?? 0)
  if (!before) return notFoundError('customer category', id)
  const stale = staleVersion(expectedVersion, before.version)
  if (stale) return stale
  await categories.delete(storeId, before.id)
  return { __typename: 'DeleteCustomerCategorySuccess' as const, row: before.id }
}

/** Adds customers to a category: all of them, or none. */
export async function addCustomersToCategory(
  unit: UnitOfWork,
  id: string,
  { customers: references }: { readonly customers: readonly CustomerReference[] },
) {
  const { query, storeId, now, emit } = unit
  const problems = referenceProblems(references)
  if (problems.length > 0) return validationError(problems)
  // Locks customers before categories, as everywhere: another order could deadlock.
  const found = await referredTo(unit, references)
  if ('failure' in found) return found.failure
  const categories = customerCategoryRepository(query)
  const [category] = await membershipRepository(query).keepCategories(storeId, [decodeId(id, 'CustomerCategory') ?? 0])
  if (category === undefined) return notFoundError('customer category', id)

  const added = await categories.addMembers(storeId, category, found.rows)
  if (added.length > 0) await customerRepository(query).touch(storeId, added, now)
  for (const row of added) emit({ event: 'customer_updated', entity: 'Customer', id: row })
  return { __typename: 'AddCustomersToCategorySuccess' as const, customerCategory: category, customers: found.rows }
}

/** Takes a customer out of a category. */
export async function removeCustomerFromCategory(
  { query, storeId, now, emit }: UnitOfWork,
  id: string,
  { customerId, expectedVersion }: Versioned & { readonly customerId: string },
) {
  const customers = customerRepository(query)
  const customer = await customers.lock(storeId, decodeId(customerId, 'Customer') ?? 0)
  const categories = customerCategoryRepository(query)
  const category = await categories.lock(storeId, decodeId(id, 'CustomerCategory') ?? 0)
  if (!category) return notFoundError('customer category', id)
  const stale = staleVersion(expectedVersion, category.version)
  if (stale) return stale
  if (!customer || !(await categories.removeMember(storeId, category.id, customer.id))) {
    return notFoundError('customer in this category', customerId)
  }
  await customers.touch(storeId, [customer.id], now)
  emit({ event: 'customer_updated', entity: 'Customer', id: customer.id })
  return { __typename: 'RemoveCustomerFromCategorySuccess' as const, customerCategory: category.id }
}

const referenceProblems = (references: readonly CustomerReference[]) =>
  references.length === 0 || references.length > MAX_ADDED
    ? [problem('customers', `1 to ${MAX_ADDED} customers`, references.length)]
    : references.flatMap(({ id, email }, index) =>
        id == null && email == null ? [problem(`customers.${index}`, 'a customer with an id or an email', null)] : [],
      )

/**
 * Locks the rows of customers, each once and by id; returns the first reference without a customer
 * instead.
 */
async function referredTo({ query, storeId }: UnitOfWork, references: readonly CustomerReference[]) {
  const customers = customerRepository(query)
  // PostgreSQL has no text with NUL, so no customer has such an address.
  const emails = references.flatMap(({ email }) => (email == null || email.includes('\0') ? [] : [email]))
  const byEmail = new Map(
    emails.length === 0 ? [] : (await customers.idsByEmail(storeId, emails)).map((row) => [row.emailKey, row.id]),
  )
  const wanted = references.map(({ id, email }) => {
    const named = id == null ? null : (decodeId(id, 'Customer') ?? 0)
    const addressed = email == null ? null : (byEmail.get(emailKey(email)) ?? 0)
    const isOne = named === null || addressed === null || named === addressed
    return { row: isOne ? (named ?? addressed ?? 0) : 0, said: id ?? email ?? '' }
  })
  const rows = (await customers.lockAll(storeId, [...new Set(wanted.map(({ row }) => row))])).map(({ id }) => id)
  const missing = wanted.find(({ row }) => !rows.includes(row))
  return missing ? { failure: notFoundError('customer', missing.said) } : { rows }
}
