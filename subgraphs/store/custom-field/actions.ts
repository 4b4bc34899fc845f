import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import type { Versioned } from '../input.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import { type CustomFieldInput, customFieldProblems, labelTaken } from './custom-field.ts'
import { reindexing } from './indexing.ts'
import { customFieldRepository } from './repository.ts'

/** Creates a custom field with its select options. */
export async function createCustomField(
  { query, storeId, now }: UnitOfWork,
  input: CustomFieldInput & { readonly label: string },
) {
  const { label, type = 'TEXT', values, productVisibility } = input
  const problems = customFieldProblems(input, type ?? 'TEXT')
  if (problems.length > 0) return validationError(problems)
  const fields = customFieldRepository(query)
  if (await fields.isTaken(storeId, label, null)) return validationError([labelTaken(label)])
  const made = { label, type: type ?? 'TEXT', productVisibility: productVisibility ?? true, at: now }
  const customField = await fields.insert(storeId, made)
  if (values?.length) await fields.replaceSelectOptions(storeId, customField, values)
  return { __typename: 'CreateCustomFieldSuccess' as const, customField }
}

/** Changes what the input has. */
export async function updateCustomField(unit: UnitOfWork, id: string, input: CustomFieldInput & Versioned) {
  const { query, storeId, now } = unit
  const fields = customFieldRepository(query)
  const before = await fields.lock(storeId, decodeId(id, 'CustomField') ?? 0)
  if (!before) return notFoundError('custom field', id)
  const stale = staleVersion(input.expectedVersion, before.version)
  if (stale) return stale
  const type = input.type ?? before.type
  const problems = customFieldProblems(input, type)
  if (problems.length > 0) return validationError(problems)
  const label = input.label ?? before.label
  if (label !== before.label && (await fields.isTaken(storeId, label, before.id))) return validationError([labelTaken(label)])
  if (type !== before.type && (await fields.isUsed(storeId, before.id))) {
    return validationError([problem('type', `${before.type}, because products have values of this field`, type)])
  }

  await fields.update(storeId, {
    ...before,
    label,
    type,
    productVisibility: input.productVisibility ?? before.productVisibility,
    at: now,
  })
  const values = type === 'SELECTION' ? input.values : []
  if (values) {
    await reindexing(unit, { customFieldId: before.id }, () => fields.replaceSelectOptions(storeId, before.id, values))
  }
  return { __typename: 'UpdateCustomFieldSuccess' as const, customField: before.id }
}

/** Deletes a custom field with its values. */
export async function deleteCustomField(unit: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const { query, storeId } = unit
  const fields = customFieldRepository(query)
  const before = await fields.lock(storeId, decodeId(id, 'CustomField') ?? 0)
  if (!before) return notFoundError('custom field', id)
  const stale = staleVersion(expectedVersion, before.version)
  if (stale) return stale
  await reindexing(unit, { customFieldId: before.id }, () => fields.delete(storeId, before.id))
  return { __typename: 'DeleteCustomFieldSuccess' as const, row: before.id }
}
