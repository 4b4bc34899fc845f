import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Ranges outside the public internet: IANA's IPv4 and IPv6 special-purpose registries, multicast,
 * and IPv6 forms that embed an IPv4 address. The latter are refused entirely: an unknown translator
 * decides where they lead.
 */
export const SPECIAL_RANGES: readonly (readonly [cidr: string, name: string])[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared (carrier-grade NAT)'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'protocol assignments'],
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'AS112'],
  ['192.52.193.0/24', 'AMT'],
  ['192.88.99.0/24', '6to4 relay'],
  ['192.168.0.0/16', 'private'],
  ['192.175.48.0/24', 'AS112'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['2001::/23', 'protocol assignments, Teredo'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'AS112'],
  ['3fff::/20', 'documentation'],
]

/**
 * IANA's global unicast. Outside: ::1, ::ffff:0:0/96, 64:ff9b::/96, 100::/64, 5f00::/16, fc00::/7,
 * fe80::/10 and ff00::/8.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

const RANGES = SPECIAL_RANGES.map(([cidr, name]) => ({ range: ipaddr.parseCIDR(cidr), name }))

/** Why this address must not be connected to; null for a public address. Other text is refused. */
export function specialRange(address: string): string | null {
  // ipaddr.js also parses 0x7f.1 and 2130706433; a zone names a local interface.
  if (isIP(address) === 0 || address.includes('%')) return 'not an address'
  const parsed = ipaddr.parse(address)
  const found = RANGES.find(({ range }) => range[0].kind() === parsed.kind() && parsed.match(range))
  if (found) return found.name
  if (parsed.kind() === 'ipv6' && !parsed.match(GLOBAL_UNICAST)) return 'outside of global unicast'
  // The library's own range list, which may be newer than ours.
  return parsed.range() === 'unicast' ? null : parsed.range()
}

/** Whether the text is an IPv4 or IPv6 address rather than a name. */
export const isAddress = (text: string): boolean => isIP(text) !== 0

/** Whether the text is a network in CIDR notation, such as `10.0.0.0/8` or `fd00::/8`. */
export const isNetwork = (text: string): boolean => ipaddr.isValidCIDR(text) && isAddress(text.split('/', 1)[0] ?? '')

/** Whether an address lies in one of these networks. */
export function withinAny(networks: readonly string[]): (address: string) => boolean {
  const ranges = networks.map((network) => ipaddr.parseCIDR(network))
  return (address) => {
    if (!isAddress(address) || address.includes('%')) return false
    const parsed = ipaddr.parse(address)
    return ranges.some((range) => range[0].kind() === parsed.kind() && parsed.match(range))
  }
}
