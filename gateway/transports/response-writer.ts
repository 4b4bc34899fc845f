import type { FastifyReply } from 'fastify'

/** Sends a response of this content type and status. */
export type SendResponse = (reply: FastifyReply, contentType: string, status: number, body: string | Buffer) => void

/**
 * Writes all responses of one turn of the event loop together: consecutive system calls cost half
 * as much as interleaved ones. A response waits only for the requests that arrived with it.
 */
export function createResponseWriter(): SendResponse {
  let waiting: Parameters<SendResponse>[] = []
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
