import { hashPassword, passwordProblem } from '../../toolkit/password.ts'
import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import type { Versioned } from '../input.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import {
  type Customer,
  type CustomerChange,
  changedCustomer,
  customerProblems,
  MAX_CATEGORIES,
  NEW_CUSTOMER,
} from './customer.ts'
import { eraseFromOrders } from './erasure-repository.ts'
import { membershipRepository } from './membership-repository.ts'
import { customerRepository } from './repository.ts'

/** A customer as a caller gives it. */
export type CustomerInput = CustomerChange & { readonly categoryIds?: readonly string[] | null | undefined }

/**
 * Stored hash of a given password; undefined for none, and for one that is refused anyway. Takes
 * some 20 ms, so call it outside of a transaction.
 */
export const passwordHashOf = async ({ password }: CustomerChange): Promise<string | null | undefined> =>
  password == null ? password : passwordProblem('password', password) ? undefined : hashPassword(password)

/**
 * The same input without what nothing may remember, not even as the fingerprint of an idempotency
 * key.
 */
export const withoutPassword = <Input extends CustomerChange>({ password: _, ...input }: Input): Omit<Input, 'password'> => input

/** Creates a customer. `passwordHash` is that of the input's password. */
export async function createCustomer(
  { query, storeId, now, emit }: UnitOfWork,
  input: CustomerInput,
  passwordHash: string | null | undefined,
) {
  const fields = changedCustomer(NEW_CUSTOMER, withoutNulls(input))
  const problems = [...customerProblems(fields, input.password), ...categoryProblems(input)]
  if (problems.length > 0) return validationError(problems)

  const { acceptsMarketing } = fields
  const stored = { ...fields, passwordHash, acceptedMarketingAt: acceptsMarketing ? now : null, cancelledMarketingAt: null }
  const customer = await customerRepository(query).insert(storeId, stored, now)
  if (customer === null) return validationError([taken(fields.email)])
  const failure = await putIntoCategories({ query, storeId }, customer, input.categoryIds ?? undefined)
  if (failure) return failure
  emit({ event: 'customer_created', entity: 'Customer', id: customer })
  return { __typename: 'CreateCustomerSuccess' as const, customer }
}

/** Changes what the input has. `passwordHash` is that of the input's password. */
export async function updateCustomer(
  { query, storeId, now, emit }: UnitOfWork,
  id: string,
  input: CustomerInput & Versioned,
  passwordHash: string | null | undefined,
) {
  const customers = customerRepository(query)
  const before = await customers.lock(storeId, decodeId(id, 'Customer') ?? 0)
  if (!before) return notFoundError('customer', id)
  const stale = staleVersion(input.expectedVersion, before.version)
  if (stale) return stale

  const fields = changedCustomer(before, input)
  const problems = [...customerProblems(fields, input.password), ...categoryProblems(input)]
  if (problems.length > 0) return validationError(problems)
  const failure = await putIntoCategories({ query, storeId }, before.id, input.categoryIds)
  if (failure) return failure
  const stored = { ...fields, ...marketingTimes(before, fields.acceptsMarketing, now), passwordHash }
  if (!(await customers.update(storeId, before.id, stored, now))) return validationError([taken(fields.email)])
  emit({ event: 'customer_updated', entity: 'Customer', id: before.id })
  return { __typename: 'UpdateCustomerSuccess' as const, customer: before.id }
}

/** Deletes a customer; orders keep their copies of its data. */
export async function deleteCustomer({ query, storeId, emit }: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const customers = customerRepository(query)
  const before = await customers.lock(storeId, decodeId(id, 'Customer') ?? 0)
  if (!before) return notFoundError('customer', id)
  const stale = staleVersion(expectedVersion, before.version)
  if (stale) return stale
  return deleted({ query, storeId, emit }, before.id)
}

async function deleted({ query, storeId, emit }: Pick<UnitOfWork, 'query' | 'storeId' | 'emit'>, row: number) {
  await customerRepository(query).delete(storeId, row)
  emit({ event: 'customer_deleted', entity: 'Customer', id: row })
  return { __typename: 'DeleteCustomerSuccess' as const, row }
}

/** Erases a customer: deletes it, and removes its data from orders. */
export async function eraseCustomer(unit: UnitOfWork, id: string) {
  const { query, storeId, now } = unit
  const before = await customerRepository(query).lock(storeId, decodeId(id, 'Customer') ?? 0)
  if (!before) return notFoundError('customer', id)
  const orders = await eraseFromOrders(query, storeId, { customerId: before.id, email: before.email }, now)
  const { row } = await deleted(unit, before.id)
  return { __typename: 'EraseCustomerSuccess' as const, row, orders }
}

/** The same by e-mail address, of a customer or in orders only. */
export async function eraseByEmail(unit: UnitOfWork, email: string) {
  const { query, storeId, now } = unit
  const [known] = await customerRepository(query).idsByEmail(storeId, [email])
  const orders = await eraseFromOrders(query, storeId, { customerId: known?.id ?? null, email }, now)
  if (known) await deleted(unit, known.id)
  return { __typename: 'EraseSuccess' as const, customers: known ? 1 : 0, orders }
}

const taken = (email: string) => problem('email', 'an address that no other customer has', email)

const categoryProblems = ({ categoryIds }: CustomerInput) =>
  categoryIds && categoryIds.length > MAX_CATEGORIES
    ? [problem('categoryIds', `at most ${MAX_CATEGORIES} categories`, categoryIds.length)]
    : []

/**
 * Sets the categories of a customer; undefined changes nothing, null removes all. Returns the
 * problem, or null.
 */
async function putIntoCategories(
  { query, storeId }: Pick<UnitOfWork, 'query' | 'storeId'>,
  customerId: number,
  categoryIds: readonly string[] | null | undefined,
) {
  if (categoryIds === undefined) return null
  const categories = membershipRepository(query)
  const wanted = [...new Set(categoryIds ?? [])].map((id) => ({ id, row: decodeId(id, 'CustomerCategory') ?? 0 }))
  const rows = wanted.map(({ row }) => row)
  const known = new Set(rows.length === 0 ? [] : await categories.keepCategories(storeId, rows))
  const missing = wanted.find(({ row }) => !known.has(row))
  if (missing) return notFoundError('customer category', missing.id)
  await categories.setCategoriesOf(storeId, customerId, [...known])
  return null
}

function marketingTimes(before: Customer, acceptsMarketing: boolean, now: Date) {
  const { acceptedMarketingAt, cancelledMarketingAt } = before
  if (acceptsMarketing === before.acceptsMarketing) return { acceptedMarketingAt, cancelledMarketingAt }
  return acceptsMarketing
    ? { acceptedMarketingAt: now, cancelledMarketingAt }
    : { acceptedMarketingAt, cancelledMarketingAt: now }
}

/** Of a customer to be created, null is the same as absent. */
const withoutNulls = (input: CustomerInput): CustomerInput =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
