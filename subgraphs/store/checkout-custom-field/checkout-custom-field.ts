import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'

export type CheckoutCustomFieldType = 'TEXT' | 'SELECT' | 'INPUT' | 'CHECKBOX' | 'DATE'
export type CheckoutArea = 'CONTACT' | 'BILLING_SHIPPING' | 'OTHER'

/** A question of the checkout. */
export type CheckoutCustomField = CheckoutCustomFieldFields & {
  readonly id: number
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** Fields of a question that the merchant writes. */
export type CheckoutCustomFieldFields = {
  readonly label: string
  readonly type: CheckoutCustomFieldType
  readonly area: CheckoutArea
  readonly required: boolean
  /** From 1. */
  readonly position: number
  readonly deletable: boolean
  /** Empty unless the type is SELECT. */
  readonly selectOptions: readonly string[]
}

/** Fields as a caller gives them: undefined stays as it is. */
export type CheckoutCustomFieldChange = {
  readonly [Field in keyof CheckoutCustomFieldFields]?: CheckoutCustomFieldFields[Field] | null | undefined
}

/** A new question with its defaults. */
export const newCheckoutCustomField = (position: number): CheckoutCustomFieldFields => ({
  label: '',
  type: 'INPUT',
  area: 'OTHER',
  required: false,
  position,
  deletable: true,
  selectOptions: [],
})

const MAX_POSITION = 10_000
const MAX_OPTIONS = 250
const MAX_TEXT_LENGTH = 200

/** The question as it is after the change. */
export function changedCheckoutCustomField(
  before: CheckoutCustomFieldFields,
  change: CheckoutCustomFieldChange,
): CheckoutCustomFieldFields {
  const changed = Object.fromEntries(
    Object.entries(before).map(([field, was]) => {
      // Keys of a literal above.
      const given = change[field as keyof CheckoutCustomFieldFields]
      return [field, given === undefined ? was : given]
    }),
    // One entry for each field.
  ) as CheckoutCustomFieldFields
  const loses = change.selectOptions === undefined && changed.type !== 'SELECT'
  return loses ? { ...changed, selectOptions: [] } : changed
}

/**
 * Invalid fields of a question after a change, in their order. The types have no null, but a caller
 * can send it.
 */
export function checkoutCustomFieldProblems({
  label,
  type,
  area,
  required,
  position,
  deletable,
  selectOptions,
}: CheckoutCustomFieldFields): readonly Problem[] {
  return problemsIn([
    textProblem('label', label ?? '', MAX_TEXT_LENGTH),
    type === null ? problem('type', 'TEXT, SELECT, INPUT, CHECKBOX or DATE', null) : null,
    area === null ? problem('area', 'CONTACT, BILLING_SHIPPING or OTHER', null) : null,
    required === null ? problem('required', 'true or false', null) : null,
    position === null || position < 1 || position > MAX_POSITION ? problem('position', `1 to ${MAX_POSITION}`, position) : null,
    deletable === null ? problem('deletable', 'true or false', null) : null,
    ...optionProblems(type, selectOptions ?? []),
  ])
}

function optionProblems(type: CheckoutCustomFieldType, options: readonly string[]): readonly (Problem | null)[] {
  if (type !== 'SELECT') {
    return [options.length === 0 ? null : problem('selectOptions', 'empty unless the type is SELECT', options.length)]
  }
  if (options.length === 0 || options.length > MAX_OPTIONS) {
    return [problem('selectOptions', `1 to ${MAX_OPTIONS} texts`, options.length)]
  }
  return options.map(
    (option, index) =>
      textProblem(`selectOptions.${index}`, option, MAX_TEXT_LENGTH) ??
      (options.indexOf(option) === index ? null : problem(`selectOptions.${index}`, 'another text than those before', option)),
  )
}

/** The problem of an answer to a question; null when it is valid. */
export function answerProblem(
  { type, selectOptions }: Pick<CheckoutCustomField, 'type' | 'selectOptions'>,
  value: string,
): Problem | null {
  switch (type) {
    case 'TEXT':
      return textProblem('value', value, 5_000)
    case 'INPUT':
      return textProblem('value', value, 500) ?? (/[\r\n]/.test(value) ? problem('value', 'text of one line', value) : null)
    case 'SELECT':
      return selectOptions.includes(value) ? null : problem('value', `one of ${shortened(selectOptions)}`, value)
    case 'CHECKBOX':
      return value === 'true' || value === 'false' ? null : problem('value', 'true or false', value)
    case 'DATE':
      return isDay(value) ? null : problem('value', 'a day such as 2026-11-20', value)
  }
}

function shortened(options: readonly string[]): string {
  const shown = options.slice(0, 10).join(', ')
  return options.length > 10 ? `${shown} … (${options.length} options)` : shown
}

function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : null
  return at !== null && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}
