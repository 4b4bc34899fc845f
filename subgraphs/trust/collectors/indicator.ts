import { getPublicSuffix } from 'tldts'
import { isAddress, specialRange } from '../../../platform/outbound/address-policy.ts'
import type { FeedHit } from '../evidence.ts'
import { asText } from './untrusted-json.ts'

/** What one entry of a threat feed is about. */
export type Indicator = { readonly key: string; readonly scope: FeedHit['scope']; readonly indicator: string }

/** As much of an entry as is kept. */
const MAX_INDICATOR_LENGTH = 512

/**
 * Reads a URL, a host, an address with or without a port, or a wildcard, defanged (`hxxp`, `[.]`)
 * or not. Null for what is none of these, and for what would list half of the world: a public
 * suffix such as `com` or `github.io`, a name without a dot, an address that is not public.
 */
export function parseIndicator(text: string): Indicator | null {
  const indicator = asText(text, MAX_INDICATOR_LENGTH)
  if (indicator === null) return null
  const plain = indicator
    .replace(/^hxxp/i, 'http')
    .replace(/\[:\]/g, ':')
    .replace(/[[({]\s*(?:\.|dot)\s*[\])}]/gi, '.')
  const isWildcard = /^(?:https?:\/\/)?\*\./i.test(plain)
  const bare = plain.replace(/\*\./, '')
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(bare) ? bare : `http://${bare}`
  if (!URL.canParse(address)) return null
  const url = new URL(address)
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (isAddress(host)) return specialRange(host) === null ? { key: host, scope: scopeOf(url), indicator } : null
  if (!/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/.test(host) || host.length > 253) return null
  const scope = isWildcard ? 'domain' : scopeOf(url)
  const isSuffix = getPublicSuffix(host, { allowPrivateDomains: true }) === host
  return isSuffix && scope !== 'url' ? null : { key: host, scope, indicator }
}

/** Who lists the root of a host lists the host. */
const scopeOf = ({ pathname, search }: URL): 'host' | 'url' => (pathname === '/' && search === '' ? 'host' : 'url')
