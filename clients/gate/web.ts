import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, fetch, type Response } from 'undici'
import { failureText } from '../trust/failure.ts'
import { isPublic } from './address.ts'

/** A fetched page, or the reason of the failure. */
export type Fetched =
  | { readonly kind: 'page'; readonly url: string; readonly format: DocumentFormat; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string }
export type DocumentFormat = 'html' | 'text'

export type WebOptions = {
  /** Allows connections to private and loopback addresses. */
  readonly allowPrivate: boolean
  /** Maximum size of a body after decompression. */
  readonly maxBytes: number
  /** Timeout of all redirects and the body together. */
  readonly timeoutMs: number
  /** DNS lookup; default: the system's resolver. */
  readonly lookup?: typeof systemLookup
}

export type Web = {
  /**
   * Follows a redirect when `mayVisit` resolves to null; otherwise fails with the reason it
   * resolves to. Never rejects.
   */
  readonly get: (url: URL, mayVisit: (url: URL) => Promise<string | null>) => Promise<Fetched>
  readonly close: () => Promise<void>
}

const MAX_REDIRECTS = 5

const FORMATS: ReadonlyMap<string, DocumentFormat> = new Map([
  ['text/html', 'html'],
  ['application/xhtml+xml', 'html'],
  ['text/plain', 'text'],
  ['text/markdown', 'text'],
])

/**
 * Fetches untrusted pages with limits on time and size, from public addresses only. The address is
 * checked at connect time, which prevents DNS rebinding.
 */
export function web({ allowPrivate, maxBytes, timeoutMs, lookup = systemLookup }: WebOptions): Web {
  const agent = new Agent({ connect: { lookup: publicLookup(allowPrivate, lookup) } })

  async function hop(url: URL, signal: AbortSignal): Promise<Response> {
    // For a literal IP address no lookup is called, so it is checked here.
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    if (!allowPrivate && isIP(host) !== 0 && !isPublic(host)) throw new PrivateAddress(host)
    return fetch(url, {
      dispatcher: agent,
      redirect: 'manual',
      signal,
      headers: { 'user-agent': 'atrium-gate', accept: [...FORMATS.keys()].join(', ') },
    })
  }

  return {
    async get(start, mayVisit) {
      const signal = AbortSignal.timeout(timeoutMs)
      try {
        let url = start
        for (let redirects = 0; ; redirects += 1) {
          const response = await hop(url, signal)
          const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
          if (location === null) return await pageIn(response, url, maxBytes)
          await response.body?.cancel()
          const next = URL.parse(location, url.href)
          if (next?.protocol !== 'http:' && next?.protocol !== 'https:')
            return failed('It redirects to a URL that is not http(s).')
          if (redirects === MAX_REDIRECTS) return failed(`It redirects more than ${MAX_REDIRECTS} times.`)
          const reason = await mayVisit(next)
          if (reason !== null) return failed(`It redirects to ${next.host}: ${reason}`)
          url = next
        }
      } catch (error) {
        return failed(
          signal.aborted ? `It did not arrive within ${timeoutMs / 1000} s.` : `It cannot be fetched: ${failureText(error)}.`,
        )
      }
    },
    close: () => agent.close(),
  }
}

const failed = (reason: string): Fetched => ({ kind: 'failed', reason })

async function pageIn(response: Response, url: URL, maxBytes: number): Promise<Fetched> {
  const refused = async (reason: string) => {
    await response.body?.cancel()
    return failed(reason)
  }
  if (!response.ok) return refused(`The server answered ${response.status}.`)
  const [type = '', ...parameters] = (response.headers.get('content-type') ?? '').split(';').map((part) => part.trim())
  const format = FORMATS.get(type.toLowerCase())
  if (!format) return refused(type === '' ? 'It has no media type.' : `It is ${type}, which is not read.`)

  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength
    // Returning from `for await` cancels the body.
    if (length > maxBytes) return failed(`It is longer than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  const charset = parameters.map((parameter) => /^charset="?([\w:-]+)"?$/i.exec(parameter)?.[1]).find(Boolean)
  return { kind: 'page', url: url.href, format, text: decoded(Buffer.concat(chunks), charset) }
}

/** Bytes of a page in which its encoding may be declared (HTML, "prescan a byte stream"). */
const PRESCAN_BYTES = 1024

/** Decodes text with the encoding of the header, of the page, or UTF-8. */
export function decoded(bytes: Uint8Array, charset?: string): string {
  const start = Buffer.from(bytes.subarray(0, PRESCAN_BYTES)).toString('latin1')
  const declared = charset ?? /<meta[^>]{1,200}charset\s*=\s*["']?([\w:-]+)/i.exec(start)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(declared).decode(bytes)
  } catch (error) {
    // Unknown encoding label.
    if (error instanceof RangeError) return new TextDecoder().decode(bytes)
    throw error
  }
}

class PrivateAddress extends Error {
  constructor(address: string) {
    super(`${address} is no public address`)
  }
}

/** DNS lookup that fails when any address of the name is not public. */
const publicLookup =
  (allowPrivate: boolean, lookup: typeof systemLookup): LookupFunction =>
  (hostname, options, found) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      const refused = allowPrivate ? undefined : addresses?.find(({ address }) => !isPublic(address))
      const [first] = addresses ?? []
      if (error) found(error, [])
      else if (refused) found(new PrivateAddress(refused.address), [])
      else if (options.all) found(null, addresses)
      else found(null, first?.address ?? '', first?.family)
    })
  }
