import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { selectOptionProblems } from './select-options.ts'

export type CustomFieldType = 'TEXT' | 'SELECTION' | 'INPUT'

/** A property that products of a store can have. */
export type CustomField = {
  readonly id: number
  readonly label: string
  readonly type: CustomFieldType
  readonly productVisibility: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** Fields of a custom field to write; undefined stays unchanged. */
export type CustomFieldInput = {
  readonly label?: string | null | undefined
  readonly type?: CustomFieldType | null | undefined
  readonly values?: readonly string[] | null | undefined
  readonly productVisibility?: boolean | null | undefined
}

const MAX_TEXT_LENGTH = 100

/** Invalid fields of a custom field of this type to create or change. */
export const customFieldProblems = (
  { label, type, values, productVisibility }: CustomFieldInput,
  result: CustomFieldType,
): readonly Problem[] => [
  ...problemsIn([
    label === undefined ? null : textProblem('label', label ?? '', MAX_TEXT_LENGTH),
    type === null ? problem('type', 'TEXT, SELECTION or INPUT', null) : null,
  ]),
  ...valuesProblems(values, result),
  ...problemsIn([productVisibility === null ? problem('productVisibility', 'true or false', null) : null]),
]

function valuesProblems(values: CustomFieldInput['values'], type: CustomFieldType): readonly Problem[] {
  if (values === null && type === 'SELECTION') return [problem('values', 'a list', null)]
  if (values == null || values.length === 0) return []
  return type === 'SELECTION'
    ? selectOptionProblems(values)
    : [problem('values', 'empty for a field that is no SELECTION', values)]
}

/** That another field of the store has this label. */
export const labelTaken = (label: string): Problem => problem('label', 'different from the labels of other custom fields', label)
