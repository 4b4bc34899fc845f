import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:net'

/** What a browser may ask and read from any page. Nothing that it would send by itself is a credential here, so `*` gives nothing away. */
export const preflight = (methods: readonly string[]): Readonly<Record<string, string>> => ({
  'access-control-allow-methods': methods.join(', '),
  // `*` does not stand for Authorization.
  'access-control-allow-headers': 'If-None-Match, Authorization, *',
  // A day: browsers cap it at two hours or less by themselves.
  'access-control-max-age': '86400',
})

/** On every answer. `Vary` belongs here because caches key errors as well. */
const EVERY_ANSWER = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Link, Allow, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id',
  'X-Content-Type-Options': 'nosniff',
  Vary: 'Accept-Encoding',
} as const

/**
 * Sets these headers and those of the facade on every answer below `mounts`. In front of the HTTP framework and not as one of
 * its hooks: it answers a path that it cannot decode before any hook runs, and a browser should be able to read that too.
 */
export function setHeadersOfEveryAnswer(
  server: Server,
  mounts: readonly string[],
  ofFacade: Readonly<Record<string, string>>,
): void {
  const headers = Object.entries({ ...EVERY_ANSWER, ...ofFacade })
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
  const mount = longestAround(url, mountsOf.get(server) ?? [])
  return mount !== undefined && mounts.includes(mount)
}

/** Whether a facade of this server answers at this very mount already. */
export const isTaken = (server: Server, mount: string): boolean => mountsOf.get(server)?.includes(mount) === true

/** One facade may be mounted below another: `/api/v1` below `/api`. */
const mountsOf = new WeakMap<Server, string[]>()

function longestAround(url: string, mounts: readonly string[]): string | undefined {
  let longest: string | undefined
  for (const mount of mounts) {
    if (url.startsWith(mount) && isEnd(url[mount.length]) && mount.length > (longest?.length ?? -1)) longest = mount
  }
  return longest
}

const isEnd = (character: string | undefined): boolean => character === undefined || character === '/' || character === '?'
