import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

type Headers = Readonly<Record<string, string>>

/**
 * Sends a body in pieces. The next ones are made when the client has read those before, and none
 * once it is gone; a piece that fails ends the response without its last chunk, so that no client
 * takes it for complete. `otherwise`: headers of a response that has none of its own.
 */
export async function sendPieces(
  reply: FastifyReply,
  {
    contentType,
    pieces,
    headers,
  }: { readonly contentType: string; readonly pieces: AsyncIterable<string>; readonly headers?: Headers },
  otherwise: () => Promise<Headers>,
): Promise<FastifyReply> {
  reply
    .headers(headers ?? (await otherwise()))
    .header('cache-control', 'no-store')
    .type(contentType)
  return reply.send(Readable.from(afterHeaders(reply, pieces), { objectMode: false }))
}

/** The headers do not wait for the first piece, which may take seconds. */
async function* afterHeaders(reply: FastifyReply, pieces: AsyncIterable<string>): AsyncGenerator<string> {
  reply.raw.flushHeaders()
  yield* pieces
}
