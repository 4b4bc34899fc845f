import type { FastifyInstance } from 'fastify'
import { errorBody } from '../../platform/http/server.ts'
import type { Callbacks } from '../subgraph-client/upstream-callbacks.ts'

/** Upper bound of a callback request, which has one event. */
const MAX_CALLBACK_BYTES = 1_000_000

/** Path of callbacks, followed by the subscription's id. */
export const CALLBACK_PATH = '/callbacks'

/**
 * Serves `POST /callbacks/{id}`, to which subgraphs send subscription events: 204; 404 for an
 * unknown subscription or wrong verifier; 400 for a message that violates the protocol.
 */
export function serveCallbacks(app: FastifyInstance, callbacks: Callbacks): void {
  app.post<{ Params: { id: string } }>(
    `${CALLBACK_PATH}/:id`,
    { bodyLimit: MAX_CALLBACK_BYTES, config: { hasSecretPath: true } },
    async (request, reply) => {
      reply.headers({ 'cache-control': 'no-store', 'subscription-protocol': 'callback/1.0' })
      const received = callbacks.receive(request.params.id, request.body)
      if (received === 'accepted') return reply.code(204).send()
      if (received === 'unknown') return reply.code(404).send(errorBody(404, 'There is no such subscription.'))
      return reply.code(400).send(errorBody(400, 'Expected a message of the callback protocol 1.0.'))
    },
  )
}
