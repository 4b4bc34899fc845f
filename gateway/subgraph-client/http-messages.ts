import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { type ExecutionResult, GraphQLError } from 'graphql'
import { CREDENTIAL_HEADERS } from '../../platform/http/caller.ts'
import { isNestedTooDeep } from '../executor/federated/nesting-limit.ts'
import type { HttpResponse } from './http-exchange.ts'
import type { Passage } from './link.ts'

/** What goes on to a subgraph of the client who asks; `traceparent` of a fetch goes before that of the client. */
export function headersFor({ caller }: Passage, traceparent = caller.traceparent): Record<string, string> {
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

/** The largest answer of one fetch, compressed and otherwise, in bytes. A page of 1,000 items with every field is about 2 MB. */
export const ANSWER_BYTES = 10_000_000

const most = { maxOutputLength: ANSWER_BYTES }
/** A window of 8 MB is what a body may need (RFC 9659 §3); the default of the library is 128 MB, per body. */
const window = { params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } }

/** By name of the content coding. Off the main thread, and given up as soon as it is too much. */
const DECODERS: ReadonlyMap<string, (bytes: Uint8Array) => Promise<Buffer>> = new Map([
  ['gzip', (bytes) => promisify(zlib.gunzip)(bytes, most)],
  ['br', (bytes) => promisify(zlib.brotliDecompress)(bytes, most)],
  ['zstd', (bytes) => promisify(zlib.zstdDecompress)(bytes, { ...most, ...window })],
])

/** The body of a response, decompressed; at once where it is not compressed. Rejects when it is compressed in another way than it says, or too large. */
export function textOf({ headers, bytes }: HttpResponse): string | Promise<string> {
  const coding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
  return coding === 'identity' ? withoutMark(bytes.toString()) : decompressed(coding, bytes)
}

async function decompressed(coding: string, bytes: Buffer): Promise<string> {
  const decode = DECODERS.get(coding)
  if (decode) return withoutMark((await decode(bytes)).toString())
  throw new Error(`Expected content-encoding gzip, br or zstd, got "${coding.slice(0, 100)}".`)
}

/** Some begin with a byte order mark, which nobody may write and everybody may ignore (RFC 8259 §8.1). */
const withoutMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text)

/** The answer, if the text is one: with data, or errors that say why there is none. */
export function answerIn(text: string): ExecutionResult | null {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return null
  }
  if (!isObject(answer)) return null
  const { data, errors } = answer
  if (data !== undefined && data !== null && !isObject(data)) return null
  if (errors !== undefined && !Array.isArray(errors)) return null
  const shown: GraphQLError[] = (errors ?? []).map(visibleError)
  // Without data somebody has to say why (GraphQL, October 2021, section 7.1).
  if ((data === undefined || data === null) && shown.length === 0) return null
  return { data: (data ?? null) as Record<string, unknown> | null, ...(shown.length > 0 && { errors: shown }) }
}

/** What a subgraph says to clients: its stack traces and what it may have copied of an answer further behind stay here. */
function visibleError(error: unknown): GraphQLError {
  const { message, path, extensions } = isObject(error) ? error : {}
  const { stacktrace: _, exception: __, response: ___, code, ...said } = isObject(extensions) ? extensions : {}
  return new GraphQLError(typeof message === 'string' ? message : 'A service reported an error without a message.', {
    path: Array.isArray(path) && path.every((part) => typeof part === 'string' || Number.isInteger(part)) ? path : null,
    extensions: {
      code: typeof code === 'string' ? code : 'DOWNSTREAM_SERVICE_ERROR',
      ...(!isNestedTooDeep(said) && said),
    },
  })
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
