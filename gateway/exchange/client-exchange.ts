import type { IncomingHttpHeaders } from 'node:http'
import { isHeaderValue } from '../headers/header-options.ts'
import { headerEntries, type ResponseHeaders } from '../headers/response-rules.ts'

/**
 * The HTTP exchange that carries one operation: what the client sent, and what its response has
 * beside the result. Transports create it; header rules, token sources and hooks read and fill it.
 */
export type ClientExchange = {
  readonly method: string
  /** By name in lower case. */
  readonly headers: IncomingHttpHeaders
  /** Headers of the response; null: none. Transports without a response of their own ignore them. */
  response: ResponseHeaders | null
  /** HTTP status of the response in place of the usual one; null: the usual one. */
  status: number | null
}

export const createClientExchange = (method: string, headers: IncomingHttpHeaders): ClientExchange => ({
  method,
  headers,
  response: null,
  status: null,
})

/** The headers that rules and hooks add to a response. */
export const addedHeaders = ({ response }: ClientExchange): ReturnType<typeof headerEntries> =>
  response === null ? [] : headerEntries(response)

/**
 * The exchange of a WebSocket, whose browsers do not ask before a page of another origin opens it:
 * what the browser adds by itself is then left out.
 */
export function ownExchange(given: IncomingHttpHeaders): ClientExchange {
  const { cookie, authorization, ...others } = given
  const { origin, host } = given
  const isOfOthers = origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host)
  const headers = isOfOthers ? others : given
  return createClientExchange('GET', headers)
}

/** Entries of a `connection_init` that count as headers: pages cannot set any of a WebSocket. */
const MAX_INIT_HEADERS = 50
const MAX_INIT_CHARACTERS = 4_096

/** The exchange with texts of `connection_init` as headers. */
export function withInitHeaders(exchange: ClientExchange, payload: Readonly<Record<string, unknown>>): ClientExchange {
  const given = Object.entries(payload)
    .filter(([name, value]) => /^[\w-]{1,100}$/.test(name) && typeof value === 'string' && value.length <= MAX_INIT_CHARACTERS)
    .slice(0, MAX_INIT_HEADERS)
    // Texts only, by the filter above.
    .map(([name, value]) => [name.toLowerCase(), value as string] as const)
    .filter(([name, value]) => name !== 'connection' && isHeaderValue(value))
  return { ...exchange, headers: { ...exchange.headers, ...Object.fromEntries(given) } }
}
