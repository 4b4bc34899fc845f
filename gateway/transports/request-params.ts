import type { GraphQLFormattedError } from 'graphql'
import { type GatewayCode, refusal } from '../operations/errors.ts'

/**
 * Parameters of a GraphQL request, checked for their form only: a text, a document id, or a text
 * with its hash.
 */
export type GraphQLParams = {
  /** The document; empty with a document id or a hash alone. */
  readonly text: string
  /** `extensions.persistedQuery.sha256Hash` of Apollo's protocol; for trusted documents any id. */
  readonly hash: string | null
  /** `documentId` (GraphQL over HTTP, appendix on persisted documents). */
  readonly documentId: string | null
  readonly operationName: string | undefined
  readonly variables: Readonly<Record<string, unknown>>
  /** `extensions.cost`: whether the client requests a cost report. */
  readonly wantsCost: boolean
  /** `extensions.cost` is `validate`: the operation returns its cost and does not run. */
  readonly isCostOnly?: boolean
}

/** Parsed parameters, or an error. */
export type ParsedParams =
  | { readonly kind: 'parsed'; readonly params: GraphQLParams }
  | { readonly kind: 'malformed'; readonly error: GraphQLFormattedError }

/** Version of Apollo's persisted query protocol. */
const PERSISTED_VERSION = 1
const NOTHING: GraphQLParams['variables'] = {}

/** Parses parameters of a JSON body or message. `code`: error code of malformed ones. */
export function parseBodyParams(given: unknown, code: GatewayCode = 'BAD_REQUEST'): ParsedParams {
  if (!isMap(given)) return malformed('Expected a body with a JSON object.', code)
  return read(given, given.operationName ?? undefined, given.variables ?? NOTHING, given.extensions ?? null, code)
}

/** Parses URL parameters: maps are JSON, and an empty operationName is absent. */
export function parseUrlParams(given: unknown, code: GatewayCode = 'BAD_REQUEST'): ParsedParams {
  if (!isMap(given)) return malformed('Expected parameters in the query string.', code)
  return read(given, given.operationName || undefined, mapIn(given.variables) ?? NOTHING, mapIn(given.extensions) ?? null, code)
}

function read(
  { query = null, documentId = null }: Readonly<Record<string, unknown>>,
  operationName: unknown,
  variables: unknown,
  extensions: unknown,
  code: GatewayCode,
): ParsedParams {
  const text = query ?? ''
  if (typeof text !== 'string') return malformed('Expected "query" to be the text of an operation.', code)
  if (operationName !== undefined && typeof operationName !== 'string') {
    return malformed('Expected "operationName" to be text.', code)
  }
  if (!isMap(variables)) return malformed('Expected "variables" to be a JSON object.', code)
  if (extensions !== null && !isMap(extensions)) return malformed('Expected "extensions" to be a JSON object.', code)
  if (documentId !== null && (typeof documentId !== 'string' || documentId === '')) {
    return malformed('Expected "documentId" to be the identifier of a persisted document.', code)
  }

  let hash: string | null = null
  const persisted = extensions?.persistedQuery ?? null
  if (persisted !== null) {
    if (!isMap(persisted)) return malformed('Expected "extensions.persistedQuery" to be a JSON object.', code)
    if (persisted.version !== PERSISTED_VERSION) {
      const message = `Expected "extensions.persistedQuery.version" to be ${PERSISTED_VERSION}.`
      return malformed(message, 'PERSISTED_QUERY_VERSION_NOT_SUPPORTED')
    }
    const { sha256Hash } = persisted
    if (typeof sha256Hash !== 'string' || sha256Hash === '') {
      return malformed('Expected "extensions.persistedQuery.sha256Hash" to be a SHA-256 in hexadecimal digits.', code)
    }
    hash = sha256Hash
  }

  if (documentId !== null && (text !== '' || hash !== null)) {
    return malformed('Expected either "documentId" or "query", got both.', code)
  }
  if (text === '' && documentId === null && hash === null) {
    return malformed('Expected "query" to be the text of an operation, or an identifier of one.', code)
  }
  const cost = extensions?.cost
  const params = { text, hash, documentId, operationName, variables, wantsCost: cost === true }
  return { kind: 'parsed', params: cost === 'validate' ? { ...params, isCostOnly: true } : params }
}

const malformed = (message: string, code: GatewayCode): ParsedParams => ({ kind: 'malformed', error: refusal(code, message) })

/** Parses JSON in a parameter; invalid JSON stays a string, which is later refused. */
function mapIn(parameter: unknown): unknown {
  if (typeof parameter !== 'string') return parameter
  try {
    return JSON.parse(parameter)
  } catch {
    return parameter
  }
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
