import { notFoundError, problem, problemsIn, validationError } from '../../toolkit/validation.ts'
import { reindexing } from '../custom-field/indexing.ts'
import { customFieldRepository } from '../custom-field/repository.ts'
import { MAX_SELECT_OPTIONS, selectOptionProblem, valueTaken } from '../custom-field/select-options.ts'
import { decodeId } from '../ids.ts'
import { identityKey } from '../text-key.ts'
import type { UnitOfWork } from '../write.ts'
import { customFieldSelectOptionRepository } from './repository.ts'

type Named = { readonly id: string; readonly customFieldId?: string | null | undefined }

/** Adds the last select option of a field. */
export async function createCustomFieldSelectOption(
  { query, storeId, now }: UnitOfWork,
  { customFieldId, value }: { readonly customFieldId: string; readonly value: string },
) {
  const problems = problemsIn([selectOptionProblem('value', value)])
  if (problems.length > 0) return validationError(problems)
  const [fields, options] = [customFieldRepository(query), customFieldSelectOptionRepository(query)]
  const field = await fields.lock(storeId, decodeId(customFieldId, 'CustomField') ?? 0)
  if (!field) return notFoundError('custom field', customFieldId)
  if (field.type !== 'SELECTION') {
    return validationError([problem('customFieldId', 'a custom field of type SELECTION', customFieldId)])
  }
  const others = await options.ofFields(storeId, [field.id])
  if (others.length >= MAX_SELECT_OPTIONS) {
    return validationError([
      problem('customFieldId', `a custom field with fewer than ${MAX_SELECT_OPTIONS} select options`, customFieldId),
    ])
  }
  if (others.some((other) => identityKey(other.value) === identityKey(value)))
    return validationError([valueTaken('value', value)])
  const customFieldSelectOption = await options.insert(storeId, { customFieldId: field.id, value })
  await fields.touch(storeId, field.id, now)
  return { __typename: 'CreateCustomFieldSelectOptionSuccess' as const, customFieldSelectOption }
}

/** Changes the text of a select option. */
export async function updateCustomFieldSelectOption(unit: UnitOfWork, { value, ...named }: Named & { readonly value: string }) {
  const { query, storeId, now } = unit
  const problems = problemsIn([selectOptionProblem('value', value)])
  if (problems.length > 0) return validationError(problems)
  const [fields, options] = [customFieldRepository(query), customFieldSelectOptionRepository(query)]
  const option = await lockedOption(unit, named)
  if (!option) return notFoundError('select option', named.id)
  const others = await options.ofFields(storeId, [option.customFieldId])
  if (others.some((other) => other.id !== option.id && identityKey(other.value) === identityKey(value))) {
    return validationError([valueTaken('value', value)])
  }
  const which = { customFieldId: option.customFieldId, selectOptionId: option.id }
  await reindexing(unit, which, () => options.update(storeId, { id: option.id, value }))
  await fields.touch(storeId, option.customFieldId, now)
  return { __typename: 'UpdateCustomFieldSelectOptionSuccess' as const, customFieldSelectOption: option.id }
}

/** Deletes a select option, and the values of products that chose it. */
export async function deleteCustomFieldSelectOption(unit: UnitOfWork, named: Named) {
  const { query, storeId, now } = unit
  const option = await lockedOption(unit, named)
  if (!option) return notFoundError('select option', named.id)
  const which = { customFieldId: option.customFieldId, selectOptionId: option.id }
  await reindexing(unit, which, () => customFieldSelectOptionRepository(query).delete(storeId, option.id))
  await customFieldRepository(query).touch(storeId, option.customFieldId, now)
  return { __typename: 'DeleteCustomFieldSelectOptionSuccess' as const, row: option.id }
}

/**
 * The select option with its field locked; null when there is none, or it belongs to another field.
 */
async function lockedOption({ query, storeId }: UnitOfWork, { id, customFieldId }: Named) {
  const options = customFieldSelectOptionRepository(query)
  const row = decodeId(id, 'CustomFieldSelectOption') ?? 0
  const [seen] = await options.findByIds(storeId, [row])
  if (!seen || (customFieldId != null && decodeId(customFieldId, 'CustomField') !== seen.customFieldId)) return null
  await customFieldRepository(query).lock(storeId, seen.customFieldId)
  const [option] = await options.findByIds(storeId, [row])
  return option ?? null
}
