import type { GraphQLFormattedError } from 'graphql'
import { internal, NO_ITEM, noSuchItem, type Problem, refusedByGraph, unavailable } from './problem.ts'

/** Faults of others that may be over in a moment. */
const PASSING = new Set(['SUBGRAPH_UNAVAILABLE', 'TIMEOUT', 'UNAVAILABLE'])

/** What errors of the graph mean to who asked over REST; `noItem` says that nothing is there. `isOurs`: they are no fault of the request, and belong into the log. */
export function problemOf(
  errors: readonly GraphQLFormattedError[],
  requestId: string,
  noItem: string = NO_ITEM,
): { readonly problem: Problem; readonly isOurs: boolean } {
  const [first] = errors
  const code = first?.extensions?.code
  const message = first?.message ?? ''
  switch (code) {
    case 'UNAUTHENTICATED': {
      const reason = first?.extensions?.reason
      return {
        problem: {
          status: 401,
          code: typeof reason === 'string' ? reason.toUpperCase() : code,
          message,
          details: {},
          headers: { 'www-authenticate': 'Bearer realm="atrium"' },
        },
        isOurs: false,
      }
    }
    case 'FORBIDDEN':
    case 'UNAUTHORIZED_FIELD_OR_TYPE':
      return { problem: { status: 403, code: 'FORBIDDEN', message, details: {} }, isOurs: false }
    case 'NOT_FOUND':
      return { problem: noSuchItem(noItem), isOurs: false }
    case 'RATE_LIMITED': {
      const seconds = String(first?.extensions?.retryAfterSeconds ?? 1)
      return { problem: { status: 429, code, message, details: {}, headers: { 'retry-after': seconds } }, isOurs: false }
    }
    case 'BAD_USER_INPUT':
      if (errors.every(({ extensions }) => extensions?.code === code)) {
        return { problem: refusedByGraph(errors.map((error) => error.message)), isOurs: false }
      }
  }
  return { problem: typeof code === 'string' && PASSING.has(code) ? unavailable : internal(requestId), isOurs: true }
}
