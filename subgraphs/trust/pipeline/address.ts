import ipaddr from 'ipaddr.js'
import { specialRange } from '../../../platform/outbound/address-policy.ts'

/** Destination of an address: the internet, or a private network, including ours. */
export type Reach = 'public' | 'private'

/**
 * What can be reached under an address in text form; null when it is none. `specialRange` decides,
 * as it does for connections: loopback, link-local with cloud metadata services, private, carrier
 * NAT, multicast, reserved, and IPv6 forms that carry an IPv4 address (mapped, compatible, NAT64,
 * 6to4, Teredo), which are detours to anything.
 */
export function reachOf(address: string): Reach | null {
  if (!ipaddr.isValid(address)) return null
  return specialRange(address) === null ? 'public' : 'private'
}

/** RFC 6052 §2.1: the prefix under which a DNS64 resolver answers for names without IPv6. */
const NAT64_PREFIX = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/**
 * Whether an address in a DNS answer is in a private network. An address of a DNS64 resolver is
 * judged by the embedded IPv4 address; text that is no address is private.
 */
export function isPrivateAnswer(address: string): boolean {
  const v4 = ipaddr.IPv6.isValid(address) ? embeddedIn(ipaddr.IPv6.parse(address)) : null
  return specialRange(v4 ?? address) !== null
}

const embeddedIn = (address: ipaddr.IPv6): string | null =>
  address.match(NAT64_PREFIX) ? address.toByteArray().slice(-4).join('.') : null

/** Ranges of ipaddr.js that engines before 3 took for the internet. */
const PUBLIC_BEFORE_ENGINE_3 = new Set(['unicast'])

/** `isPrivateAnswer` as engines before 3 saw it, for replays. */
export const isPrivateAnswerBeforeEngine3 = (address: string): boolean =>
  !ipaddr.isValid(address) || !PUBLIC_BEFORE_ENGINE_3.has(ipaddr.parse(address).range())

/** The canonical text of an IPv6 address (RFC 5952); null for other text, or with a zone. */
export function canonicalIpv6(text: string): string | null {
  if (text.includes('%') || !ipaddr.IPv6.isValid(text)) return null
  return ipaddr.IPv6.parse(text).toRFC5952String()
}

/** The leading 16 bits of an IPv4 address, as a coarse network; null for anything else. */
export const networkOf = (address: string): string | null =>
  ipaddr.IPv4.isValid(address) ? address.split('.', 2).join('.') : null
