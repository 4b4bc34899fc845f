import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

/** Whose X-Forwarded-For is believed. */
export type TrustedProxies = {
  readonly isTrusted: (address: string) => boolean
  /** The address of who sent a request: the last that no trusted proxy stands for. */
  readonly addressOf: (request: IncomingMessage) => string
}

/** `networks`: addresses, and networks in CIDR notation. */
export function trustedProxies(networks: readonly string[]): TrustedProxies {
  const ranges = networks.map((text) => rangeOf(text.trim()))

  const isTrusted = (text: string): boolean => {
    if (!ipaddr.isValid(text)) return false
    const address = ipaddr.process(text)
    return ranges.some(([network, bits]) => network.kind() === address.kind() && address.match([network, bits] as never))
  }
  return {
    isTrusted,
    addressOf({ socket, headers }) {
      const said = String(headers['x-forwarded-for'] ?? '').split(',')
      const hops = [...said.map((hop) => hop.trim()).filter((hop) => hop !== ''), socket.remoteAddress ?? '']
      return hops.findLast((hop) => !isTrusted(hop)) ?? hops[0] ?? ''
    },
  }
}

function rangeOf(text: string): readonly [network: ipaddr.IPv4 | ipaddr.IPv6, bits: number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}
