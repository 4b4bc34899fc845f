import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Agent, buildConnector } from 'undici'
import { isAddress } from './address-policy.ts'
import { connectTo, resolveAddresses } from './addresses.ts'
import type { DnsClient } from './dns-client.ts'
import { Fault, faultOf } from './fault.ts'
import type { Network } from './safe-connect.ts'

/** A response of an external server. */
export type OutboundResponse = {
  readonly status: number
  /** Lower-case names; a repeated header is joined. */
  readonly headers: Readonly<Record<string, string>>
  /** URL of the response, after redirects. */
  readonly url: string
  /**
   * The decoded body stream; fails with `too_large` over the byte limit. Must be read or destroyed.
   */
  readonly body: Readable
}

export type GetOptions = {
  readonly signal: AbortSignal
  readonly accept: string
  readonly maxBytes: number
  readonly headers?: Readonly<Record<string, string>>
}

export type HttpOptions = {
  readonly userAgent: string
  /** Most redirects; 2 when absent. */
  readonly maxRedirects?: number
  /** Whether http:// is allowed; false when absent. */
  readonly isPlainAllowed?: boolean
  /** Most connections to one origin; 10 when absent. */
  readonly connections?: number
}

export type HttpClient = {
  /**
   * Follows redirects and checks each address. `authorization` goes to the first origin only.
   * Throws a `Fault`.
   */
  readonly get: (url: string, options: GetOptions) => Promise<OutboundResponse>
  /**
   * Follows no redirects, because a body is for one address: returns them as responses. Throws a
   * `Fault`.
   */
  readonly post: (url: string, body: string, options: GetOptions) => Promise<OutboundResponse>
  /**
   * Status and headers only: sends HEAD, and GET where a server does not support HEAD, whose body
   * is not read. Follows no redirects, closes the connection. Throws a `Fault`.
   */
  readonly head: (url: string, signal: AbortSignal) => Promise<Pick<OutboundResponse, 'status' | 'headers'>>
  readonly close: () => Promise<void>
}

type LoadedClient = { readonly agent: Agent; readonly request: typeof import('./undici.ts').request }

/** Connect time limit: a later connection is too late for any decision. */
const CONNECT_TIMEOUT_MS = 5_000
const MAX_HEADER_BYTES = 16_384
/** Statuses of servers without HEAD: not allowed, not implemented, and others in use. */
const WITHOUT_HEAD: ReadonlySet<number> = new Set([400, 403, 405, 501])

/**
 * Requests with the built-in certificate authorities. Resolves each host with our own client, once
 * per connection, and checks all its addresses. No proxies, cookies or credentials.
 */
export function httpClient(
  network: Network,
  dns: DnsClient,
  { userAgent, maxRedirects: redirects = 2, isPlainAllowed = false, connections = 10 }: HttpOptions,
): HttpClient {
  let opening: Promise<LoadedClient> | null = null
  let isClosed = false

  return {
    async get(start, options) {
      const { origin } = parseUrl(start)
      let url = parseUrl(start)
      for (let hop = 0; ; hop += 1) {
        // Credentials go to the first origin only.
        const { authorization, ...others } = options.headers ?? {}
        const headers = authorization !== undefined && url.origin === origin ? { ...others, authorization } : others
        const { response, location } = await send(url, { ...options, headers })
        if (location === null) return response
        response.body.destroy()
        if (hop === redirects) throw new Fault('blocked', `more than ${redirects} redirects`)
        url = parseUrl(location, url)
      }
    },
    post: async (start, body, options) => (await send(parseUrl(start), options, { method: 'POST', body })).response,
    head: (start, signal) => headersOf(parseUrl(start), signal, send),
    async close() {
      isClosed = true
      await (await opening)?.agent.destroy()
    },
  }

  /** Loads undici on first use: that takes 0.1 s and more, and most starts make no request soon. */
  function opened(): Promise<LoadedClient> {
    if (isClosed) throw new Fault('unavailable', 'this process is ending')
    opening ??= import('./undici.ts').then(({ Agent, request }) => {
      const agent = new Agent({
        connect: connector(network, dns),
        connections,
        maxHeaderSize: MAX_HEADER_BYTES,
        pipelining: 1,
      })
      return { agent, request }
    })
    return opening
  }

  /** One request; `location` is the redirect target, null without one. */
  async function send(
    url: URL,
    { signal, accept, maxBytes, headers = {} }: GetOptions,
    how: { readonly method: 'GET' | 'HEAD' | 'POST'; readonly body?: string; readonly reset?: boolean } = { method: 'GET' },
  ): Promise<{ readonly response: OutboundResponse; readonly location: string | null }> {
    assertScheme(url)
    const { agent, request } = await opened()
    const {
      statusCode,
      headers: responseHeaders,
      body,
    } = await request(url, {
      dispatcher: agent,
      signal,
      ...how,
      headers: { accept, 'accept-encoding': 'identity', 'user-agent': userAgent, ...headers },
    }).catch((error: unknown) => {
      throw faultOf(error)
    })
    const plain = Object.fromEntries(
      Object.entries(responseHeaders).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
    )
    const isRedirect = [301, 302, 303, 307, 308].includes(statusCode) && typeof responseHeaders.location === 'string'
    return {
      response: {
        status: statusCode,
        headers: plain,
        url: url.href,
        body: isRedirect ? body.on('error', () => {}) : bounded(body, plain['content-encoding'] ?? 'identity', maxBytes),
      },
      location: isRedirect ? String(responseHeaders.location) : null,
    }
  }

  function assertScheme(url: URL): void {
    if (url.protocol === 'https:') return
    if (url.protocol === 'http:') {
      if (isPlainAllowed) return
      const address = url.hostname.replace(/^\[|\]$/g, '')
      if (isAddress(address) && network.allowsPlainHttp({ address, port: Number(url.port || 80) })) return
    }
    throw new Fault('blocked', `Expected ${isPlainAllowed ? 'http or ' : ''}https, got ${url.protocol}`)
  }
}

type Send = (
  url: URL,
  options: GetOptions,
  how: { readonly method: 'GET' | 'HEAD'; readonly reset: true },
) => Promise<{ readonly response: OutboundResponse }>

/** HEAD, or GET without reading the body; the connection is closed after it. */
async function headersOf(url: URL, signal: AbortSignal, send: Send): Promise<OutboundResponse> {
  const request = async (method: 'HEAD' | 'GET') => {
    const { response } = await send(url, { signal, accept: '*/*', maxBytes: 0 }, { method, reset: true })
    response.body.on('error', () => {}).destroy()
    return response
  }
  const response = await request('HEAD')
  return WITHOUT_HEAD.has(response.status) ? request('GET') : response
}

function parseUrl(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw new Fault('malformed', 'an invalid URL')
  const url = new URL(text, base?.href)
  if (url.username !== '' || url.password !== '') throw new Fault('blocked', 'an address with a user in it')
  return url
}

function connector(network: Network, dns: DnsClient): buildConnector.connector {
  return (options, callback) => {
    open(options).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(faultOf(error), null),
    )
  }

  async function open({ hostname, port, protocol }: buildConnector.Options) {
    const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MS)
    const host = hostname.replace(/^\[|\]$/g, '')
    const literal = { a: [host], aaaa: [] }
    const addresses = isAddress(host) ? literal : await resolveAddresses(dns, host, signal)
    const socket = await connectTo(network, addresses, Number(port) || (protocol === 'https:' ? 443 : 80), signal)
    if (protocol !== 'https:') return socket
    const { authorities } = network
    const options = { servername: isAddress(host) ? '' : host, host, ...(authorities ? { ca: [...authorities] } : {}) }
    return network.handshake(socket, options, signal)
  }
}

/**
 * The decoded body; ends with `malformed` for an unrequested coding, and with `too_large` after
 * `maxBytes`, so that a small answer cannot expand into a huge one.
 */
function bounded(body: Readable, coding: string, maxBytes: number): Readable {
  async function* pieces(): AsyncGenerator<Buffer> {
    const source = coding === 'gzip' ? body.compose(createGunzip()) : body
    let bytes = 0
    try {
      if (coding !== 'identity' && coding !== 'gzip') throw new Fault('malformed', `Expected no content coding, got ${coding}`)
      // A stream without encoding yields buffers.
      for await (const chunk of source as AsyncIterable<Buffer>) {
        bytes += chunk.length
        if (bytes > maxBytes) throw new Fault('too_large', `Expected at most ${maxBytes} bytes.`)
        yield chunk
      }
    } catch (error) {
      throw error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
        ? new Fault('malformed', 'a body that does not decompress', { cause: error })
        : faultOf(error)
    } finally {
      body.on('error', () => {}).destroy()
    }
  }
  return Readable.from(pieces(), { objectMode: false })
}

/** The whole body as JSON. Throws `malformed` when it is not. */
export async function readJson({ body }: OutboundResponse): Promise<unknown> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of body) chunks.push(chunk)
  } catch (error) {
    throw faultOf(error)
  }
  try {
    return JSON.parse(
      Buffer.concat(chunks)
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    )
  } catch (cause) {
    throw new Fault('malformed', 'Expected JSON', { cause })
  }
}

/**
 * Seconds from a `Retry-After`, which may be a number or a date; null without a readable one. At
 * most a day.
 */
export function retryAfterOf({ headers }: Pick<OutboundResponse, 'headers'>, now: Date): number | null {
  const text = headers['retry-after']
  if (text === undefined) return null
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - now.getTime()) / 1000)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 86_400) : null
}

/** The fault that a status other than 2xx, 304 and 404 stands for. */
export function statusFault(response: OutboundResponse, now: Date): Fault {
  response.body.destroy()
  if (response.status === 429) return new Fault('rate_limited', 'too many requests', { retryAfter: retryAfterOf(response, now) })
  return new Fault('unavailable', `status ${response.status}`, { retryAfter: retryAfterOf(response, now) })
}
