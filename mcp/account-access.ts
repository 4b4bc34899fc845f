import type { FastifyReply } from 'fastify'
import type { Caller } from '../platform/http/caller.ts'
import type { RateLimitStore } from '../platform/rate-limit/rate-limit-store.ts'
import { refuse } from './refuse.ts'
import type { AccountIdentity, ToolServer } from './tool-server.ts'

/** Authentication and rate limit of one server. */
export type AccountAccess = {
  /**
   * The account of a caller; `anybody` without an access policy; `refused` when the refusal was
   * sent already.
   */
  readonly authenticate: (caller: Caller, reply: FastifyReply) => Promise<AccountIdentity | 'anybody' | 'refused'>
  /** Sends 403 with the scopes that a tool call needs and the token lacks. */
  readonly refuseScopes: (reply: FastifyReply, scopes: readonly string[], message: string) => FastifyReply
}

export function accountAccess(
  server: ToolServer,
  { publicUrl, rateLimits }: { readonly publicUrl: string; readonly rateLimits: RateLimitStore },
): AccountAccess {
  const { accessPolicy } = server
  const take = accessPolicy && rateLimits.buckets(`tools of ${server.name}`, accessPolicy.perMinute)

  return {
    authenticate,
    refuseScopes: (reply, scopes, message) =>
      refuse(reply.header('www-authenticate', challenge('insufficient_scope', scopes)), 403, message),
  }

  async function authenticate(caller: Caller, reply: FastifyReply): Promise<AccountIdentity | 'anybody' | 'refused'> {
    if (!accessPolicy || !take) return 'anybody'
    const identity = await accessPolicy.accountOf(caller)
    if ('refusal' in identity) {
      const { status, message, headers = {} } = identity.refusal
      reply.headers(headers)
      const hasToken = /^Bearer /i.test(caller.credentials.authorization ?? '')
      if (status === 401) reply.header('www-authenticate', challenge(hasToken ? 'invalid_token' : null, accessPolicy.scopes))
      refuse(reply, status, status === 401 && server.signIn ? `${message} ${server.signIn}` : message)
      return 'refused'
    }
    const { isGranted, left, fullInSeconds, waitSeconds } = await take(identity.account, 1)
    reply.header('ratelimit-policy', `"requests";q=${accessPolicy.perMinute};w=60`)
    reply.header('ratelimit', `"requests";r=${left};t=${fullInSeconds}`)
    if (isGranted) return identity
    reply.header('retry-after', String(waitSeconds))
    refuse(reply, 429, `Expected at most ${accessPolicy.perMinute} requests a minute: try again in ${waitSeconds} seconds.`)
    return 'refused'
  }

  /**
   * WWW-Authenticate challenge: URL of the OAuth metadata (RFC 9728 §5.1), the scopes to request,
   * and what was wrong with the token (RFC 6750 §3.1).
   */
  function challenge(error: 'invalid_token' | 'insufficient_scope' | null, scopes: readonly string[]): string {
    const metadata = `resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp/${server.name}"`
    return `Bearer ${[...(error ? [`error="${error}"`] : []), metadata, `scope="${scopes.join(' ')}"`].join(', ')}`
  }
}
