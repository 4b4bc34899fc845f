import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { compressResponses } from '../../platform/http/compression.ts'
import { callerOf, disconnectSignal } from '../../platform/http/request-caller.ts'
import { errorCodeOf, errorResponse, isBrowserNavigation } from '../../platform/http/server.ts'
import { sendCacheableResponse } from '../caching/send-response.ts'
import type { Gateway } from '../gateway.ts'
import { COST_HEADER, wantsCost } from '../limits/cost-report.ts'
import { refusal } from '../operations/errors.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import { SUBSCRIPTIONS_NOT_SUPPORTED } from '../operations/prepare-operation.ts'
import type { RequestContext } from '../subgraph-client/link.ts'
import { runBatch } from './batch.ts'
import { createContentNegotiation, type ResponseFormat } from './content-negotiation.ts'
import { createEventStreamHandler } from './event-stream.ts'
import {
  FORGED,
  isUtf8,
  JSON_TYPE,
  mayBeForged,
  NOT_ACCEPTABLE,
  PREFLIGHT_HEADERS,
  RESPONSE_HEADERS,
  responseTextOf,
  retryAfterOf,
  statusOf,
} from './http-rules.ts'
import { hasDeferredParts, sendMultipart } from './incremental.ts'
import { parseBodyParams, parseUrlParams } from './request-params.ts'

/** Path of the graph over every transport. */
export const GRAPHQL_PATH = '/graphql'

/** Sends a page to a browser that opens the endpoint. */
export type SendPage = (reply: FastifyReply) => FastifyReply

/**
 * The graph over HTTP at `/graphql`, by the GraphQL over HTTP specification: POST, and GET for
 * queries. Every transport prepares operations by `gateway.prepare`. `page` is for browsers;
 * without one they get JSON like other clients. `batchLimit` is how many operations a list may
 * have; 0 takes no lists.
 */
export async function serveGraphql(
  app: FastifyInstance,
  gateway: Gateway,
  { page, batchLimit = 0 }: { readonly page?: SendPage; readonly batchLimit?: number } = {},
): Promise<void> {
  const events = createEventStreamHandler(app, gateway)
  const formFor = createContentNegotiation()
  const send = sender()

  await app.register(
    async (scope) => {
      scope.removeContentTypeParser('text/plain')
      compressResponses(scope)
      scope.addHook('onRequest', (_, reply, done) => {
        reply.headers(RESPONSE_HEADERS)
        done()
      })
      scope.setErrorHandler((error: FastifyError, request, reply) => {
        const { status, message } = errorResponse(error)
        if (status === 500) request.log.error({ err: error }, 'a GraphQL request failed')
        // What is refused before the hook above would be kept from pages.
        return refuse(request, reply.headers(RESPONSE_HEADERS), status, message)
      })
      scope.setNotFoundHandler((request, reply) => {
        if (request.url.split('?', 1)[0] !== GRAPHQL_PATH)
          return refuse(request, reply, 404, `Expected the path ${GRAPHQL_PATH}.`)
        return refuse(request, reply.header('allow', 'GET, POST, OPTIONS'), 405, `Expected GET or POST, got ${request.method}.`)
      })
      scope.options('', async (_, reply) => reply.headers(PREFLIGHT_HEADERS).code(204).send())
      scope.route({
        method: ['GET', 'POST'],
        url: '',
        // Without a promise: Fastify would listen for the end of each answer.
        handler: (request, reply) => {
          const form = formFor(request.headers.accept)
          if (form?.kind !== 'events' && page && isBrowserNavigation(request)) page(reply)
          else if (!form) refuse(request, reply, 406, NOT_ACCEPTABLE)
          else if (mayBeForged(request)) refuse(request, reply, 400, FORGED)
          else if (!isUtf8(request)) refuse(request, reply, 415, 'Expected a body in UTF-8.')
          else if (form.kind === 'events') events(request, reply)
          else answer(request, reply, form).catch((error: unknown) => reply.send(error))
        },
      })
    },
    { prefix: GRAPHQL_PATH },
  )

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
    const prepared = gateway.prepare(params)
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
    const context: RequestContext = {
      caller: callerOf(request),
      signal: disconnectSignal(reply),
      wantsCost: wantsCost(request.headers[COST_HEADER], params),
    }
    if (prepared.runIncremental && form.acceptsMultipart) {
      const deferred = await prepared.runIncremental(params.variables, context)
      if (hasDeferredParts(deferred)) return sendMultipart(reply, deferred, request.id)
      const { initial } = deferred
      return write(initial.data === undefined ? statusOf(initial.errors, form) : 200, initial)
    }
    const answered = prepared.answer
      ? await prepared.answer(params.variables, context)
      : { result: await prepared.run(params.variables, context) }
    if ('bytes' in answered) return sendCacheableResponse(request, reply, answered, form.contentType, send)
    const { result } = answered
    write(result.data === undefined ? statusOf(result.errors, form) : 200, result)
  }

  /**
   * A list is no GraphQL response, so it has the media type of JSON whatever the client likes best.
   */
  async function answerAll(request: FastifyRequest, reply: FastifyReply, given: readonly unknown[]): Promise<void> {
    const requestContext: RequestContext = {
      caller: callerOf(request),
      signal: disconnectSignal(reply),
      wantsCost: wantsCost(request.headers[COST_HEADER], { wantsCost: false }),
    }
    const batch = await runBatch(gateway, given, batchLimit, requestContext)
    if (batch.kind === 'refused') return send(reply, JSON_TYPE, 400, responseTextOf({ errors: [batch.error] }, request.id))
    const texts = batch.results.map((response) => responseTextOf(response, request.id))
    send(withRetryAfter(reply, batch.results), JSON_TYPE, 200, `[${texts.join(',')}]`)
  }
}

type Send = (reply: FastifyReply, contentType: string, status: number, body: string | Buffer) => void

/**
 * Writes all responses of one turn of the event loop together: consecutive system calls cost half
 * as much as interleaved ones. A response waits only for the requests that arrived with it.
 */
function sender(): Send {
  let waiting: Parameters<Send>[] = []
  const write = () => {
    const now = waiting
    waiting = []
    for (const [reply, contentType, status, body] of now) {
      try {
        reply.code(status).header('content-type', contentType).send(body)
      } catch (error) {
        // The other responses must still be sent.
        reply.log.error({ err: error }, 'an answer could not be written')
        reply.raw.destroy()
      }
    }
  }
  return (...answer) => {
    if (waiting.push(answer) === 1) setImmediate(write)
  }
}

function refuse(request: FastifyRequest, reply: FastifyReply, status: number, message: string): void {
  const text = responseTextOf({ errors: [{ message, extensions: { code: errorCodeOf(status) } }] }, request.id)
  void reply.code(status).header('content-type', JSON_TYPE).send(text)
}

function withRetryAfter(reply: FastifyReply, results: readonly ExecutionResult[]): FastifyReply {
  const value = retryAfterOf(results)
  return value === null ? reply : reply.header('retry-after', value)
}
