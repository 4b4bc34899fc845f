import type { FastifyReply } from 'fastify'

/** A refusal of the request as a whole, in the form of JSON-RPC: no call in it was read. */
export function refuse(reply: FastifyReply, status: number, message: string, code = -32_000): FastifyReply {
  return reply.code(status).send({ jsonrpc: '2.0', error: { code, message }, id: null })
}
