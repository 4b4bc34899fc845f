import type { IncomingMessage } from 'node:http'
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import type { Variables } from '../config/config.ts'
import { isAddress, isNetwork, withinAny } from '../outbound/address-policy.ts'

/**
 * Whether a peer is a reverse proxy of ours: its `X-Forwarded-For`, `-Proto` and `-Host` are
 * trusted, and those of others are not.
 */
export type IsProxy = (address: string) => boolean

export const proxyVariables = {
  TRUSTED_PROXIES: {
    read: z
      .string()
      .transform((text) => text.split(',').map((each) => each.trim()))
      .refine(
        (proxies) => proxies.every((each) => isNetwork(each) || isAddress(each)),
        'addresses or networks such as 10.1.0.0/16, separated by commas',
      )
      .transform((proxies) => parseProxies(proxies)),
    default: null,
    unit: null,
    meaning:
      'Addresses and networks of reverse proxies whose X-Forwarded-For, -Proto and -Host are trusted, separated by commas; unset, none is.',
  },
} satisfies Variables

/** Proxies by address, or by network in CIDR notation. */
export function parseProxies(proxies: readonly string[]): IsProxy {
  const isWithin = withinAny(proxies.map((each) => (each.includes('/') ? each : `${each}/${isIPv4(each) ? 32 : 128}`)))
  return (address) => isAddress(address) && isWithin(plain(address))
}

/**
 * The address of the client: the last in `X-Forwarded-For` that is no proxy, as far as only proxies
 * have written there.
 */
export function clientAddress({ socket, headers }: IncomingMessage, isProxy: IsProxy): string {
  const said = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
  let address = socket.remoteAddress ?? ''
  while (isProxy(address)) {
    const before = said.pop()
    if (before === undefined) break
    address = before
  }
  return address
}

/** A socket that listens for both families has IPv4 addresses as `::ffff:10.1.2.3`. */
const plain = (address: string): string => (isIPv4(address) ? address : ipaddr.process(address).toString())
