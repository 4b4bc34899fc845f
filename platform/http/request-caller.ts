import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Caller, type ClientIdentity, CREDENTIAL_HEADERS, type CredentialHeader } from './caller.ts'
import { parseTraceparent } from './trace-parent.ts'

/** The caller, with the credentials that may be forwarded to subgraphs: `names` of them, or all. */
export function callerOf(
  request: Pick<FastifyRequest, 'id' | 'ip' | 'headers'>,
  names: readonly CredentialHeader[] = CREDENTIAL_HEADERS,
): Caller {
  const client = clientIn(request.headers)
  return {
    requestId: request.id,
    address: request.ip,
    credentials: namedIn(request.headers, names),
    ...(client && { client }),
    ...traceIn(request.headers),
  }
}

/** Node has put the names of headers in lower case, so these need no search. */
function namedIn(headers: FastifyRequest['headers'], names: readonly CredentialHeader[]): Caller['credentials'] {
  const credentials: Partial<Record<CredentialHeader, string>> = {}
  for (const name of names) {
    const value = headers[name]
    if (typeof value === 'string') credentials[name] = value
  }
  return credentials
}

/** Credentials by the names of their headers, ignoring case; other values than text are ignored. */
export function pickCredentials(given: Readonly<Record<string, unknown>>): Caller['credentials'] {
  const credentials: Partial<Record<CredentialHeader, string>> = {}
  for (const [key, value] of Object.entries(given)) {
    const name = CREDENTIAL_HEADERS.find((known) => known === key.toLowerCase())
    if (name !== undefined && typeof value === 'string') credentials[name] = value
  }
  return credentials
}

/** The trace of headers, or of entries like headers; empty for none, and for an invalid one. */
export const traceIn = ({ traceparent }: Readonly<Record<string, unknown>>): Pick<Caller, 'traceparent'> =>
  typeof traceparent === 'string' && parseTraceparent(traceparent) ? { traceparent } : {}

/** Longer names and versions of clients are cut. */
const MAX_CLIENT_CHARACTERS = 100

/**
 * The client by the headers of Apollo's or of Hive's client libraries, in lower case; null where
 * neither names it.
 */
export function clientIn(headers: Readonly<Record<string, unknown>>): ClientIdentity | null {
  const name = headers['apollographql-client-name'] ?? headers['graphql-client-name']
  if (typeof name !== 'string' || name === '') return null
  const version = headers['apollographql-client-version'] ?? headers['graphql-client-version']
  return { name: clientText(name), version: typeof version === 'string' ? clientText(version) : '' }
}

/** Reports are read at terminals: a text with other characters than these is not shown. */
const clientText = (text: string): string => {
  const cut = text.slice(0, MAX_CLIENT_CHARACTERS)
  return /^[\w .:;,/@+()~#-]*$/.test(cut) ? cut : 'invalid'
}

/** Aborts when the client goes away before its answer was written. */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(new Error('The client is gone.'))
  })
  return controller.signal
}
