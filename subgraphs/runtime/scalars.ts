import { GraphQLError, GraphQLScalarType } from 'graphql'

/** RFC 3339 in UTC with milliseconds. */
export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  serialize: (value) => {
    if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString()
    throw new GraphQLError('Expected a DateTime to be a valid Date.')
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
