import { createHash } from 'node:crypto'
import { boundedCache } from '../../../platform/collections/bounded-cache.ts'
import { isAddress } from '../../../platform/outbound/address-policy.ts'
import { deadline } from '../../../platform/outbound/deadline.ts'
import { Fault, faultOf } from '../../../platform/outbound/fault.ts'
import type { HttpClient } from '../../../platform/outbound/http-client.ts'
import type { Slots } from '../../../platform/outbound/slots.ts'
import type { RedirectChain } from '../evidence.ts'

/** Redirects that are followed of one URL; honest chains of shorteners have two or three. */
const MAX_REDIRECTS = 5
/** Time for the whole chain: the evidence about its hosts is collected after it. Milliseconds. */
const CHAIN_TIMEOUT_MS = 1_200
/** Longest URL that is followed, as of targets. */
const MAX_URL_LENGTH = 2_048
/** How long callers share an answer, so that a shortener is not queried repeatedly. */
const SHARED_MS = 60_000
const MAX_SHARED_CHAINS = 1_000

/** URLs that a URL forwards to, in order, and how following them ended. */
export type RedirectTrail = { readonly end: RedirectChain['end']; readonly urls: readonly string[] }

/** Follows the redirects of an http(s) URL. Never rejects. */
export type FollowRedirects = (url: string) => Promise<RedirectTrail>

export type RedirectParts = {
  /** Allows plain HTTP, as web pages are read. */
  readonly http: HttpClient
  readonly slots: Slots
  /** Ends everything. */
  readonly ended: AbortSignal
  /** Time for a whole chain, in milliseconds; the default when absent. */
  readonly timeoutMs?: number
}

/**
 * Sends no credentials, cookies or referrer, reads headers only, and connects to public addresses
 * on web ports only, at every hop. Trails are stored by the hash of their URL.
 */
export function createRedirectFollower(parts: RedirectParts): FollowRedirects {
  const shared = boundedCache<{ readonly trail: Promise<RedirectTrail>; readonly until: number }>({
    maxEntries: MAX_SHARED_CHAINS,
    maxCharacters: 1_000_000,
  })
  return (url) => {
    const key = createHash('sha256').update(url).digest('hex')
    const known = shared.get(key)
    if (known && known.until > performance.now()) return known.trail
    const trail = followRedirects(url, parts)
    shared.set(key, { trail, until: performance.now() + SHARED_MS })
    return trail
  }
}

async function followRedirects(
  start: string,
  { http, slots, ended, timeoutMs = CHAIN_TIMEOUT_MS }: RedirectParts,
): Promise<RedirectTrail> {
  const { signal, clear } = deadline(timeoutMs, ended)
  const urls: string[] = []
  const seen = new Set<string>()
  try {
    for (let url = webUrl(start); ; urls.push(url.href)) {
      if (seen.has(url.href)) return { end: 'loop', urls }
      seen.add(url.href)
      const location = await nextLocation(url)
      if (location === null) return { end: 'answered', urls }
      if (urls.length === MAX_REDIRECTS) return { end: 'too_many', urls }
      url = webUrl(location, url)
    }
  } catch (error) {
    return { end: ENDS[faultOf(error).reason] ?? 'failed', urls }
  } finally {
    clear()
  }

  /** Where a URL redirects to; null where it does not. */
  async function nextLocation({ href, hostname }: URL): Promise<string | null> {
    // Our own name server may know names of our own network.
    if (!isAddress(hostname.replace(/^\[|\]$/g, '')) && !hostname.includes('.'))
      throw new Fault('blocked', 'a name without a dot')
    const { status, headers } = await slots.run(hostname, signal, () => http.head(href, signal))
    return REDIRECTS.has(status) ? (headers.location ?? null) : null
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const ENDS: Readonly<Partial<Record<Fault['reason'], RedirectChain['end']>>> = {
  blocked: 'blocked',
  timeout: 'timeout',
  no_capacity: 'timeout',
}

/** Without a fragment, which servers do not get. Throws a `Fault` for other schemes. */
function webUrl(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw new Fault('malformed', 'Expected a URL')
  const url = new URL(text, base?.href)
  url.hash = ''
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Fault('blocked', `Expected http(s), got ${url.protocol}`)
  if (url.href.length > MAX_URL_LENGTH) throw new Fault('malformed', `Expected at most ${MAX_URL_LENGTH} characters`)
  return url
}
