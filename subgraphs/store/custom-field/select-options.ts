import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { identityKey } from '../text-key.ts'

/** As many select options as a field may have: it is read with all of them. */
export const MAX_SELECT_OPTIONS = 250
const MAX_VALUE_LENGTH = 255

/** The problem of the text of a select option; null when it is valid. */
export const selectOptionProblem = (field: string, value: string): Problem | null => textProblem(field, value, MAX_VALUE_LENGTH)

/** Problems of all options: each text, duplicates, their number. */
export function selectOptionProblems(values: readonly string[]): readonly Problem[] {
  if (values.length > MAX_SELECT_OPTIONS) return [problem('values', `at most ${MAX_SELECT_OPTIONS} texts`, values.length)]
  const keys = values.map(identityKey)
  return problemsIn(
    values.map(
      (value, index) =>
        selectOptionProblem(`values.${index}`, value) ??
        (keys.indexOf(keys[index] ?? '') < index ? valueTaken(`values.${index}`, value) : null),
    ),
  )
}

/** Another select option of the field has the same text. */
export const valueTaken = (field: string, value: string): Problem =>
  problem(field, 'different from the other select options of the field', value)
