import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server'
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { parse } from 'graphql'
import { CREDENTIAL_HEADERS } from '../subgraphs/runtime/caller.ts'
import type { Answer } from './caching/caching.ts'
import { sendAnswer } from './caching/send-answer.ts'
import { callerOf, goneSignal } from './caller.ts'
import { compressAnswers } from './compression.ts'
import { identified, refusal } from './errors.ts'
import { eventStreams, wantsEvents } from './event-stream.ts'
import { type Admission, type Gateway, SUBSCRIPTION } from './gateway.ts'
import type { Passage } from './link.ts'
import { codeOf, refusalOf } from './server.ts'
import type { Outcome } from './stock-executor.ts'

/** Where the graph is, on every door. */
export const GRAPHQL_PATH = '/graphql'

/** Any origin: what a browser could send along by itself, we do not read. */
const CORS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'x-request-id, retry-after' }
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': `content-type, apollo-require-preflight, x-apollo-operation-name, x-request-id, ${CREDENTIAL_HEADERS.join(', ')}`,
  'access-control-max-age': '86400',
}

/** What Apollo Server says without a code that a client could act on. */
const APOLLO_CODES: Readonly<Record<string, string>> = {
  'provided sha does not match query': 'PERSISTED_QUERY_HASH_MISMATCH',
  'Unsupported persisted query version': 'PERSISTED_QUERY_VERSION_NOT_SUPPORTED',
}

/** Sends a page to a browser that opens the endpoint. */
export type Page = (reply: FastifyReply) => FastifyReply

/**
 * The graph over HTTP at `/graphql`, by the GraphQL over HTTP specification: POST, and GET for queries. Apollo Server reads the request (content types, CSRF,
 * persisted queries) and writes the answer; the operation in between takes the same way as everywhere: `gateway.admit`.
 */
export async function serveGraphql(
  app: FastifyInstance,
  gateway: Gateway,
  { page }: { readonly page?: Page } = {},
): Promise<void> {
  const server = new ApolloServer<Asked>({
    schema: gateway.schema,
    plugins: [ApolloServerPluginLandingPageDisabled(), answeredBy(gateway)],
    // Apollo Server would parse and validate each text once more: ours has been, and is remembered with its plan.
    documentStore: { get: async () => NEVER_READ, set: async () => {}, delete: async () => true },
    dangerouslyDisableValidation: true,
    introspection: true,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    logger: { debug() {}, info() {}, warn: app.log.warn.bind(app.log), error: app.log.error.bind(app.log) },
    formatError(formatted) {
      const code = APOLLO_CODES[formatted.message]
      return code === undefined ? formatted : { ...formatted, extensions: { code } }
    },
  })
  await server.start()
  app.addHook('onClose', () => server.stop())
  const events = eventStreams(app, gateway)

  await app.register(
    async (scope) => {
      scope.removeContentTypeParser('text/plain')
      compressAnswers(scope)
      scope.addHook(
        'onRequest',
        async (_, reply) => void reply.headers(CORS).headers({ 'cache-control': 'no-store', vary: 'Accept' }),
      )
      scope.setErrorHandler((error: FastifyError, request, reply) => {
        const { status, message } = refusalOf(error)
        if (status === 500) request.log.error({ err: error }, 'a GraphQL request failed')
        return refuse(request, reply, status, message)
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
        handler: (request, reply) => {
          if (wantsEvents(request)) return events(request, reply)
          return page && isForPeople(request) ? page(reply) : answer(request, reply)
        },
      })
    },
    { prefix: GRAPHQL_PATH },
  )

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const headers = new HeaderMap()
    for (const [name, value] of Object.entries(request.headers)) {
      if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
    }
    const mark = request.url.indexOf('?')
    const asked: Asked = { caller: callerOf(request), signal: goneSignal(reply), told: { answer: null } }
    const {
      status,
      headers: own,
      body,
    } = await server.executeHTTPGraphQLRequest({
      httpGraphQLRequest: {
        method: request.method === 'HEAD' ? 'GET' : request.method,
        headers,
        search: mark === -1 ? '' : request.url.slice(mark),
        body: request.body,
      },
      context: async () => asked,
    })
    reply.code(status ?? 200)
    for (const [name, value] of own) reply.header(name, value)
    if (asked.told.answer) return sendAnswer(request, reply, asked.told.answer)
    // Chunks are for @defer and @stream, which the schema does not have.
    return reply.send(body.kind === 'complete' ? body.string : '')
  }
}

/** Apollo Server wants a document before it asks its plugins; this one only has to be a query. */
const NEVER_READ = parse('{ __typename }', { noLocation: true })

/** Apollo Server writes objects; an answer that is bytes already takes its own way around it. */
type Asked = Passage & { readonly told: { answer: Extract<Answer, { readonly bytes: unknown }> | null } }

function answeredBy(gateway: Gateway): ApolloServerPlugin<Asked> {
  return {
    async requestDidStart({ contextValue: passage }) {
      let admission: Admission
      return {
        async didResolveOperation({ source, request, metrics }) {
          admission = gateway.admit(source, request.operationName)
          // A text that is refused must not be kept as a persisted query.
          if (admission.kind === 'refused') metrics.persistedQueryRegister = false
        },
        async responseForOperation({ request }) {
          if (admission.operation === 'subscription') return response(400, { errors: [SUBSCRIPTION] })
          if (admission.kind === 'refused') return response(400, { errors: admission.errors })
          if (request.http?.method === 'GET' && admission.operation !== 'query') {
            const message = `Expected a query over GET, got a ${admission.operation}; send it with POST.`
            return response(405, { errors: [refusal('METHOD_NOT_ALLOWED', message)] }, [['allow', 'POST']])
          }
          const variables = request.variables ?? {}
          const answer = admission.answer
            ? await admission.answer(variables, passage)
            : { outcome: await admission.run(variables, passage) }
          if ('bytes' in answer) {
            passage.told.answer = answer
            return response(200, { data: null })
          }
          const { outcome } = answer
          return response(outcome.data === undefined ? 400 : 200, outcome, retryAfter(outcome))
        },
        async willSendResponse({ response: { body } }) {
          if (body.kind !== 'single' || !body.singleResult.errors) return
          body.singleResult.errors = body.singleResult.errors.map((error) => identified(error, passage.caller.requestId))
        },
      }
    },
  }
}

/** When the last of what was asked too often may be asked again (RFC 9110 §10.2.3). */
function retryAfter({ errors = [] }: Outcome): readonly (readonly [string, string])[] {
  const seconds = errors.map(({ extensions }) => extensions?.retryAfterSeconds).filter((value) => typeof value === 'number')
  return seconds.length === 0 ? [] : [['retry-after', String(Math.max(1, Math.ceil(Math.max(...seconds))))]]
}

const response = (status: number, { data, errors }: Outcome, headers: readonly (readonly [string, string])[] = []) => ({
  http: { status, headers: new HeaderMap(headers.map(([name, value]) => [name, value])) },
  body: {
    kind: 'single' as const,
    singleResult: { ...(data !== undefined && { data: data as Record<string, unknown> | null }), ...(errors && { errors }) },
  },
})

function refuse(request: FastifyRequest, reply: FastifyReply, status: number, message: string): FastifyReply {
  const error = identified({ message, extensions: { code: codeOf(status) } }, request.id)
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ errors: [error] }))
}

/** A browser that opens the address in its window, not a program. */
function isForPeople({ method, headers: { accept = '' } }: FastifyRequest): boolean {
  return method !== 'POST' && accept.includes('text/html') && !accept.includes('json')
}
