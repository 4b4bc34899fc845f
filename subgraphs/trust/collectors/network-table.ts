import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An autonomous system: who routes an address. */
export type AutonomousSystem = {
  readonly asn: number
  /** As the file names it, at most 100 characters; null: it does not. */
  readonly name: string | null
  /** Whether it rents servers to others; null: unknown. */
  readonly isHosting: boolean | null
}

/**
 * Ranges of addresses in order, and who routes each: plain arrays, so that a thread can hand them
 * over. IPv6 by the first 64 bits: no network of the public table is smaller.
 */
export type NetworkTable = {
  readonly systems: readonly AutonomousSystem[]
  readonly v4: { readonly starts: Uint32Array; readonly ends: Uint32Array; readonly systems: Uint32Array }
  readonly v6: { readonly starts: BigUint64Array; readonly ends: BigUint64Array; readonly systems: Uint32Array }
}

/** The system that routes an address, in IPv6 spelling (`::ffff:192.0.2.1`) too; null where the table has none. */
export function systemOf(table: NetworkTable, address: string): AutonomousSystem | null {
  if (isIP(address) === 0) return null
  const plain = ipaddr.process(address).toString()
  const at = isIPv4(plain)
    ? findRange(table.v4.starts, table.v4.ends, v4Number(plain))
    : findRange(table.v6.starts, table.v6.ends, v6Number(plain))
  if (at === null) return null
  return table.systems[(isIPv4(plain) ? table.v4 : table.v6).systems[at] ?? -1] ?? null
}

/** The address as a number of 32 bits. */
export const v4Number = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)

/** The first 64 bits of an address. */
export const v6Number = (address: string): bigint =>
  ipaddr.IPv6.parse(address)
    .parts.slice(0, 4)
    .reduce((sum, part) => (sum << 16n) | BigInt(part), 0n)

/** Position of the range that holds a number; null: none. The last one that begins at or below it. */
function findRange<N extends number | bigint>(starts: ArrayLike<N>, ends: ArrayLike<N>, wanted: N): number | null {
  let [low, high] = [0, starts.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((starts[middle] ?? wanted) <= wanted) low = middle + 1
    else high = middle
  }
  const end = ends[low - 1]
  return end !== undefined && end >= wanted ? low - 1 : null
}

/**
 * Systems that rent servers to others, from their own documentation of address ranges: AWS, Google
 * Cloud, Azure, Oracle, Alibaba, Tencent, Huawei, Cloudflare, Fastly, Akamai with Linode,
 * DigitalOcean, Vultr, Hetzner, OVH, Scaleway, Contabo, IONOS, Strato, Leaseweb, Hostinger, GoDaddy,
 * Namecheap, Squarespace, Wix, Shopify, Automattic, Aruba, Hosteurope, Netcup, M247, Datacamp, Selectel,
 * Timeweb, Beget, Sakura, GMO, Locaweb and UpCloud.
 */
const HOSTING: ReadonlySet<number> = new Set([
  16509, 14618, 15169, 396982, 8075, 31898, 45102, 37963, 132203, 45090, 136907, 13335, 54113, 20940, 16625, 63949, 14061, 20473,
  24940, 213230, 16276, 12876, 51167, 8560, 6724, 60781, 28753, 30633, 47583, 26496, 398101, 22612, 53831, 58182, 62679, 2635,
  31034, 20773, 197540, 9009, 60068, 49505, 9123, 198610, 9370, 7506, 27715, 202053,
])
const HOSTING_NAME = /\bhosting\b|\bhoster|\bcloud\b|\bvps\b|\bservers?\b|data ?cent(?:er|re)/i
const MAX_NAME_LENGTH = 100

/** A system, with whether it hosts where a file does not say so. */
export function systemFrom(asn: number, name: string | null, isHosting: boolean | null): AutonomousSystem {
  const shown = name?.slice(0, MAX_NAME_LENGTH).toWellFormed() ?? null
  const seems = HOSTING.has(asn) || HOSTING_NAME.test(shown ?? '') ? true : null
  return { asn, name: shown, isHosting: isHosting ?? seems }
}
