import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { type ExecutionResult, GraphQLError } from 'graphql'
import { CREDENTIAL_HEADERS } from '../../platform/http/caller.ts'
import { isNestedTooDeep } from '../executor/federated/nesting-limit.ts'
import type { RequestContext } from './link.ts'
import { MAX_RESPONSE_BYTES } from './response-body.ts'

/** Request headers for a subgraph, with the caller's credentials from an allow-list. */
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

const limit = { maxOutputLength: MAX_RESPONSE_BYTES }
/**
 * Window limit of 8 MB, which decoders must support (RFC 9659 §3). The library's default of 128 MB
 * per response is too much memory.
 */
const window = { params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } }

/** Decompression by content coding: off the main thread, and bounded. */
const DECODERS: ReadonlyMap<string, (bytes: Uint8Array) => Promise<Buffer>> = new Map([
  ['gzip', (bytes) => promisify(zlib.gunzip)(bytes, limit)],
  ['br', (bytes) => promisify(zlib.brotliDecompress)(bytes, limit)],
  ['zstd', (bytes) => promisify(zlib.zstdDecompress)(bytes, { ...limit, ...window })],
])

/**
 * Decompressed body of a response; synchronous when not compressed. Rejects for a corrupt or too
 * large body.
 */
export function responseText({
  headers,
  bytes,
}: {
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}): string | Promise<string> {
  const coding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
  return coding === 'identity' ? withoutByteOrderMark(bytes.toString()) : decompressed(coding, bytes)
}

async function decompressed(coding: string, bytes: Buffer): Promise<string> {
  const decode = DECODERS.get(coding)
  if (decode) return withoutByteOrderMark((await decode(bytes)).toString())
  throw new Error(`Expected content-encoding gzip, br or zstd, got "${coding.slice(0, 100)}".`)
}

/** A byte order mark may be ignored by parsers (RFC 8259 §8.1). */
const withoutByteOrderMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text)

/** Parses a GraphQL response: data, errors or both; null for any other text. */
export function parseGraphQLResponse(text: string): ExecutionResult | null {
  try {
    return graphQLResponseOf(JSON.parse(text))
  } catch {
    return null
  }
}

/** Like `parseGraphQLResponse`, for a parsed JSON value. */
export function graphQLResponseOf(response: unknown): ExecutionResult | null {
  if (!isObject(response)) return null
  const { data, errors, extensions } = response
  if (data !== undefined && data !== null && !isObject(data)) return null
  if (errors !== undefined && !Array.isArray(errors)) return null
  const visible: GraphQLError[] = (errors ?? []).map(visibleError)
  // A response without data must have errors (GraphQL §7.1).
  if ((data === undefined || data === null) && visible.length === 0) return null
  return {
    data: data ?? null,
    ...(visible.length > 0 && { errors: visible }),
    ...(isObject(extensions) && { extensions }),
  }
}

/** Copy of an error for clients, without stack traces and upstream responses. */
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
