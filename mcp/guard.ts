import { validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from './refuse.ts'

/** Host names of the loopback interface, as in `Host` and `Origin`. */
const LOCAL = ['localhost', '127.0.0.1', '[::1]']

/** CORS headers for pages of allowed origins. */
const PREFLIGHT = {
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers':
    'content-type, accept, authorization, x-api-key, x-login-key, x-auth-token, x-store-code, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id, traceparent, tracestate',
  'access-control-max-age': '86400',
}

/** Accepted host names and origins. */
export type HostOptions = {
  /** Public URL: its host and origin are always accepted. */
  readonly publicUrl: string
  /** Further host names to accept, for the server and for origins of web pages. */
  readonly hosts: readonly string[]
  /**
   * Whether the server listens on loopback only. Then loopback names are accepted; on a public
   * server they would name the machine of the browser or proxy.
   */
  readonly isOnLoopback: boolean
}

/**
 * Refuses cross-site requests: an `Origin` or `Host` that is not accepted, the latter against DNS
 * rebinding. Answers CORS preflights of accepted origins.
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
