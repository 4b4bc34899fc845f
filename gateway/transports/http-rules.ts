import type { IncomingHttpHeaders } from 'node:http'
import type { GraphQLFormattedError } from 'graphql'
import { CREDENTIAL_HEADERS } from '../../platform/http/caller.ts'
import { COST_HEADER } from '../limits/cost-report.ts'
import { withRequestId } from '../operations/errors.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import { serializedBytes } from '../operations/serialized-result.ts'
import type { ResponseFormat } from './content-negotiation.ts'

/** Content type of bodies other than GraphQL responses. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * Headers of every GraphQL response. All origins are allowed, because credentials that browsers add
 * by themselves are ignored.
 */
export const RESPONSE_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-request-id, retry-after',
  'cache-control': 'no-store',
  vary: 'Accept',
}
/** Headers of the response to a CORS preflight. */
export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': `content-type, apollo-require-preflight, x-apollo-operation-name, x-request-id, traceparent, tracestate, ${COST_HEADER}, ${CREDENTIAL_HEADERS.join(', ')}`,
  'access-control-max-age': '86400',
}

/** Content types that other sites can send without a CORS preflight; see `mayBeForged`. */
const SIMPLE_TYPES: readonly string[] = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']
const PREFLIGHTED_HEADERS = ['apollo-require-preflight', 'x-apollo-operation-name'] as const

/** Error message for possible cross-site request forgery. */
export const FORGED =
  'Expected POST with content-type application/json, or the header "apollo-require-preflight" with any value: a request that a page of another site could send without a preflight is not run.'
/** Error message for an unsupported Accept header. */
export const NOT_ACCEPTABLE =
  'Expected an Accept header that allows application/graphql-response+json, application/json or text/event-stream.'

/** Codes of request errors (GraphQL §7.1.2): about the document, operation or variables. */
const REQUEST_ERRORS: readonly unknown[] = [
  'BAD_USER_INPUT',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
]

/** Serializes a result; errors get the request id. */
export function responseTextOf(result: ExecutionResult, requestId: string): string {
  const bytes = serializedBytes(result)
  if (bytes) return bytes.toString()
  const { data, errors, extensions } = result
  return JSON.stringify({
    data,
    ...(errors && { errors: errors.map((error) => withRequestId(error, requestId)) }),
    extensions,
  })
}

/**
 * Status of a response without data. 200 for PERSISTED_QUERY_NOT_FOUND, because Apollo's clients
 * send the text only then.
 */
export function statusOf(errors: readonly GraphQLFormattedError[] = [], form: ResponseFormat): number {
  const has = (code: string) => errors.some(({ extensions }) => extensions?.code === code)
  if (has('PERSISTED_QUERY_NOT_FOUND')) return 200
  if (has('RATE_LIMITED')) return 429
  return errors.every(({ extensions }) => REQUEST_ERRORS.includes(extensions?.code)) ? form.requestErrorStatus : 400
}

/**
 * `Retry-After` in seconds, until the last rate-limited operation may be retried (RFC 9110
 * §10.2.3); null when none was limited.
 */
export function retryAfterOf(results: readonly ExecutionResult[]): string | null {
  const seconds = results
    .flatMap(({ errors = [] }) => errors.map(({ extensions }) => extensions?.retryAfterSeconds))
    .filter((value) => typeof value === 'number')
  return seconds.length === 0 ? null : String(Math.max(1, Math.ceil(Math.max(...seconds))))
}

/** Method and headers (lower-case names) of a request, independent of the server. */
export type RequestHead = { readonly method: string; readonly headers: IncomingHttpHeaders }

/**
 * Whether another site could have sent the request without a CORS preflight (CSRF); then it must
 * not run. Safe: a content type that forms cannot send, a header that needs a preflight, or
 * `Sec-Fetch-Site: same-origin`, which only browsers set.
 */
export function mayBeForged({ headers }: RequestHead): boolean {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type?.includes('/') && !SIMPLE_TYPES.includes(type)) return false
  if (headers['sec-fetch-site'] === 'same-origin') return false
  return !PREFLIGHTED_HEADERS.some((name) => headers[name])
}

/** JSON must be UTF-8 (RFC 8259 §8.1); other charsets are refused. */
export function isUtf8({ method, headers }: RequestHead): boolean {
  if (method !== 'POST') return true
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers['content-type'] ?? '')?.[1]
  return charset === undefined || /^utf-?8$/i.test(charset)
}
