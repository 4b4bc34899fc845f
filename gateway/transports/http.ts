import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GraphQLFormattedError } from 'graphql'
import { CREDENTIAL_HEADERS } from '../../platform/http/caller.ts'
import { compressResponses } from '../../platform/http/compression.ts'
import { callerOf, disconnectSignal } from '../../platform/http/request-caller.ts'
import { errorCodeOf, errorResponse, isBrowserNavigation } from '../../platform/http/server.ts'
import { sendCacheableResponse } from '../caching/send-response.ts'
import type { Gateway } from '../gateway.ts'
import { COST_HEADER, wantsCost } from '../limits/cost-report.ts'
import { refusal, withRequestId } from '../operations/errors.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import { SUBSCRIPTIONS_NOT_SUPPORTED } from '../operations/prepare-operation.ts'
import type { RequestContext } from '../subgraph-client/link.ts'
import { runBatch } from './batch.ts'
import { createContentNegotiation, type ResponseFormat } from './content-negotiation.ts'
import { createEventStreamHandler } from './event-stream.ts'
import { parseBodyParams, parseUrlParams } from './request-params.ts'

/** Path of the graph over every transport. */
export const GRAPHQL_PATH = '/graphql'

const JSON_TYPE = 'application/json; charset=utf-8'

/** Any origin: what a browser could send along by itself, we do not read. */
const HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-request-id, retry-after',
  'cache-control': 'no-store',
  vary: 'Accept',
}
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': `content-type, apollo-require-preflight, x-apollo-operation-name, x-request-id, traceparent, tracestate, ${COST_HEADER}, ${CREDENTIAL_HEADERS.join(', ')}`,
  'access-control-max-age': '86400',
}

/** What a page of another site can send without asking first; see `mayBeForged`. */
const SIMPLE_TYPES: readonly string[] = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']
const PREFLIGHTED_HEADERS = ['apollo-require-preflight', 'x-apollo-operation-name'] as const

const FORGED =
  'Expected POST with content-type application/json, or the header "apollo-require-preflight" with any value: what a page of another site could send unasked is not run.'
const NOT_ACCEPTABLE =
  'Expected an Accept header that allows application/graphql-response+json, application/json or text/event-stream.'

/** What GraphQL's own specification refuses: the text, its operation, or its variables. */
const REQUEST_ERRORS: readonly unknown[] = [
  'BAD_USER_INPUT',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
]

/** Sends a page to a browser that opens the endpoint. */
export type Page = (reply: FastifyReply) => FastifyReply

/**
 * The graph over HTTP at `/graphql`, by the GraphQL over HTTP specification: POST, and GET for
 * queries. Every transport prepares operations by `gateway.prepare`. `page` is for browsers;
 * without one they get JSON like everybody. `batchLimit` is how many operations a list may have; 0
 * takes no lists.
 */
export async function serveGraphql(
  app: FastifyInstance,
  gateway: Gateway,
  { page, batchLimit = 0 }: { readonly page?: Page; readonly batchLimit?: number } = {},
): Promise<void> {
  const events = createEventStreamHandler(app, gateway)
  const formFor = createContentNegotiation()
  const send = sender()

  await app.register(
    async (scope) => {
      scope.removeContentTypeParser('text/plain')
      compressResponses(scope)
      scope.addHook('onRequest', (_, reply, done) => {
        reply.headers(HEADERS)
        done()
      })
      scope.setErrorHandler((error: FastifyError, request, reply) => {
        const { status, message } = errorResponse(error)
        if (status === 500) request.log.error({ err: error }, 'a GraphQL request failed')
        // What is refused before the hook above would be kept from pages.
        return refuse(request, reply.headers(HEADERS), status, message)
      })
      scope.setNotFoundHandler((request, reply) => {
        if (request.url.split('?', 1)[0] !== GRAPHQL_PATH)
          return refuse(request, reply, 404, `Expected the path ${GRAPHQL_PATH}.`)
        return refuse(request, reply.header('allow', 'GET, POST, OPTIONS'), 405, `Expected GET or POST, got ${request.method}.`)
      })
      scope.options('', async (_, reply) => reply.headers(PREFLIGHT).code(204).send())
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
      send(executed.errors ? withRetryAfter(reply, [executed]) : reply, form.contentType, status, textOf(executed, request.id))
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
    if (batch.kind === 'refused') return send(reply, JSON_TYPE, 400, textOf({ errors: [batch.error] }, request.id))
    const texts = batch.outcomes.map((response) => textOf(response, request.id))
    send(withRetryAfter(reply, batch.outcomes), JSON_TYPE, 200, `[${texts.join(',')}]`)
  }
}

type Send = (reply: FastifyReply, contentType: string, status: number, body: string | Buffer) => void

/**
 * Writes answers when everything that is to be answered at this moment is known: system calls in a
 * row cost half as much as those between which other work is done. Nothing waits longer for it than
 * for the requests that came with it.
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
        // Nobody else waits for this one, and the others must be answered.
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
  const text = textOf({ errors: [{ message, extensions: { code: errorCodeOf(status) } }] }, request.id)
  void reply.code(status).header('content-type', JSON_TYPE).send(text)
}

/** An answer as JSON; its errors name the request. */
const textOf = ({ data, errors, extensions }: ExecutionResult, requestId: string): string =>
  JSON.stringify({ data, ...(errors && { errors: errors.map((error) => withRequestId(error, requestId)) }), extensions })

/**
 * The status of an answer without data. Apollo's clients send the text of a persisted query that we
 * do not have when they are told so with 200.
 */
function statusOf(errors: readonly GraphQLFormattedError[] = [], form: ResponseFormat): number {
  const has = (code: string) => errors.some(({ extensions }) => extensions?.code === code)
  if (has('PERSISTED_QUERY_NOT_FOUND')) return 200
  if (has('RATE_LIMITED')) return 429
  return errors.every(({ extensions }) => REQUEST_ERRORS.includes(extensions?.code)) ? form.requestErrorStatus : 400
}

/** Says when the last of what was params too often may be params again (RFC 9110 §10.2.3). */
function withRetryAfter(reply: FastifyReply, results: readonly ExecutionResult[]): FastifyReply {
  const seconds = results
    .flatMap(({ errors = [] }) => errors.map(({ extensions }) => extensions?.retryAfterSeconds))
    .filter((value) => typeof value === 'number')
  return seconds.length === 0 ? reply : reply.header('retry-after', String(Math.max(1, Math.ceil(Math.max(...seconds)))))
}

/**
 * Whether a page of another site could have made a browser send this without asking us first (CORS
 * preflight): then nothing may come of it, not even work that takes time. A content type that forms
 * cannot have, or a header that only programs set, shows that it could not; so does a browser that
 * says that the page is one of ours, which no page can say by itself.
 */
function mayBeForged({ headers }: FastifyRequest): boolean {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type?.includes('/') && !SIMPLE_TYPES.includes(type)) return false
  if (headers['sec-fetch-site'] === 'same-origin') return false
  return !PREFLIGHTED_HEADERS.some((name) => headers[name])
}

/** JSON is UTF-8 (RFC 8259 §8.1); what says to be something else would be misread. */
function isUtf8({ method, headers }: FastifyRequest): boolean {
  if (method !== 'POST') return true
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers['content-type'] ?? '')?.[1]
  return charset === undefined || /^utf-?8$/i.test(charset)
}
