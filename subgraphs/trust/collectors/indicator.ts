import { getPublicSuffix } from 'tldts'
import { isAddress, specialRange } from '../../../platform/outbound/address-policy.ts'
import type { FeedHit } from '../evidence.ts'
import { urlKeysOf } from '../url-key.ts'
import { asText } from './untrusted-json.ts'

/** What one entry of a threat feed is about. */
export type Indicator = {
  readonly key: string
  readonly scope: FeedHit['scope']
  readonly indicator: string
  /** Hashes of a URL and of its user (`url-key.ts`); null where the entry is no URL. */
  readonly urlKey: string | null
  readonly tenantKey: string | null
}

/** Most characters of an entry that are stored, and of a URL that are hashed. */
const MAX_INDICATOR_LENGTH = 512
const MAX_URL_LENGTH = 2_048

/**
 * Reads a URL, a host, an address with or without a port, or a wildcard, defanged (`hxxp`, `[.]`)
 * or not. Null for other text, and for entries that would match too much: a public suffix such as
 * `com` or `github.io`, a name without a dot, a private address.
 */
export function parseIndicator(text: string): Indicator | null {
  const indicator = asText(text, MAX_INDICATOR_LENGTH)
  if (indicator === null) return null
  const plain = refanged(asText(text, MAX_URL_LENGTH) ?? '')
  const isWildcard = /^(?:https?:\/\/)?\*\./i.test(plain)
  const bare = plain.replace(/\*\./, '')
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(bare) ? bare : `http://${bare}`
  if (!URL.canParse(address)) return null
  const url = new URL(address)
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (isAddress(host)) return specialRange(host) === null ? entryAbout(host, scopeOf(url)) : null
  if (!/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/.test(host) || host.length > 253) return null
  const scope = isWildcard ? 'domain' : scopeOf(url)
  const isSuffix = getPublicSuffix(host, { allowPrivateDomains: true }) === host
  return isSuffix && scope !== 'url' ? null : entryAbout(host, scope)

  function entryAbout(key: string, scope: Indicator['scope']): Indicator {
    const keys = scope === 'url' ? urlKeysOf(key, portOf(url), url.pathname + url.search) : null
    return { key, scope, indicator: indicator ?? '', urlKey: keys?.keys[0] ?? null, tenantKey: keys?.tenantKey ?? null }
  }
}

/** Text that was defanged so that nobody follows it (`hxxps://evil[.]example`), as it was. */
export const refanged = (text: string): string =>
  text
    .replace(/^hxxp/i, 'http')
    .replace(/\[:\]/g, ':')
    .replace(/[[({]\s*(?:\.|dot)\s*[\])}]/gi, '.')

const portOf = ({ port }: URL): number | null => (port === '' ? null : Number(port))

/** A listed root of a host lists the host. */
const scopeOf = ({ pathname, search }: URL): 'host' | 'url' => (pathname === '/' && search === '' ? 'host' : 'url')
