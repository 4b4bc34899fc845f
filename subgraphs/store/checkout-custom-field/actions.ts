import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import type { Versioned } from '../input.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import {
  type CheckoutCustomFieldChange,
  changedCheckoutCustomField,
  checkoutCustomFieldProblems,
  newCheckoutCustomField,
} from './checkout-custom-field.ts'
import { checkoutCustomFieldRepository } from './repository.ts'

/**
 * What `Customer.additionalFields` promises to hold, since a customer answers each question once.
 */
const MAX_FIELDS = 250

/** Adds a question, behind all others unless the input has a position. */
export async function createCheckoutCustomField({ query, storeId, now }: UnitOfWork, input: CheckoutCustomFieldChange) {
  const fields = checkoutCustomFieldRepository(query)
  const { count, last } = await fields.lockEnd(storeId)
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
  const wanted = changedCheckoutCustomField(newCheckoutCustomField(last + 1), given)
  const problems = checkoutCustomFieldProblems(wanted)
  if (problems.length > 0) return validationError(problems)
  if (count >= MAX_FIELDS) return validationError([problem('label', `one of at most ${MAX_FIELDS} fields`, wanted.label)])
  const checkoutCustomField = await fields.insert(storeId, wanted, now)
  return { __typename: 'CreateCheckoutCustomFieldSuccess' as const, checkoutCustomField }
}

/** Changes what the input has. */
export async function updateCheckoutCustomField(
  { query, storeId, now }: UnitOfWork,
  id: string,
  input: CheckoutCustomFieldChange & Versioned,
) {
  const fields = checkoutCustomFieldRepository(query)
  const before = await fields.lock(storeId, decodeId(id, 'CheckoutCustomField') ?? 0)
  if (!before) return notFoundError('checkout custom field', id)
  const stale = staleVersion(input.expectedVersion, before.version)
  if (stale) return stale
  const { id: row, createdAt, updatedAt, version, ...was } = before
  const wanted = changedCheckoutCustomField(was, input)
  const problems = checkoutCustomFieldProblems(wanted)
  if (problems.length > 0) return validationError(problems)
  await fields.update(storeId, row, wanted, now)
  return { __typename: 'UpdateCheckoutCustomFieldSuccess' as const, checkoutCustomField: row }
}

/** Deletes a question with the answers of customers. */
export async function deleteCheckoutCustomField({ query, storeId }: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const fields = checkoutCustomFieldRepository(query)
  const before = await fields.lock(storeId, decodeId(id, 'CheckoutCustomField') ?? 0)
  if (!before) return notFoundError('checkout custom field', id)
  const stale = staleVersion(expectedVersion, before.version)
  if (stale) return stale
  if (!before.deletable) {
    return validationError([problem('id', 'a field that is deletable: set `deletable` to true first', before.label)])
  }
  await fields.delete(storeId, before.id)
  return { __typename: 'DeleteCheckoutCustomFieldSuccess' as const, row: before.id }
}
