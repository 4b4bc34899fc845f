import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { MAX_BODY_BYTES } from '../../platform/http/body-limit.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { errorCodeOf } from '../../platform/http/error-codes.ts'
import { clientIn, pickCredentials, traceIn } from '../../platform/http/request-caller.ts'
import { requestIdOf } from '../../platform/http/request-id.ts'
import { cacheableHeaders } from '../caching/send-response.ts'
import type { Gateway } from '../gateway.ts'
import { COST_HEADER, wantsCost, withCostHeader } from '../limits/cost-report.ts'
import { addedHeaders, createHttpContext, type HttpContext } from '../middleware/http-context.ts'
import { refusal } from '../operations/errors.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import { SUBSCRIPTIONS_NOT_SUPPORTED } from '../operations/prepare-operation.ts'
import { serializedBytes } from '../operations/serialized-result.ts'
import type { RequestContext } from '../subgraph-client/link.ts'
import type { UploadReceiver } from '../uploads/upload-receiver.ts'
import { runBatch } from './batch.ts'
import { createContentNegotiation, type ResponseFormat } from './content-negotiation.ts'
import { createFetchEventStreams, type IncomingFetch } from './fetch-event-stream.ts'
import {
  FORGED,
  isUtf8,
  JSON_TYPE,
  mayBeForged,
  NOT_ACCEPTABLE,
  PREFLIGHT_HEADERS,
  RESPONSE_HEADERS,
  type RequestHead,
  responseTextOf,
  retryAfterOf,
  statusOf,
} from './http-rules.ts'
import { hasDeferredParts, MULTIPART_TYPE, multipartBody } from './incremental.ts'
import { parseBodyParams, parseUrlParams } from './request-params.ts'
import { isMultipart, refusedUpload, resultsOf, runUpload, uploadText } from './upload-request.ts'

/** Handles a GraphQL request with the Fetch API. Never rejects. */
export type FetchHandler = (request: Request) => Promise<Response>

/** Options of a Fetch handler. */
export type FetchHandlerOptions = {
  /** Maximum operations per batch; 0, the default, refuses JSON lists. */
  readonly batchLimit?: number
  /**
   * Finds the client address, for limits per address and `X-Forwarded-For`. Default: 0.0.0.0 for
   * every client, which then share limits.
   */
  readonly addressOf?: (request: Request) => string
}

/** Address of all clients when the host provides none. */
const UNKNOWN_ADDRESS = '0.0.0.0'

/**
 * Creates a Fetch API handler with the same rules as `/graphql` over Node.js HTTP: GraphQL over
 * HTTP with content negotiation, GET for queries, automatic persisted queries, batches, event
 * streams for subscriptions, and CSRF protection. The host is responsible for the path, compression
 * and connection limits.
 */
export function createFetchHandler(
  gateway: Gateway,
  { batchLimit = 0, addressOf = () => UNKNOWN_ADDRESS }: FetchHandlerOptions = {},
): { readonly fetch: FetchHandler; readonly close: () => void } {
  const formatFor = createContentNegotiation()
  const events = createFetchEventStreams(gateway)

  return {
    close: events.close,
    async fetch(request) {
      const head: RequestHead = { method: request.method, headers: headersOf(request) }
      const requestId = requestIdOf(head)
      try {
        const caller = callerOf(head, requestId, addressOf(request))
        return await respond({ request, head, caller })
      } catch {
        return refuse(requestId, 500, 'Something went wrong on our side.')
      }
    },
  }

  async function respond(incoming: IncomingFetch): Promise<Response> {
    const { head, caller } = incoming
    const { method } = head
    if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { ...RESPONSE_HEADERS, ...PREFLIGHT_HEADERS } })
    const format = formatFor(head.headers.accept)
    const upload = gateway.uploads && isMultipart(head) ? gateway.uploads : null
    const refused = refusalOf(head, format, upload !== null)
    if (!format || refused) {
      const { status, message, headers } = refused ?? { status: 406, message: NOT_ACCEPTABLE }
      return refuse(caller.requestId, status, message, headers)
    }
    if (upload) return answerUpload(gateway, upload, batchLimit, incoming, format)
    const input = method === 'GET' ? queryOf(incoming.request) : await readBody(incoming.request)
    if ('status' in input) return refuse(caller.requestId, input.status, input.message)
    return answer(incoming, format, input.value)
  }

  async function answer(incoming: IncomingFetch, format: ResponseFormat, value: unknown): Promise<Response> {
    const { head, caller, request } = incoming
    const isPost = head.method === 'POST'
    if (format.kind === 'events') return events.respond(incoming, value)
    if (isPost && Array.isArray(value)) return answerBatch(gateway, batchLimit, incoming, value)
    const write = (status: number, executed: ExecutionResult, headers: Record<string, string> = {}) =>
      jsonResponse(status, format.contentType, responseTextOf(executed, caller.requestId), caller, {
        ...headers,
        ...retryAfterHeader([executed]),
      })
    const parsed = isPost ? parseBodyParams(value) : parseUrlParams(value)
    if (parsed.kind === 'malformed') return write(400, { errors: [parsed.error] })
    const { params } = parsed
    const prepared = gateway.prepare(withCostHeader(params, head.headers[COST_HEADER]))
    if (prepared.operation === 'subscription') {
      return format.acceptsEventStream ? events.respond(incoming, value) : write(400, { errors: [SUBSCRIPTIONS_NOT_SUPPORTED] })
    }
    if (prepared.kind === 'rejected') return write(statusOf(prepared.errors, format), { errors: prepared.errors })
    if (!isPost && prepared.operation !== 'query') {
      const message = `Expected a query over GET, got a ${prepared.operation}; send it with POST.`
      return write(405, { errors: [refusal('METHOD_NOT_ALLOWED', message)] }, { allow: 'POST' })
    }
    const own = createHttpContext(head.method, head.headers)
    const context: RequestContext = {
      caller,
      signal: request.signal,
      wantsCost: wantsCost(head.headers[COST_HEADER], params),
      http: own,
    }
    if (prepared.runIncremental && format.acceptsMultipart) {
      const deferred = await prepared.runIncremental(params.variables, context)
      const { initial } = deferred
      if (!hasDeferredParts(deferred)) {
        return withAdded(write(own.status ?? (initial.data === undefined ? statusOf(initial.errors, format) : 200), initial), own)
      }
      const headers = { ...RESPONSE_HEADERS, 'content-type': MULTIPART_TYPE, 'x-request-id': caller.requestId }
      return withAdded(new Response(multipartBody(deferred, caller.requestId), { headers }), own)
    }
    const answered = prepared.answer
      ? await prepared.answer(params.variables, context)
      : { result: await prepared.run(params.variables, context) }
    if (!('bytes' in answered)) {
      const { result } = answered
      const serialized = serializedBytes(result)
      // Copied as below.
      if (serialized) {
        const body = new Uint8Array(serialized)
        return withAdded(jsonResponse(own.status ?? 200, format.contentType, body, caller, {}), own)
      }
      return withAdded(write(own.status ?? (result.data === undefined ? statusOf(result.errors, format) : 200), result), own)
    }
    const { bytes } = await answered.bytes.encoded(null)
    const { headers, isNotModified } = cacheableHeaders(head, answered, format.contentType, null)
    if (isNotModified) return withAdded(new Response(null, { status: 304, headers: { ...RESPONSE_HEADERS, ...headers } }), own)
    // Copied, because the bytes belong to the cache, and `Response` may transfer its buffer.
    return withAdded(jsonResponse(200, format.contentType, new Uint8Array(bytes), caller, headers), own)
  }
}

async function answerBatch(
  gateway: Gateway,
  batchLimit: number,
  { head, caller, request }: IncomingFetch,
  operations: readonly unknown[],
): Promise<Response> {
  const own = createHttpContext(head.method, head.headers)
  const context: RequestContext = {
    http: own,
    caller,
    signal: request.signal,
    wantsCost: wantsCost(head.headers[COST_HEADER], { wantsCost: false }),
  }
  const batch = await runBatch(gateway, operations, batchLimit, context)
  if (batch.kind === 'refused') {
    return jsonResponse(400, JSON_TYPE, responseTextOf({ errors: [batch.error] }, caller.requestId), caller)
  }
  const texts = batch.results.map((result) => responseTextOf(result, caller.requestId))
  return withAdded(jsonResponse(200, JSON_TYPE, `[${texts.join(',')}]`, caller, retryAfterHeader(batch.results)), own)
}

/** A request with files, which go on to subgraphs as they arrive. */
async function answerUpload(
  gateway: Gateway,
  receiver: UploadReceiver,
  batchLimit: number,
  { head, caller, request }: IncomingFetch,
  format: ResponseFormat,
): Promise<Response> {
  const own = createHttpContext(head.method, head.headers)
  // A body of the Fetch API is one of the web streams, which Node's declarations have twice.
  const source = request.body ? Readable.fromWeb(request.body as never) : Readable.from([])
  try {
    const answer = await runUpload(gateway, receiver, {
      source,
      contentType: head.headers['content-type'] ?? '',
      form: format,
      batchLimit,
      context: {
        caller,
        signal: request.signal,
        wantsCost: wantsCost(head.headers[COST_HEADER], { wantsCost: false }),
        http: own,
      },
    })
    const text = uploadText(answer, (result) => responseTextOf(result, caller.requestId))
    return withAdded(jsonResponse(answer.status, answer.contentType, text, caller, retryAfterHeader(resultsOf(answer))), own)
  } finally {
    source.destroy()
  }
}

/** A response without a look at the body. */
type Refusal = { readonly status: number; readonly message: string; readonly headers?: Record<string, string> }

/** Why a request is refused by its method and headers; null when it is not. */
function refusalOf(head: RequestHead, format: ResponseFormat | null, isUpload: boolean): Refusal | null {
  const { method } = head
  if (method !== 'GET' && method !== 'POST') {
    return { status: 405, message: `Expected GET or POST, got ${method}.`, headers: { allow: 'GET, POST, OPTIONS' } }
  }
  if (!format) return { status: 406, message: NOT_ACCEPTABLE }
  if (mayBeForged(head)) return { status: 400, message: FORGED }
  if (!isUtf8(head)) return { status: 415, message: 'Expected a body in UTF-8.' }
  if (isUpload) return refusedUpload(method, format)
  if (method === 'POST' && !isJson(head)) return { status: 415, message: 'Expected content-type application/json.' }
  return null
}

function jsonResponse(
  status: number,
  contentType: string,
  body: string | Uint8Array<ArrayBuffer>,
  { requestId }: Pick<Caller, 'requestId'>,
  headers: Record<string, string> = {},
): Response {
  return new Response(body, {
    status,
    headers: { ...RESPONSE_HEADERS, 'content-type': contentType, 'x-request-id': requestId, ...headers },
  })
}

/** Adds headers of rules and hooks to a response. */
function withAdded(response: Response, http: HttpContext): Response {
  for (const [name, value] of addedHeaders(http)) {
    if (typeof value === 'string') response.headers.set(name, value)
    else for (const each of value) response.headers.append(name, each)
  }
  return response
}

function retryAfterHeader(results: readonly ExecutionResult[]): Record<string, string> {
  const value = retryAfterOf(results)
  return value === null ? {} : { 'retry-after': value }
}

function refuse(requestId: string, status: number, message: string, headers: Record<string, string> = {}): Response {
  const text = responseTextOf({ errors: [{ message, extensions: { code: errorCodeOf(status) } }] }, requestId)
  return jsonResponse(status, JSON_TYPE, text, { requestId }, headers)
}

/** Request headers by lower-case name, as in Node.js. */
const headersOf = ({ headers }: Request): IncomingHttpHeaders => Object.fromEntries(headers)

const callerOf = ({ headers }: RequestHead, requestId: string, address: string): Caller => {
  const client = clientIn(headers)
  return {
    requestId,
    address,
    credentials: pickCredentials(headers),
    ...(client && { client }),
    ...traceIn(headers),
  }
}

const isJson = ({ headers }: RequestHead): boolean =>
  headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'

/** Parsed parameters, or a refusal. */
type Input = { readonly value: unknown } | { readonly status: number; readonly message: string }

/** URL parameters; a repeated one becomes a list, which is invalid for every parameter. */
function queryOf({ url }: Request): Input {
  const parameters = new Map<string, unknown>()
  for (const [name, value] of new URL(url).searchParams) parameters.set(name, parameters.has(name) ? [] : value)
  return { value: Object.fromEntries(parameters) }
}

/** Parses a JSON body of at most `MAX_BODY_BYTES`; stops reading beyond. */
async function readBody({ body }: Request): Promise<Input> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of body ?? []) {
      size += chunk.byteLength
      if (size > MAX_BODY_BYTES) return { status: 413, message: `Expected a body of at most ${MAX_BODY_BYTES} bytes.` }
      chunks.push(chunk)
    }
    return { value: JSON.parse(new TextDecoder().decode(Buffer.concat(chunks))) }
  } catch {
    return { status: 400, message: 'Expected a body with JSON.' }
  }
}
