import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * What IANA has given out as global unicast; everything else in IPv6 is local, special, or an IPv4
 * address in disguise.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether an address belongs to the public internet. Text that is no address does not. */
export function isPublic(address: string): boolean {
  // ipaddr.js also reads 0x7f.1, and a zone names an interface of this machine.
  if (isIP(address) === 0 || address.includes('%')) return false
  const parsed = ipaddr.parse(address)
  if (parsed.kind() === 'ipv6' && !parsed.match(GLOBAL_UNICAST)) return false
  return parsed.range() === 'unicast'
}
