import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * IANA's global unicast block; other IPv6 addresses are local, reserved, or embed an IPv4 address.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether text is a public IP address; false for other text. */
export function isPublic(address: string): boolean {
  // Strict parsing first: ipaddr.js also accepts forms like 0x7f.1. An IPv6 zone (%) is local.
  if (isIP(address) === 0 || address.includes('%')) return false
  const parsed = ipaddr.parse(address)
  if (parsed.kind() === 'ipv6' && !parsed.match(GLOBAL_UNICAST)) return false
  return parsed.range() === 'unicast'
}
