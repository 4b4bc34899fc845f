import ipaddr from 'ipaddr.js'

/** Where an address leads: to the internet, or into somebody's own network, including ours. */
export type Reach = 'public' | 'private'

/**
 * Ranges of ipaddr.js that lead to the internet. Everything else (loopback, link-local with cloud
 * metadata services, private, carrier NAT, multicast, reserved) does not, and neither do IPv6 forms
 * that carry an IPv4 address (mapped, NAT64, 6to4, Teredo): they are detours to anything.
 */
const PUBLIC = new Set(['unicast'])

/** What can be reached under an address in text form; null when it is none. */
export function reachOf(address: string): Reach | null {
  if (!ipaddr.isValid(address)) return null
  return PUBLIC.has(ipaddr.parse(address).range()) ? 'public' : 'private'
}

/** The canonical text of an IPv6 address (RFC 5952); null when it is none or names a zone. */
export function canonicalIpv6(text: string): string | null {
  if (text.includes('%') || !ipaddr.IPv6.isValid(text)) return null
  return ipaddr.IPv6.parse(text).toRFC5952String()
}

/** The leading 16 bits of an IPv4 address, as a coarse network; null for anything else. */
export const networkOf = (address: string): string | null =>
  ipaddr.IPv4.isValid(address) ? address.split('.', 2).join('.') : null
