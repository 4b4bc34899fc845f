import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { identityKey } from '../text-key.ts'

/** Something that can be chosen as the value of a custom field. */
export type CustomFieldSelectOption = {
  readonly id: number
  readonly customFieldId: number
  readonly value: string
}

/** As many select options as a field may have: it is read with all of them. */
export const MOST_OPTIONS = 250
const LONGEST = 255

/** What is wrong with what a select option is to say. */
export const selectOptionProblem = (field: string, value: string): Problem | null => textProblem(field, value, LONGEST)

/** What is wrong with all that can be chosen: each text, doubles, their number. */
export function selectOptionProblems(values: readonly string[]): readonly Problem[] {
  if (values.length > MOST_OPTIONS) return [problem('values', `at most ${MOST_OPTIONS} texts`, values.length)]
  const keys = values.map(identityKey)
  return problemsIn(
    values.map(
      (value, index) =>
        selectOptionProblem(`values.${index}`, value) ??
        (keys.indexOf(keys[index] ?? '') < index ? valueTaken(`values.${index}`, value) : null),
    ),
  )
}

/** That another select option of the field says the same. */
export const valueTaken = (field: string, value: string): Problem =>
  problem(field, 'different from the other select options of the field', value)
