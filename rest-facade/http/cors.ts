import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:net'

/** What a browser may ask and read from any page. No credentials are involved, so `*` gives nothing away. */
export const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'If-None-Match, Authorization, *',
  // A day: browsers cap it at two hours or less by themselves.
  'access-control-max-age': '86400',
} as const

/** On every answer. `Vary` belongs here because caches key errors as well. */
const EVERY_ANSWER = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Link, Allow, Retry-After, X-Request-Id',
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
  server.prependListener('request', ({ url = '' }: IncomingMessage, response: ServerResponse) => {
    if (!mounts.some((mount) => url.startsWith(mount) && isEnd(url[mount.length]))) return
    for (const [name, value] of headers) response.setHeader(name, value)
  })
}

const isEnd = (character: string | undefined): boolean => character === undefined || character === '/' || character === '?'
