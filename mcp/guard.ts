import { validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from './refuse.ts'

/** Names of this machine, as `Host` and `Origin` spell them. */
const LOCAL = ['localhost', '127.0.0.1', '[::1]']

/** What pages of allowed origins may send and read. */
const PREFLIGHT = {
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers':
    'content-type, accept, authorization, x-api-key, x-login-key, x-auth-token, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id, traceparent, tracestate',
  'access-control-max-age': '86400',
}

/** Under which names this server is reached, and whose pages may use it. */
export type HostOptions = {
  /** Where clients reach it: its host name and its own origin are always ours. */
  readonly publicUrl: string
  /** Further host names, and those of pages that may use it. */
  readonly hosts: readonly string[]
  /**
   * Whether only this machine reaches it. Names of this machine are ours then only: elsewhere they
   * are whoever's machine the browser or proxy is on.
   */
  readonly isOnLoopback: boolean
}

/**
 * Refuses requests that a web page of somebody else may have sent: with an `Origin` that is not
 * ours, or under a name that is not ours but was made to lead here (DNS rebinding). Answers
 * preflights of pages that are allowed.
 */
export function guard({ publicUrl, hosts, isOnLoopback }: HostOptions) {
  const { hostname, origin: ownOrigin } = new URL(publicUrl)
  const further = [...(isOnLoopback ? LOCAL : []), ...hosts]
  const allowed = [...new Set([hostname, ...further])]
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const { host, origin } = request.headers
    reply.header('cache-control', 'no-store').header('vary', 'Origin')
    const name = validateHostHeader(host, allowed)
    if (!name.ok) {
      const hint = 'If this is your server, set PUBLIC_URL to the address that clients use, or add its host name to MCP_HOSTS.'
      return refuse(reply, 403, `Expected the host ${allowed.join(' or ')}, got ${quoted(name.hostname ?? host)}. ${hint}`)
    }
    if (origin !== ownOrigin && !validateOriginHeader(origin, further).ok) {
      const hint = 'If this page is yours, add its host name to MCP_HOSTS.'
      return refuse(
        reply,
        403,
        `Expected no origin, or one of ${[ownOrigin, ...further].join(', ')}, got ${quoted(origin)}. ${hint}`,
      )
    }
    if (origin !== undefined) {
      reply.header('access-control-allow-origin', origin)
      reply.header('access-control-expose-headers', 'www-authenticate, retry-after, ratelimit, ratelimit-policy, x-request-id')
    }
    return request.method === 'OPTIONS' ? reply.code(204).headers(PREFLIGHT).send() : undefined
  }
}

const quoted = (header: string | undefined): string => JSON.stringify((header ?? '').slice(0, 100).toWellFormed())
