import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, CredentialHeader } from '../../subgraphs/runtime/caller.ts'

/** Who asks, with no more credentials than the facade has any use for. */
export function callerOf(request: FastifyRequest, names: readonly CredentialHeader[]): Caller {
  const credentials: Partial<Record<CredentialHeader, string>> = {}
  for (const name of names) {
    const value = request.headers[name]
    if (typeof value === 'string') credentials[name] = value
  }
  return { requestId: request.id, address: request.ip, credentials }
}

/** Aborts when the client goes away before its answer was written. */
export function gone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort()
  })
  return controller.signal
}
