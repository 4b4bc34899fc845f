import type { IncomingHttpHeaders } from 'node:http'
import { isHeaderValue } from '../headers/header-options.ts'
import { headerEntries, type ResponseHeaders } from '../headers/response-rules.ts'

/**
 * HTTP side of one operation: request headers, and response headers and status beside the
 * result. Created by transports; header rules, token sources and hooks read and change it.
 */
export type HttpContext = {
  readonly method: string
  /** Request headers by lower-case name. */
  readonly headers: IncomingHttpHeaders
  /** Response headers; null for none. Ignored by transports without a response per operation. */
  response: ResponseHeaders | null
  /** HTTP status that replaces the default; null: the default. */
  status: number | null
}

export const createHttpContext = (method: string, headers: IncomingHttpHeaders): HttpContext => ({
  method,
  headers,
  response: null,
  status: null,
})

/** Response headers added by rules and hooks. */
export const addedHeaders = ({ response }: HttpContext): ReturnType<typeof headerEntries> =>
  response === null ? [] : headerEntries(response)

/**
 * HTTP context of a WebSocket without cookies and Authorization: browsers send them cross-origin
 * without a preflight.
 */
export function createWebSocketContext(given: IncomingHttpHeaders): HttpContext {
  const { cookie, authorization, ...others } = given
  return createHttpContext('GET', isCrossOrigin(given) ? others : given)
}

/** Whether a page of another origin sent the request. */
export const isCrossOrigin = ({ origin, host }: IncomingHttpHeaders): boolean =>
  origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host)

/**
 * Upper bound of `connection_init` entries used as headers, because pages cannot set WebSocket
 * headers.
 */
const MAX_INIT_HEADERS = 50
const MAX_INIT_CHARACTERS = 4_096

/** Adds string entries of `connection_init` as headers. */
export function withInitHeaders(http: HttpContext, payload: Readonly<Record<string, unknown>>): HttpContext {
  const given = Object.entries(payload)
    .filter(([name, value]) => /^[\w-]{1,100}$/.test(name) && typeof value === 'string' && value.length <= MAX_INIT_CHARACTERS)
    .slice(0, MAX_INIT_HEADERS)
    // The filter above keeps strings only.
    .map(([name, value]) => [name.toLowerCase(), value as string] as const)
    .filter(([name, value]) => name !== 'connection' && isHeaderValue(value))
  return { ...http, headers: { ...http.headers, ...Object.fromEntries(given) } }
}
