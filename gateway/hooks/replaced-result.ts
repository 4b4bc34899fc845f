import type { ExecutionResult } from 'graphql'
import { graphQLResponseOf } from '../subgraph-client/http-messages.ts'

/**
 * A result that a hook returned, checked like that of a subgraph. A copy: results are changed in
 * place, and the hook may keep its own. Throws for what is no GraphQL response in JSON.
 */
export function replacedResult(given: unknown): ExecutionResult {
  const result = graphQLResponseOf(JSON.parse(JSON.stringify(given)))
  if (result === null) throw new Error('Expected "result" to have "data", an object or null, or "errors".')
  return result
}
