import type { ExecutionResult } from 'graphql'
import { graphQLResponseOf } from '../subgraph-client/http-messages.ts'

/**
 * Validates a hook's result like a subgraph's response. Copies it, because results are changed in
 * place. Throws when it is not a GraphQL response as JSON.
 */
export function replacedResult(given: unknown): ExecutionResult {
  const result = graphQLResponseOf(JSON.parse(JSON.stringify(given)))
  if (result === null) throw new Error('Expected "result" to have "data", an object or null, or "errors".')
  return result
}
