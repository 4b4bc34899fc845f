import { GraphQLError, GraphQLScalarType } from 'graphql'

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/

/** RFC 3339, written in UTC with milliseconds. */
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
