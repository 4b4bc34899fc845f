import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import type { CustomFieldType } from '../custom-field/custom-field.ts'
import type { CustomFieldSelectOption } from '../custom-field-select-option/custom-field-select-option.ts'
import { identityKey } from '../text-key.ts'

/** Value of a custom field for a product, or for one of its variants. */
export type ProductCustomFieldValue = {
  readonly id: number
  readonly productId: number
  readonly customFieldId: number
  /** Null: a value of the product. */
  readonly variantId: number | null
  /** Null unless the field is a selection. */
  readonly selectOptionId: number | null
  /** Of a selection, the text of its option. */
  readonly value: string
}

/** Stored value: a text, or an option. */
export type Said = { readonly selectOptionId: number | null; readonly text: string | null }

/** As many values as a product may have: it is read with all of them. */
export const MAX_FIELD_VALUES = 500
export const MAX_FIELD_VARIANTS = 100
const MAX_TEXT_LENGTH = 5_000
/** Most options named in the error of an invalid choice. */
const MAX_NAMED = 20

/** The value of a text for such a field, or its problem. `options` are those of a selection. */
export function saidBy(
  value: string,
  type: CustomFieldType,
  options: readonly CustomFieldSelectOption[],
): Said | { readonly problems: readonly Problem[] } {
  const problems = problemsIn([textProblem('value', value, MAX_TEXT_LENGTH)])
  if (problems.length > 0) return { problems }
  if (type !== 'SELECTION') return { selectOptionId: null, text: value }
  const chosen = options.find((option) => identityKey(option.value) === identityKey(value))
  if (chosen) return { selectOptionId: chosen.id, text: null }
  const named = options.slice(0, MAX_NAMED).map((option) => `"${option.value}"`)
  const expectation = named.length === 0 ? 'one of the select options of the field, which has none' : `one of ${named.join(', ')}`
  return { problems: [problem('value', `${expectation}${options.length > MAX_NAMED ? ' …' : ''}`, value)] }
}
