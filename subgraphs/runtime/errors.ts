import { GraphQLError } from 'graphql'

/** Codes that subgraphs give to errors a caller can act on, in `extensions.code`; everything else is INTERNAL_SERVER_ERROR. */
export const CODES = {
  /** An argument has the right type but not a permitted value; the message names it and the expectation. */
  badInput: 'BAD_USER_INPUT',
} as const

/** An argument that is not permitted: `Expected "first" to be 1 to 100, got 5000.` */
export const badInput = (argument: string, expectation: string, got: unknown): GraphQLError =>
  new GraphQLError(`Expected "${argument}" to be ${expectation}, got ${excerpt(got)}.`, {
    extensions: { code: CODES.badInput, argument },
  })

/** Enough of a value to recognise it in a message. */
function excerpt(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, 80).toWellFormed()) : String(value)
  return typeof value === 'string' && value.length > 80 ? `${text}… (${value.length} characters)` : text
}
