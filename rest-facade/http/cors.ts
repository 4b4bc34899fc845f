import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:net'

/**
 * CORS for any origin. Browsers attach no credentials of this API by themselves, so `*` exposes
 * nothing.
 */
export const preflight = (methods: readonly string[]): Readonly<Record<string, string>> => ({
  'access-control-allow-methods': methods.join(', '),
  // `*` does not stand for Authorization.
  'access-control-allow-headers': 'If-None-Match, Authorization, *',
  // Seconds: a day. Browsers cap it at two hours or less.
  'access-control-max-age': '86400',
})

/** Headers of every response. `Vary` as well, because caches key errors too. */
const RESPONSE_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Link, Allow, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id',
  'X-Content-Type-Options': 'nosniff',
  Vary: 'Accept-Encoding',
} as const

/**
 * Sets these headers and those of the facade on every response below `mounts`. As a listener of the
 * server, not a hook of Fastify, which answers paths that it cannot decode before any hook runs:
 * browsers should be able to read that response, too.
 */
export function setResponseHeaders(server: Server, mounts: readonly string[], ofFacade: Readonly<Record<string, string>>): void {
  const headers = Object.entries({ ...RESPONSE_HEADERS, ...ofFacade })
  const served = mountsOf.get(server) ?? []
  served.push(...mounts)
  mountsOf.set(server, served)
  server.prependListener('request', ({ url = '' }: IncomingMessage, response: ServerResponse) => {
    if (!isBelow(server, url, mounts)) return
    for (const [name, value] of headers) response.setHeader(name, value)
  })
}

/** Whether a path belongs to the facade with these mounts, and not to one that is mounted below. */
export function isBelow(server: Server, url: string, mounts: readonly string[]): boolean {
  const mount = maxAround(url, mountsOf.get(server) ?? [])
  return mount !== undefined && mounts.includes(mount)
}

/** Whether a facade of this server has this mount already. */
export const isTaken = (server: Server, mount: string): boolean => mountsOf.get(server)?.includes(mount) === true

/** One facade may be mounted below another: `/api/v1` below `/api`. */
const mountsOf = new WeakMap<Server, string[]>()

function maxAround(url: string, mounts: readonly string[]): string | undefined {
  let max: string | undefined
  for (const mount of mounts) {
    if (url.startsWith(mount) && isEnd(url[mount.length]) && mount.length > (max?.length ?? -1)) max = mount
  }
  return max
}

const isEnd = (character: string | undefined): boolean => character === undefined || character === '/' || character === '?'
