import type { FastifyRequest } from 'fastify'
import type { Caller, ScopeGrant } from '../../platform/http/caller.ts'
import { callerOf } from '../../platform/http/request-caller.ts'
import type { SubgraphRequest } from '../subgraph-client/link.ts'
import type { SignatureVerdict } from './signature.ts'

/** Result of verifying a valid signature. */
export type Signed = Extract<SignatureVerdict, { readonly kind: 'signed' }>
type RequestParams = Pick<SubgraphRequest, 'query' | 'variables' | 'operationName'> & Pick<Caller, 'grantedScopes'>

const bad = (message: string) => Object.assign(new Error(message), { statusCode: 400 })

/** Text of a body. Throws a 400 unless it is the signed body. */
export function signedText(body: unknown, verdict: Signed | undefined): string {
  if (!Buffer.isBuffer(body) || !verdict?.hasBody(body)) throw bad('Expected the body that was signed.')
  return body.toString()
}

/** Parses the JSON body. Throws a 400 when invalid. */
export function parseParams(text: string): RequestParams {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw bad('Expected a body of JSON.')
  }
  // Trusted shape: signed by a gateway, which sends GraphQL parameters.
  const { query, variables, operationName, extensions } = (body ?? {}) as Record<string, unknown>
  const { grantedScopes } = (extensions ?? {}) as Record<string, unknown>
  if (typeof query !== 'string') throw bad('Expected "query" to be a text.')
  return {
    query,
    // Trusted shape: signed by a gateway, which sends GraphQL parameters.
    variables: (variables ?? {}) as RequestParams['variables'],
    operationName: typeof operationName === 'string' ? operationName : undefined,
    // Trusted, because the signature covers the body.
    ...(areGrants(grantedScopes) && { grantedScopes }),
  }
}

/** Whether these are scopes that a gateway grants. */
export const areGrants = (value: unknown): value is readonly ScopeGrant[] =>
  Array.isArray(value) && value.every((each) => typeof each?.holding === 'string' && Array.isArray(each.scopes))

/** The caller stated in the headers of a signed request, or of one over a multiplexed link. */
export function statedCaller(request: Pick<FastifyRequest, 'id' | 'ip' | 'headers'>): Caller {
  const { 'x-forwarded-for': address, 'x-connected-at': connected } = request.headers
  const connectedAt = typeof connected === 'string' ? new Date(connected) : null
  return {
    ...callerOf(request),
    address: typeof address === 'string' ? address : request.ip,
    ...(connectedAt && !Number.isNaN(connectedAt.getTime()) && { connectedAt }),
  }
}
