import { GraphQLError } from 'graphql'
import { ENTITIES } from '../executor/federated/planned-fetch.ts'
import type { EntityResult } from '../subgraph-client/link.ts'

/** Response of a fetch for some representations, with their indexes in the original list. */
export type SentPart = { readonly indexes: readonly number[]; readonly result: EntityResult }

/**
 * Merges cached entities (by index) and responses of partial fetches into one response. Indexes in
 * error paths are converted to those of the original list.
 */
export function mergeResponses(cached: readonly unknown[], sent: readonly SentPart[]): EntityResult {
  const entities = [...cached]
  const errors: GraphQLError[] = []
  const unfetched: number[] = []
  for (const { indexes, result } of sent) {
    errors.push(...(result.errors ?? []).map((error) => withIndex(error, indexes)))
    const values: unknown = result.data?.[ENTITIES]
    const isWhole = Array.isArray(values) && values.length === indexes.length
    for (const [at, index] of indexes.entries()) entities[index] = isWhole ? values[at] : null
    if (isWhole) continue
    unfetched.push(...indexes)
    if (result.data) errors.push(wrongLength(indexes.length))
  }
  return {
    data: { [ENTITIES]: entities },
    ...(errors.length > 0 && { errors }),
    ...(unfetched.length > 0 && { unfetched }),
  }
}

function withIndex(error: GraphQLError, indexes: readonly number[]): GraphQLError {
  const { message, path, extensions } = error
  const [first, at, ...rest] = path ?? []
  const index = first === ENTITIES && typeof at === 'number' ? indexes[at] : undefined
  return index === undefined ? error : new GraphQLError(message, { path: [ENTITIES, index, ...rest], extensions })
}

const wrongLength = (length: number): GraphQLError =>
  new GraphQLError(`Expected a list of ${length} entities from a service.`, { extensions: { code: 'INVALID_SUBGRAPH_ANSWER' } })
