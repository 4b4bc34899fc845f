import type { GraphQLFormattedError } from 'graphql'
import { internal, NO_ITEM, noSuchItem, type ProblemDetails, rejectedByGraph, unavailable } from './problem.ts'

/** Error codes of faults that a retry may not meet again. */
const TRANSIENT_CODES = new Set(['SUBGRAPH_UNAVAILABLE', 'TIMEOUT', 'UNAVAILABLE'])

/**
 * Maps GraphQL errors to a problem and hides internal ones. `noItem` is the message of a 404.
 * `isInternal`: the request is not at fault, so the errors belong in the log.
 */
export function toProblem(
  errors: readonly GraphQLFormattedError[],
  requestId: string,
  noItem: string = NO_ITEM,
): { readonly problem: ProblemDetails; readonly isInternal: boolean } {
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
        isInternal: false,
      }
    }
    case 'FORBIDDEN':
    case 'UNAUTHORIZED_FIELD_OR_TYPE':
      return { problem: { status: 403, code: 'FORBIDDEN', message, details: {} }, isInternal: false }
    case 'NOT_FOUND':
      return { problem: noSuchItem(noItem), isInternal: false }
    case 'RATE_LIMITED': {
      const seconds = String(first?.extensions?.retryAfterSeconds ?? 1)
      return { problem: { status: 429, code, message, details: {}, headers: { 'retry-after': seconds } }, isInternal: false }
    }
    case 'BAD_USER_INPUT':
      if (errors.every(({ extensions }) => extensions?.code === code)) {
        return { problem: rejectedByGraph(errors.map((error) => error.message)), isInternal: false }
      }
  }
  return { problem: typeof code === 'string' && TRANSIENT_CODES.has(code) ? unavailable : internal(requestId), isInternal: true }
}
