import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { type ExecutionResult, GraphQLError } from 'graphql'
import { CREDENTIAL_HEADERS } from '../../platform/http/caller.ts'
import { isNestedTooDeep } from '../executor/federated/nesting-limit.ts'
import type { HttpResponse } from './http-exchange.ts'
import type { RequestContext } from './link.ts'

/** The headers of a request to a subgraph, with the caller's credentials by allow-list. */
export function headersFor({ caller }: RequestContext, traceparent = caller.traceparent): Record<string, string> {
  const { requestId, address, credentials, connectedAt } = caller
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/graphql-response+json, application/json',
    'accept-encoding': 'gzip, br, zstd',
    'x-request-id': requestId,
    'x-forwarded-for': address,
  }
  if (traceparent !== undefined) headers.traceparent = traceparent
  if (connectedAt) headers['x-connected-at'] = connectedAt.toISOString()
  for (const name of CREDENTIAL_HEADERS) {
    const value = credentials[name]
    if (value !== undefined) headers[name] = value
  }
  return headers
}

/**
 * Maximum response of one fetch, compressed and decompressed. A page of 1,000 items with every
 * field is about 2 MB.
 */
export const MAX_RESPONSE_BYTES = 10_000_000

const limit = { maxOutputLength: MAX_RESPONSE_BYTES }
/** A body may need a window of 8 MB (RFC 9659 §3); the library's default is 128 MB per body. */
const window = { params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } }

/** By content coding. Runs off the main thread and stops at the limit. */
const DECODERS: ReadonlyMap<string, (bytes: Uint8Array) => Promise<Buffer>> = new Map([
  ['gzip', (bytes) => promisify(zlib.gunzip)(bytes, limit)],
  ['br', (bytes) => promisify(zlib.brotliDecompress)(bytes, limit)],
  ['zstd', (bytes) => promisify(zlib.zstdDecompress)(bytes, { ...limit, ...window })],
])

/**
 * The body of a response, decompressed; synchronous where it is not compressed. Rejects a body that
 * does not match its coding, or is too large.
 */
export function responseText({ headers, bytes }: HttpResponse): string | Promise<string> {
  const coding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
  return coding === 'identity' ? withoutByteOrderMark(bytes.toString()) : decompressed(coding, bytes)
}

async function decompressed(coding: string, bytes: Buffer): Promise<string> {
  const decode = DECODERS.get(coding)
  if (decode) return withoutByteOrderMark((await decode(bytes)).toString())
  throw new Error(`Expected content-encoding gzip, br or zstd, got "${coding.slice(0, 100)}".`)
}

/** Writing a byte order mark is forbidden, ignoring one is allowed (RFC 8259 §8.1). */
const withoutByteOrderMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text)

/**
 * The GraphQL response in a text; null where it is none: it has data, or errors that say why not.
 */
export function parseGraphQLResponse(text: string): ExecutionResult | null {
  try {
    return graphQLResponseOf(JSON.parse(text))
  } catch {
    return null
  }
}

/** The same for a value of JSON. */
export function graphQLResponseOf(response: unknown): ExecutionResult | null {
  if (!isObject(response)) return null
  const { data, errors, extensions } = response
  if (data !== undefined && data !== null && !isObject(data)) return null
  if (errors !== undefined && !Array.isArray(errors)) return null
  const visible: GraphQLError[] = (errors ?? []).map(visibleError)
  // Without data there must be an error (GraphQL specification, October 2021, section 7.1).
  if ((data === undefined || data === null) && visible.length === 0) return null
  return {
    data: data ?? null,
    ...(visible.length > 0 && { errors: visible }),
    ...(isObject(extensions) && { extensions }),
  }
}

/** An error as clients see it: without stack traces and without responses of services behind it. */
export function visibleError(error: unknown): GraphQLError {
  const { message, path, extensions } = isObject(error) ? error : {}
  const { stacktrace: _, exception: __, response: ___, code, ...others } = isObject(extensions) ? extensions : {}
  return new GraphQLError(typeof message === 'string' ? message : 'A service reported an error without a message.', {
    path: Array.isArray(path) && path.every((part) => typeof part === 'string' || Number.isInteger(part)) ? path : null,
    extensions: {
      code: typeof code === 'string' ? code : 'DOWNSTREAM_SERVICE_ERROR',
      ...(!isNestedTooDeep(others) && others),
    },
  })
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
