import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'

export const METAFIELD_TYPES = ['TEXT', 'INTEGER', 'DECIMAL', 'BOOLEAN', 'DATE', 'DATE_TIME', 'URL', 'JSON'] as const
export type MetafieldType = (typeof METAFIELD_TYPES)[number]

/** A named value of an owner. */
export type Metafield = {
  readonly id: number
  readonly namespace: string
  readonly key: string
  readonly type: MetafieldType
  readonly value: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Unique name of a metafield of an owner. */
export type MetafieldName = Pick<Metafield, 'namespace' | 'key'>
export type MetafieldInput = Pick<Metafield, 'namespace' | 'key' | 'type' | 'value'>

/** Most metafields of an owner: they are read as a whole. */
export const MAX_METAFIELDS = 100
const MAX_AT_ONCE = 50
const MAX_VALUE_LENGTH = 10_000

const NAME = /^[\w-]{1,60}$/

/**
 * Values of each type. `kept` is the value in its stored form; null when it does not fit the type.
 */
const TYPES: Readonly<
  Record<MetafieldType, { readonly expectation: string; readonly normalize: (value: string) => string | null }>
> = {
  TEXT: { expectation: 'text', normalize: (value) => value },
  INTEGER: { expectation: 'a whole number of at most 15 digits', normalize: matching(/^(0|-?[1-9]\d{0,14})$/) },
  DECIMAL: {
    expectation: 'a number with at most 10 digits before the point and 4 behind it',
    normalize: matching(/^-?(0|[1-9]\d{0,9})(\.\d{1,4})?$/),
  },
  BOOLEAN: { expectation: 'true or false', normalize: matching(/^(true|false)$/) },
  DATE: { expectation: 'a day such as 2026-11-20', normalize: (value) => (dayOf(value) === value ? value : null) },
  DATE_TIME: { expectation: 'a point in time such as 2026-11-20T09:30:00Z', normalize: pointInTime },
  URL: { expectation: 'an http or https URL', normalize: (value) => (isHttpUrl(value) ? value : null) },
  JSON: { expectation: 'JSON', normalize: (value) => (isJson(value) ? value : null) },
}

/** Problems of metafields to be set; paths begin with `metafields`. */
export const metafieldProblems = (given: readonly MetafieldInput[]): readonly Problem[] =>
  problemsIn([
    numberProblem(given),
    ...given.flatMap(({ type, value, ...name }, index) => {
      const field = `metafields.${index}.value`
      const unfit = textProblem(field, value, MAX_VALUE_LENGTH)
      const isFit = unfit === null && TYPES[type].normalize(value) !== null
      return [...nameProblems(name, index), unfit ?? (isFit ? null : problem(field, TYPES[type].expectation, value))]
    }),
  ])

/** Problems of the names of metafields; paths begin with `metafields`. */
export const metafieldNameProblems = (given: readonly MetafieldName[]): readonly Problem[] =>
  problemsIn([numberProblem(given), ...given.flatMap(nameProblems)])

/** A valid value in its stored form. */
export const storedValue = ({ type, value }: Pick<Metafield, 'type' | 'value'>): string => TYPES[type].normalize(value) ?? value

function numberProblem(given: readonly MetafieldName[]): Problem | null {
  if (given.length === 0 || given.length > MAX_AT_ONCE) {
    return problem('metafields', `1 to ${MAX_AT_ONCE} metafields`, given.length)
  }
  const names = given.map(({ namespace, key }) => `${namespace} ${key}`)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  return twice === undefined ? null : problem('metafields', 'metafields that are named once each', twice)
}

const nameProblems = ({ namespace, key }: MetafieldName, index: number): readonly (Problem | null)[] =>
  Object.entries({ namespace, key }).map(([part, name]) =>
    NAME.test(name) ? null : problem(`metafields.${index}.${part}`, '1 to 60 letters, digits, "_" and "-"', name),
  )

function matching(pattern: RegExp): (value: string) => string | null {
  return (value) => (pattern.test(value) ? value : null)
}

/** The day of a date in this form that exists: 31 February is 3 March. */
function dayOf(value: string): string | null {
  if (!/^\d{4}-\d{2}-\d{2}/.test(value)) return null
  const time = new Date(`${value.slice(0, 10)}T00:00:00Z`)
  return Number.isNaN(time.getTime()) ? null : time.toISOString().slice(0, 10)
}

/** RFC 3339 in UTC with milliseconds. */
function pointInTime(value: string): string | null {
  if (!/^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/.test(value)) return null
  const time = new Date(value.toUpperCase())
  return Number.isNaN(time.getTime()) || dayOf(value) !== value.slice(0, 10) ? null : time.toISOString()
}

const isHttpUrl = (value: string): boolean => URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol)

function isJson(value: string): boolean {
  try {
    JSON.parse(value)
    return true
  } catch {
    return false
  }
}
