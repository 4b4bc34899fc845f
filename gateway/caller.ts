import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Caller, CREDENTIAL_HEADERS, type CredentialHeader } from '../subgraphs/runtime/caller.ts'

/** Who asks, with the credentials that may go on to subgraphs: `names` of them, or all that there are. */
export function callerOf(request: FastifyRequest, names: readonly CredentialHeader[] = CREDENTIAL_HEADERS): Caller {
  const credentials: Partial<Record<CredentialHeader, string>> = {}
  for (const name of names) {
    const value = request.headers[name]
    if (typeof value === 'string') credentials[name] = value
  }
  return { requestId: request.id, address: request.ip, credentials }
}

/** Aborts when the client goes away before its answer was written. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(new Error('The client is gone.'))
  })
  return controller.signal
}
