import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerOf, disconnectSignal } from '../../platform/http/request-caller.ts'
import { sendCacheableResponse } from '../caching/send-response.ts'
import type { Gateway } from '../gateway.ts'
import { COST_HEADER, wantsCost, withCostHeader } from '../limits/cost-report.ts'
import { addedHeaders, createHttpContext, type HttpContext } from '../middleware/http-context.ts'
import { refusal } from '../operations/errors.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import { SUBSCRIPTIONS_NOT_SUPPORTED } from '../operations/prepare-operation.ts'
import { lendBytes } from '../operations/serialized-result.ts'
import type { RequestContext } from '../subgraph-client/link.ts'
import { runBatch } from './batch.ts'
import type { ResponseFormat } from './content-negotiation.ts'
import { JSON_TYPE, responseTextOf, retryAfterOf, statusOf } from './http-rules.ts'
import { hasDeferredParts, sendMultipart } from './incremental.ts'
import { parseBodyParams, parseUrlParams } from './request-params.ts'
import { createResponseWriter } from './response-writer.ts'

/**
 * Handles queries and mutations with one JSON response, and batches with a list. Subscriptions go
 * to `events` when the client accepts event streams. `batchLimit`: maximum operations per batch; 0
 * refuses lists.
 */
export function createJsonHandler(
  gateway: Gateway,
  {
    events,
    batchLimit,
  }: {
    readonly events: (request: FastifyRequest, reply: FastifyReply) => FastifyReply
    readonly batchLimit: number
  },
): (request: FastifyRequest, reply: FastifyReply, form: ResponseFormat) => Promise<void> {
  const send = createResponseWriter()
  return answer

  async function answer(request: FastifyRequest, reply: FastifyReply, form: ResponseFormat): Promise<void> {
    const isPost = request.method === 'POST'
    if (isPost && Array.isArray(request.body)) return answerAll(request, reply, request.body)

    const write = (status: number, executed: ExecutionResult) =>
      send(
        executed.errors ? withRetryAfter(reply, [executed]) : reply,
        form.contentType,
        status,
        responseTextOf(executed, request.id),
      )
    const parsed = isPost ? parseBodyParams(request.body) : parseUrlParams(request.query)
    if (parsed.kind === 'malformed') return write(400, { errors: [parsed.error] })
    const { params } = parsed
    const prepared = gateway.prepare(withCostHeader(params, request.headers[COST_HEADER]))
    if (prepared.operation === 'subscription') {
      if (form.acceptsEventStream) events(request, reply)
      else write(400, { errors: [SUBSCRIPTIONS_NOT_SUPPORTED] })
      return
    }
    if (prepared.kind === 'rejected') return write(statusOf(prepared.errors, form), { errors: prepared.errors })
    if (!isPost && prepared.operation !== 'query') {
      const message = `Expected a query over GET, got a ${prepared.operation}; send it with POST.`
      reply.header('allow', 'POST')
      return write(405, { errors: [refusal('METHOD_NOT_ALLOWED', message)] })
    }
    const http = createHttpContext(request.method, request.headers)
    const context: RequestContext = {
      caller: callerOf(request),
      signal: disconnectSignal(reply),
      wantsCost: wantsCost(request.headers[COST_HEADER], params),
      http,
    }
    if (prepared.runIncremental && form.acceptsMultipart) {
      const deferred = await prepared.runIncremental(params.variables, context)
      addHeaders(reply, http)
      if (hasDeferredParts(deferred)) return sendMultipart(reply, deferred, request.id)
      const { initial } = deferred
      return write(http.status ?? (initial.data === undefined ? statusOf(initial.errors, form) : 200), initial)
    }
    const answered = prepared.answer
      ? await prepared.answer(params.variables, context)
      : { result: await prepared.run(params.variables, context) }
    addHeaders(reply, http)
    if ('bytes' in answered) return sendCacheableResponse(request, reply, answered, form.contentType, send)
    const { result } = answered
    const lent = lendBytes(result)
    if (lent) {
      // Over HTTP/2 a response finishes before its bytes are written.
      if (request.raw.httpVersionMajor === 1) reply.raw.once('finish', lent.free)
      return send(reply, form.contentType, http.status ?? 200, lent.bytes)
    }
    write(http.status ?? (result.data === undefined ? statusOf(result.errors, form) : 200), result)
  }

  /** Runs a batch. A list is not a GraphQL response, so its content type is always JSON. */
  async function answerAll(request: FastifyRequest, reply: FastifyReply, given: readonly unknown[]): Promise<void> {
    const http = createHttpContext(request.method, request.headers)
    const requestContext: RequestContext = {
      http,
      caller: callerOf(request),
      signal: disconnectSignal(reply),
      wantsCost: wantsCost(request.headers[COST_HEADER], { wantsCost: false }),
    }
    const batch = await runBatch(gateway, given, batchLimit, requestContext)
    if (batch.kind === 'refused') return send(reply, JSON_TYPE, 400, responseTextOf({ errors: [batch.error] }, request.id))
    addHeaders(reply, http)
    const texts = batch.results.map((response) => responseTextOf(response, request.id))
    send(withRetryAfter(reply, batch.results), JSON_TYPE, 200, `[${texts.join(',')}]`)
  }
}

export function addHeaders(reply: FastifyReply, http: HttpContext): void {
  if (http.response === null) return
  for (const [name, value] of addedHeaders(http)) reply.header(name, value)
}

export function withRetryAfter(reply: FastifyReply, results: readonly ExecutionResult[]): FastifyReply {
  const value = retryAfterOf(results)
  return value === null ? reply : reply.header('retry-after', value)
}
