import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { callerOf, disconnectSignal } from '../../platform/http/request-caller.ts'
import { allowSlowRequest, errorCodeOf } from '../../platform/http/server.ts'
import type { Gateway } from '../gateway.ts'
import { COST_HEADER, wantsCost } from '../limits/cost-report.ts'
import { createHttpContext } from '../middleware/http-context.ts'
import type { UploadReceiver } from '../uploads/upload-receiver.ts'
import type { ResponseFormat } from './content-negotiation.ts'
import { JSON_TYPE, responseTextOf } from './http-rules.ts'
import { addHeaders, withRetryAfter } from './json-handler.ts'
import { isMultipart, refusedUpload, resultsOf, runUpload, uploadText } from './upload-request.ts'

/** Stands for a body that nobody has read yet. */
const UNREAD = Symbol('multipart')
/** How long the rest of a request may take when its answer is sent. */
const LINGER_MS = 5_000

/** Hands on multipart bodies unread; their handler reads them, or nobody does. */
export const takeMultipartBodies = (scope: FastifyInstance): void =>
  void scope.addContentTypeParser('multipart/form-data', (_, __, done) => done(null, UNREAD))

/** Whether a request is a multipart one, which only POST can be. */
export const isMultipartBody = (request: FastifyRequest): boolean =>
  request.body === UNREAD || (request.method === 'GET' && isMultipart(request))

/** Answers requests with files. */
export function createUploadHandler(
  gateway: Gateway,
  receiver: UploadReceiver,
  batchLimit: number,
): (request: FastifyRequest, reply: FastifyReply, form: ResponseFormat) => Promise<void> {
  return async (request, reply, form) => {
    const { raw } = request
    const refused = refusedUpload(request.method, form)
    if (refused) {
      const { status, message } = refused
      const text = responseTextOf({ errors: [{ message, extensions: { code: errorCodeOf(status) } }] }, request.id)
      return void reply.header('allow', 'POST').code(status).header('content-type', JSON_TYPE).send(text)
    }
    const stopAllowing = allowSlowRequest(raw.socket)
    const http = createHttpContext(request.method, request.headers)
    try {
      const answer = await runUpload(gateway, receiver, {
        source: raw,
        contentType: request.headers['content-type'] ?? '',
        form,
        batchLimit,
        context: {
          caller: callerOf(request),
          signal: disconnectSignal(reply),
          wantsCost: wantsCost(request.headers[COST_HEADER], { wantsCost: false }),
          http,
        },
      })
      addHeaders(reply, http)
      const text = uploadText(answer, (result) => responseTextOf(result, request.id))
      void withRetryAfter(reply, resultsOf(answer)).code(answer.status).header('content-type', answer.contentType).send(text)
    } finally {
      stopAllowing()
      passUnread(request)
    }
  }
}

/**
 * Reads past what the client still sends, so that it gets its answer and may send another request;
 * closes the connection of one that goes on.
 */
function passUnread({ raw }: FastifyRequest): void {
  raw.resume()
  if (raw.complete || raw.destroyed) return
  const { socket } = raw
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref()
  raw.once('close', () => clearTimeout(timer))
}
