import type net from 'node:net'
import { deadline } from './deadline.ts'
import type { DnsClient } from './dns-client.ts'
import { canonicalName, followAliases } from './dns-message.ts'
import { Fault, faultOf } from './fault.ts'
import type { Network } from './safe-connect.ts'

/** The addresses of a name: resolved once, used for everything done with the name afterwards. */
export type Addresses = {
  /** servfail: broken servers or signatures, for both families. */
  readonly status: 'found' | 'nxdomain' | 'servfail'
  /** All addresses. */
  readonly a: readonly string[]
  readonly aaaa: readonly string[]
  /** Aliases in order, without the name itself. */
  readonly cnames: readonly string[]
  /** Smallest TTL of addresses and aliases; null without addresses. */
  readonly ttlSeconds: number | null
  readonly isAuthentic: boolean
  /** Address families without a DNS response. */
  readonly unanswered: readonly ('A' | 'AAAA')[]
}

/** Most addresses tried per name, and the time limit of a try while others remain. */
const MAX_CONNECT_ATTEMPTS = 3
const CONNECT_ATTEMPT_TIMEOUT_MS = 1_000

type Family = Pick<Addresses, 'status' | 'cnames' | 'ttlSeconds' | 'isAuthentic'> & { readonly found: readonly string[] }

/**
 * Queries A and AAAA in parallel. Throws a `Fault` when neither is answered, or one is malformed.
 */
export async function resolveAddresses(dns: DnsClient, host: string, signal: AbortSignal): Promise<Addresses> {
  const [v4, v6] = await Promise.allSettled([resolveFamily(dns, host, 'A', signal), resolveFamily(dns, host, 'AAAA', signal)])
  const answered = [v4, v6].flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const faults = [v4, v6].flatMap((result) => (result.status === 'rejected' ? [faultOf(result.reason)] : []))
  const nonsense = faults.find(({ reason }) => reason === 'malformed')
  if (nonsense) throw nonsense
  const [one] = answered
  if (!one) throw faults[0] ?? new Fault('unavailable', 'no DNS answer')

  const isThere = answered.filter(({ status }) => status === 'found')
  const status = isThere.length > 0 ? 'found' : answered.every((each) => each.status === 'nxdomain') ? 'nxdomain' : 'servfail'
  const ttls = isThere.flatMap(({ ttlSeconds }) => ttlSeconds ?? [])
  const foundBy = (result: typeof v4) =>
    result.status === 'fulfilled' && result.value.status === 'found' ? result.value.found : null
  return {
    status,
    a: foundBy(v4) ?? [],
    aaaa: foundBy(v6) ?? [],
    cnames: (isThere[0] ?? one).cnames,
    ttlSeconds: ttls.length > 0 ? Math.min(...ttls) : null,
    isAuthentic: answered.length === 2 && answered.every((each) => each.isAuthentic),
    unanswered: status === 'nxdomain' ? [] : [...(foundBy(v4) ? [] : ['A' as const]), ...(foundBy(v6) ? [] : ['AAAA' as const])],
  }
}

/**
 * Follows CNAMEs in the response, and queries again when it ends with one. Ignores records of other
 * names.
 */
async function resolveFamily(dns: DnsClient, host: string, type: 'A' | 'AAAA', signal: AbortSignal): Promise<Family> {
  const cnames: string[] = []
  const ttls: number[] = []
  let name = canonicalName(host)
  let isAuthentic = true
  for (;;) {
    const { rcode, records, isAuthentic: isSigned } = await dns.query(name, type, signal)
    isAuthentic &&= isSigned
    if (rcode === 'NXDOMAIN') return { status: 'nxdomain', found: [], cnames, ttlSeconds: null, isAuthentic }
    if (rcode !== 'NOERROR') return { status: 'servfail', found: [], cnames, ttlSeconds: null, isAuthentic: false }
    const before = name === canonicalName(host) ? [] : [canonicalName(host), ...cnames.slice(0, -1)]
    const aliases = followAliases(records, name, before)
    for (const { target, ttl } of aliases) {
      cnames.push(target)
      ttls.push(validTtl(ttl))
      name = target
    }
    const found = records.flatMap((record) =>
      record.type === type && canonicalName(record.name) === name ? [{ address: record.data, ttl: validTtl(record.ttl) }] : [],
    )
    if (found.length === 0 && aliases.length > 0) continue
    const ttlSeconds = found.length > 0 ? Math.min(...found.map(({ ttl }) => ttl), ...ttls) : null
    return { status: 'found', found: [...new Set(found.map(({ address }) => address))], cnames, ttlSeconds, isAuthentic }
  }
}

/** RFC 2181 §8: with the highest bit set, a TTL is 0. */
const validTtl = (ttl: number | undefined): number => (ttl === undefined || ttl < 0 || ttl >= 2 ** 31 ? 0 : ttl)

/**
 * Connects to one of these addresses, IPv4 first. One blocked address blocks all: a mix of public
 * and private addresses is a DNS rebinding attempt. Throws a `Fault`.
 */
export async function connectTo(
  network: Network,
  { a, aaaa }: Pick<Addresses, 'a' | 'aaaa'>,
  port: number,
  signal: AbortSignal,
): Promise<net.Socket> {
  const endpoints = [...a, ...aaaa].map((address) => ({ address, port }))
  for (const endpoint of endpoints) {
    const refusal = network.blockReason(endpoint)
    if (refusal !== null) throw new Fault('blocked', `${endpoint.address}: ${refusal}`)
  }
  let fault = new Fault('unavailable', 'no address')
  const tried = endpoints.slice(0, MAX_CONNECT_ATTEMPTS)
  for (const [index, endpoint] of tried.entries()) {
    const isLast = index === tried.length - 1
    const own = isLast ? null : deadline(CONNECT_ATTEMPT_TIMEOUT_MS, signal)
    try {
      return await network.connect(endpoint, own?.signal ?? signal)
    } catch (error) {
      fault = faultOf(error)
      if (signal.aborted) break
    } finally {
      own?.clear()
    }
  }
  throw fault
}
