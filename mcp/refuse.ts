import type { FastifyReply } from 'fastify'

/** Refuses a whole HTTP request with a JSON-RPC error, before any call in it is parsed. */
export function refuse(reply: FastifyReply, status: number, message: string, code = -32_000): FastifyReply {
  return reply.code(status).send({ jsonrpc: '2.0', error: { code, message }, id: null })
}
