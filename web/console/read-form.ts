import { type LookupTable, ownValue } from '../../platform/collections/lookup-table.ts'
import type { FormProblems } from '../frame/fields.ts'

/** Of the scalar Decimal (schema/store/schema.graphql). */
const DECIMAL = /^\d{1,10}(\.\d{1,4})?$/
const MAX_INT = 2_147_483_647

/** The values of a form as operations take them, and what is wrong with those that cannot be read. */
export type FormReader = ReturnType<typeof readForm>

export function readForm(field: (name: string) => string) {
  const problems = new Map<string, string>()
  const refuse = (name: string, problem: string): void => {
    if (!problems.has(name)) problems.set(name, problem)
  }
  const trimmed = (name: string): string => field(name).trim()
  const decimal = (name: string): string | null => {
    const text = trimmed(name)
    if (text === '' || DECIMAL.test(text)) return text === '' ? null : text
    refuse(name, 'Enter a number with a point before its decimals, such as 12.50.')
    return null
  }
  const whole = (name: string, { min = 0, max = MAX_INT } = {}): number | null => {
    const text = trimmed(name)
    if (text === '') return null
    const value = /^[+-]?\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    refuse(name, `Enter a whole number from ${min} to ${max}.`)
    return null
  }
  const demanded = <Value>(name: string, value: Value | null, fallback: Value, what: string): Value => {
    if (value === null) refuse(name, `Enter ${what}.`)
    return value ?? fallback
  }

  return {
    /** Problems so far, by the names of fields. */
    problems: (): FormProblems => Object.fromEntries(problems),
    hasProblems: (): boolean => problems.size > 0,
    refuse,
    text: trimmed,
    /** Null where the field is empty. */
    optional: (name: string): string | null => trimmed(name) || null,
    /** The same with line breaks as programs send them: forms send CR LF. */
    lines: (name: string): string | null => trimmed(name).replaceAll('\r\n', '\n') || null,
    decimal,
    whole,
    amount: (name: string, what: string): string => demanded(name, decimal(name), '0', what),
    count: (name: string, what: string, range?: { readonly min?: number; readonly max?: number }): number =>
      demanded(name, whole(name, range), 0, what),
    isChecked: (name: string): boolean => field(name) !== '',
    /** The value of a word of a `<select>`. */
    choice<Value>(name: string, options: LookupTable<Value>, fallback: Value): Value {
      const chosen = ownValue(options, field(name))
      if (chosen === undefined) refuse(name, 'Choose one of the list.')
      return chosen ?? fallback
    },
    /** Of the stored object when the form was shown. */
    version: (): number | null => whole('version'),
    /** The same for a form that is sent twice, by a second click. */
    idempotencyKey: (): string | null => (/^[\w-]{8,64}$/.test(field('once')) ? field('once') : null),
  }
}
