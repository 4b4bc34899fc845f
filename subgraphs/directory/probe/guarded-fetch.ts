import type { FetchLike } from '@modelcontextprotocol/client'
import { Fault } from '../../../platform/outbound/fault.ts'
import { type GetOptions, type HttpClient, type OutboundResponse, retryAfterOf } from '../../../platform/outbound/http-client.ts'

/** A `fetch` over the guarded connection, and what ended it. */
export type GuardedFetch = {
  readonly fetch: FetchLike
  /** The first fault, which the client of the protocol hides in errors of its own; null without one. */
  readonly fault: () => Fault | null
  /** Whether a server answered 401 or 403. */
  readonly isUnauthorized: () => boolean
  /** Whether its last answer was an error of its own: a status of 500 or more. */
  readonly hasFailed: () => boolean
}

/** Requests of one probe: a page of a list each, and a few to begin. */
const MAX_REQUESTS = 100
/** Statuses that have no body, for which `Response` refuses one. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304])

/** Statuses that say: not now (RFC 6585 §4, RFC 9110 §15.6.3–5). A probe sends nothing more then. */
const NOT_NOW: ReadonlySet<number> = new Set([429, 502, 503, 504])

/**
 * Sends each request through the address policy, with one budget of bytes for all. Follows no
 * redirect, and sends neither credentials nor cookies. `isStream`: GET opens the stream of the older
 * transport; otherwise no stream is opened, because a probe waits for nothing.
 */
export function guardedFetch(
  http: HttpClient,
  { signal: whole, maxBytes, isStream }: { readonly signal: AbortSignal; readonly maxBytes: number; readonly isStream: boolean },
): GuardedFetch {
  let [bytes, requests] = [0, 0]
  let fault: Fault | null = null
  let [isUnauthorized, hasFailed] = [false, false]

  const failed = (error: unknown): unknown => {
    if (error instanceof Fault) fault ??= error
    return error
  }

  return { fetch, fault: () => fault, isUnauthorized: () => isUnauthorized, hasFailed: () => hasFailed }

  async function fetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const method = (init.method ?? 'GET').toUpperCase()
    if (method !== 'POST' && !(method === 'GET' && isStream)) return new Response(null, { status: 405 })
    try {
      requests += 1
      if (requests > MAX_REQUESTS) throw new Fault('too_large', `Expected at most ${MAX_REQUESTS} requests.`)
      const { accept = '*/*', ...headers } = Object.fromEntries(new Headers(init.headers))
      const options: GetOptions = {
        signal: init.signal ? AbortSignal.any([init.signal, whole]) : whole,
        accept,
        maxBytes: maxBytes - bytes,
        headers,
      }
      const response = await sent(method, url, typeof init.body === 'string' ? init.body : '', options)
      if (NOT_NOW.has(response.status)) throw notNow(response)
      hasFailed = response.status >= 500
      isUnauthorized ||= response.status === 401 || response.status === 403
      return responseOf(response)
    } catch (error) {
      throw failed(error)
    }
  }

  async function sent(method: string, url: string | URL, body: string, options: GetOptions): Promise<OutboundResponse> {
    const response = method === 'GET' ? await http.get(String(url), options) : await http.post(String(url), body, options)
    if (response.status < 300 || response.status >= 400) return response
    response.body.destroy()
    throw new Fault('blocked', 'a redirect, which a probe does not follow')
  }

  function notNow(response: OutboundResponse): Fault {
    response.body.on('error', () => {}).destroy()
    return new Fault(
      response.status === 429 ? 'rate_limited' : 'unavailable',
      `The server answers no requests now: status ${response.status}.`,
      { retryAfter: retryAfterOf(response, new Date()) },
    )
  }

  function responseOf({ status, headers, body }: OutboundResponse): Response {
    const { 'content-type': type, 'mcp-session-id': session, 'www-authenticate': _, ...rest } = headers
    void rest
    const wanted = Object.entries({ 'content-type': type, 'mcp-session-id': session }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    )
    if (WITHOUT_BODY.has(status) || status < 200) {
      body.on('error', () => {}).destroy()
      return new Response(null, { status: status < 200 ? 502 : status, headers: wanted })
    }
    return new Response(ReadableStream.from(pieces(body)), { status: Math.min(status, 599), headers: wanted })
  }

  async function* pieces(body: OutboundResponse['body']): AsyncGenerator<Uint8Array> {
    try {
      // A stream without encoding yields buffers.
      for await (const chunk of body as AsyncIterable<Buffer>) {
        bytes += chunk.length
        if (bytes > maxBytes) throw new Fault('too_large', `Expected at most ${maxBytes} bytes.`)
        yield new Uint8Array(chunk)
      }
    } catch (error) {
      throw failed(error)
    } finally {
      body.on('error', () => {}).destroy()
    }
  }
}
