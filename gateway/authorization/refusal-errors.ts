import type { GraphQLFormattedError } from 'graphql'
import type { Refused } from './authorization.ts'

/** The errors of an operation that was refused before execution, one per refused part. */
export function refusalErrors({ refusals, errorOf }: Refused): readonly GraphQLFormattedError[] {
  const errors = new Map<string, GraphQLFormattedError>()
  for (const { rootKey, part } of refusals.parts) {
    const error = { ...errorOf(part), ...(rootKey !== '' && { path: [rootKey] }) }
    errors.set(JSON.stringify(error), error)
  }
  return [...errors.values()]
}
