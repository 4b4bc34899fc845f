import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { compressResponses } from '../../platform/http/compression.ts'
import { errorCodeOf, errorResponse, isBrowserNavigation } from '../../platform/http/server.ts'
import type { Gateway } from '../gateway.ts'
import { createContentNegotiation } from './content-negotiation.ts'
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
} from './http-rules.ts'
import { createJsonHandler } from './json-handler.ts'
import { createUploadHandler, isMultipartBody, takeMultipartBodies } from './upload-handler.ts'

/** Path of the graph for all transports. */
export const GRAPHQL_PATH = '/graphql'

/** Sends a page to a browser that opens the endpoint. */
export type SendPage = (reply: FastifyReply) => FastifyReply

/**
 * Serves `/graphql` over HTTP (GraphQL over HTTP): POST, and GET for queries. All transports
 * prepare operations with `gateway.prepare`. `page`: for browsers; absent: they get JSON like other
 * clients. `batchLimit`: maximum operations per batch; 0 refuses lists.
 */
export async function serveGraphql(
  app: FastifyInstance,
  gateway: Gateway,
  { page, batchLimit = 0 }: { readonly page?: SendPage; readonly batchLimit?: number } = {},
): Promise<void> {
  const events = createEventStreamHandler(app, gateway)
  const formFor = createContentNegotiation()
  const answer = createJsonHandler(gateway, { events, batchLimit })
  const upload = gateway.uploads && createUploadHandler(gateway, gateway.uploads, batchLimit)

  await app.register(
    async (scope) => {
      scope.removeContentTypeParser('text/plain')
      if (upload) takeMultipartBodies(scope)
      compressResponses(scope)
      scope.addHook('onRequest', (_, reply, done) => {
        reply.headers(RESPONSE_HEADERS)
        done()
      })
      scope.setErrorHandler((error: FastifyError, request, reply) => {
        const { status, message } = errorResponse(error)
        if (status === 500) request.log.error({ err: error }, 'a GraphQL request failed')
        // CORS headers, because the hook above does not run for requests refused earlier.
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
        // Returns no promise, because Fastify would then add a listener per response.
        handler: (request, reply) => {
          const form = formFor(request.headers.accept)
          if (form?.kind !== 'events' && page && isBrowserNavigation(request)) page(reply)
          else if (!form) refuse(request, reply, 406, NOT_ACCEPTABLE)
          else if (mayBeForged(request)) refuse(request, reply, 400, FORGED)
          else if (!isUtf8(request)) refuse(request, reply, 415, 'Expected a body in UTF-8.')
          else if (upload && isMultipartBody(request)) upload(request, reply, form).catch((error: unknown) => reply.send(error))
          else if (form.kind === 'events') events(request, reply)
          else answer(request, reply, form).catch((error: unknown) => reply.send(error))
        },
      })
    },
    { prefix: GRAPHQL_PATH },
  )
}

function refuse(request: FastifyRequest, reply: FastifyReply, status: number, message: string): void {
  const text = responseTextOf({ errors: [{ message, extensions: { code: errorCodeOf(status) } }] }, request.id)
  void reply.code(status).header('content-type', JSON_TYPE).send(text)
}
