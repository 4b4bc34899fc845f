import type { FastifyReply, FastifyRequest } from 'fastify'

/** Answers a request with the stream of an operation, for a caller with these credentials, or an anonymous one. */
export type StreamOperation = (
  request: FastifyRequest,
  reply: FastifyReply,
  operation: {
    readonly text: string
    readonly variables: Readonly<Record<string, unknown>>
    readonly credentials: { readonly authorization?: string }
  },
) => FastifyReply
