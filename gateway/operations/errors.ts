import type { GraphQLError, GraphQLFormattedError } from 'graphql'

/** Error codes of the gateway in `extensions.code`. Subgraphs have their own. */
export type GatewayCode =
  | 'BAD_REQUEST'
  | 'BAD_USER_INPUT'
  | 'COST_LIMIT_EXCEEDED'
  | 'DEPTH_LIMIT_EXCEEDED'
  | 'GRAPHQL_PARSE_FAILED'
  | 'GRAPHQL_VALIDATION_FAILED'
  | 'HOOK_FAILED'
  | 'INTERNAL_SERVER_ERROR'
  | 'INTROSPECTION_DISABLED'
  | 'INVALID_SUBGRAPH_ANSWER'
  | 'METHOD_NOT_ALLOWED'
  | 'OPERATION_RESOLUTION_FAILURE'
  | 'OPERATION_TOO_LARGE'
  | 'PAGE_SIZE_OUT_OF_RANGE'
  | 'PERSISTED_DOCUMENT_NOT_FOUND'
  | 'PERSISTED_QUERY_HASH_MISMATCH'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'PERSISTED_QUERY_ONLY'
  | 'PERSISTED_QUERY_VERSION_NOT_SUPPORTED'
  | 'RATE_LIMITED'
  | 'SLOW_READER'
  | 'STREAM_NOT_SUPPORTED'
  | 'SUBGRAPH_COST_LIMIT_EXCEEDED'
  | 'SUBGRAPH_UNAVAILABLE'
  | 'SUBSCRIPTIONS_NOT_SUPPORTED'
  | 'TIMEOUT'
  | 'TOO_MANY_OPERATIONS'
  | 'TOO_MANY_SUBSCRIPTIONS'
  | 'UNRESOLVABLE_OPERATION'
  | 'UNAUTHENTICATED'
  | 'UNAUTHORIZED_FIELD_OR_TYPE'
  | 'UNAVAILABLE'
  | 'UPLOAD_CONFLICT'
  | 'UPLOAD_MALFORMED'
  | 'UPLOAD_NOT_SUPPORTED'
  | 'UPLOAD_TOO_LARGE'

/** Maximum characters and locations of an error, both of which grow with the request. */
const MAX_MESSAGE_CHARACTERS = 500
const MAX_LOCATIONS = 10

/** Shortens a long message. */
const clipped = (message: string): string =>
  message.length <= MAX_MESSAGE_CHARACTERS
    ? message
    : `${message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed()}… (${message.length} characters)`

/** Converts a graphql-js error about a document into an error with a gateway code. */
export const documentError = ({ message, locations }: GraphQLError, code: GatewayCode): GraphQLFormattedError => ({
  message: clipped(message),
  ...(locations && { locations: locations.slice(0, MAX_LOCATIONS) }),
  extensions: { code },
})

/** Error for a client: `message` names the expectation and the offending value. */
export const refusal = (
  code: GatewayCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): GraphQLFormattedError => ({ message: clipped(message), extensions: { code, ...details } })

/** Removes graphql-js's "Did you mean" suggestions, which disclose names of the schema. */
export const withoutSuggestions = (error: GraphQLFormattedError): GraphQLFormattedError => ({
  ...error,
  message: error.message.replace(/ Did you mean [^?]*\?/, ''),
})

/** Adds the request id, which the log contains too. */
export const withRequestId = (error: GraphQLFormattedError, requestId: string): GraphQLFormattedError => ({
  ...error,
  extensions: { ...error.extensions, requestId },
})

/** Error for an internal fault: the request id only, to find the details in the log. */
export const fault = (requestId: string, path?: GraphQLFormattedError['path']): GraphQLFormattedError => ({
  message: `Something went wrong on our side; quote request ${requestId} when you report it.`,
  ...(path && { path }),
  extensions: { code: 'INTERNAL_SERVER_ERROR', requestId },
})
