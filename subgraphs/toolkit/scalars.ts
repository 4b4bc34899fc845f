import { GraphQLError, GraphQLScalarType } from 'graphql'

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/

/** RFC 3339; serialized in UTC with milliseconds. */
export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  serialize: (value) => {
    if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString()
    throw new GraphQLError('Expected a DateTime to be a valid Date.')
  },
  parseValue: (value) => {
    const time = typeof value === 'string' && RFC_3339.test(value) ? new Date(value) : null
    if (time !== null && !Number.isNaN(time.getTime())) return time
    throw new GraphQLError('Expected a DateTime to be RFC 3339 text such as "2026-11-20T09:30:00Z".')
  },
})

/** An absolute http or https URL. */
export const Url = new GraphQLScalarType<string, string>({
  name: 'Url',
  serialize: (value) => {
    if (typeof value === 'string' && /^https?:\/\/[^/]/.test(value)) return value
    throw new GraphQLError('Expected a Url to be absolute, with http or https.')
  },
})

const DECIMAL = /^-?(0|[1-9]\d{0,9})(\.\d{1,4})?$/
const EXPECTED_DECIMAL = 'Expected a Decimal to be a number with at most 10 digits before and 4 after the point, such as "12.50".'

/** An exact decimal as text without trailing zeros: `numeric(14,4)`. Input as text or number. */
export const Decimal = new GraphQLScalarType<string, string>({
  name: 'Decimal',
  serialize: (value) => {
    if (typeof value === 'string') return withoutEndingZeros(value)
    throw new GraphQLError('Expected a Decimal to be text.')
  },
  parseValue: (value) => {
    // Fourteen digits are exact in a double.
    const text = typeof value === 'number' ? String(value) : value
    if (typeof text === 'string' && DECIMAL.test(text)) return text
    throw new GraphQLError(EXPECTED_DECIMAL)
  },
})

/** Removes trailing zeros: `12.5000` is `12.5`, `3.0000` is `3`. */
export function withoutEndingZeros(decimal: string): string {
  if (!decimal.includes('.')) return decimal
  let end = decimal.length
  while (decimal[end - 1] === '0') end -= 1
  return decimal.slice(0, decimal[end - 1] === '.' ? end - 1 : end)
}

/** Any JSON value, unchanged. */
export const JSONValue = new GraphQLScalarType<unknown, unknown>({ name: 'JSON' })
