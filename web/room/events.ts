import type { FastifyInstance } from 'fastify'
import { print } from 'graphql'
import { RoomEventsDocument } from '#generated/operations.ts'
import type { AccountResponder } from '../account/responder.ts'
import type { StreamOperation } from '../account/stream.ts'

/** Serves the events of rooms to their pages, as server-sent events for the user of the cookie. */
export function serveRoomEvents(app: FastifyInstance, { sessionOf }: AccountResponder, streamOperation: StreamOperation): void {
  const text = print(RoomEventsDocument)
  app.get<{ Params: { readonly id: string } }>('/rooms/:id/events', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const session = await sessionOf(request, reply)
    if (!session) return reply.code(401).type('text/plain; charset=utf-8').send('Sign in first.')
    return streamOperation(request, reply, {
      text,
      variables: { roomId: request.params.id },
      credentials: { authorization: `Bearer ${session.token}` },
    })
  })
}
