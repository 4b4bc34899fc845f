import { randomBytes } from 'node:crypto'
import type { DnsClient } from '../../../platform/outbound/dns-client.ts'
import { canonicalName } from '../../../platform/outbound/dns-message.ts'
import { Fault, faultOf } from '../../../platform/outbound/fault.ts'
import type { FeedHit, FeedsFacts } from '../evidence.ts'

/** Block lists queried over DNS, in the format of Spamhaus DBL. */
export type DnsblZones = {
  readonly zones: readonly string[]
  /**
   * All zones at once; a zone that does not answer is among `failed`. Never rejects. `at`: now, in
   * seconds.
   */
  readonly lookUp: (host: string, at: number, signal: AbortSignal) => Promise<FeedsFacts>
}

/** How long a zone's answer counts, and how long it is believed to answer honestly. Seconds. */
export const DNSBL_VALID_SECONDS = 900

/**
 * Categories by the last number of the code (https://www.spamhaus.org/faqs/domain-blocklist/):
 * 127.0.1.2 to .6, and .102 to .106 for abused honest domains.
 */
const CATEGORIES: Readonly<Record<number, FeedHit['category']>> = { 2: 'spam', 4: 'phishing', 5: 'malware', 6: 'c2' }
const ABUSED_CODE_OFFSET = 100

export function dnsblZones(dns: DnsClient, zones: readonly string[]): DnsblZones {
  const honesty = new Map<string, { readonly at: number; readonly answer: Promise<boolean> }>()

  return {
    zones,
    async lookUp(host, at, signal) {
      const results = await Promise.all(
        zones.map((zone) =>
          lookUpInZone(zone, host, at, signal).then(
            (hits) => ({ zone, hits, fault: null }),
            (error: unknown) => ({ zone, hits: [], fault: faultOf(error) }),
          ),
        ),
      )
      return {
        checked: results.flatMap(({ zone, fault }) =>
          fault ? [] : [{ feed: zone, asOf: at, refreshAt: at + DNSBL_VALID_SECONDS }],
        ),
        failed: results.flatMap(({ zone, fault }) => (fault ? [{ feed: zone, reason: reasonOf(fault) }] : [])),
        hits: results.flatMap(({ hits }) => hits),
      }
    },
  }

  async function lookUpInZone(zone: string, host: string, at: number, signal: AbortSignal): Promise<FeedHit[]> {
    const name = `${host}.${zone}`
    if (name.length > 253) return []
    const [root, isHonest, codes] = await Promise.all([
      dns.root(signal),
      answersNegatively(zone, at, signal),
      codesOf(name, signal),
    ])
    if (!root.isReachable) throw new Fault('unavailable', 'the DNS servers do not know the root')
    if (!isHonest) throw new Fault('malformed', `${zone} lists everything`)
    return codes.map((code): FeedHit => {
      const number = Number(code.split('.')[3])
      const abusedLegitimate = number > ABUSED_CODE_OFFSET
      const category = CATEGORIES[abusedLegitimate ? number - ABUSED_CODE_OFFSET : number] ?? 'other'
      return {
        feed: zone,
        lineage: zone,
        category,
        scope: 'domain',
        indicator: code,
        firstSeenAt: null,
        lastSeenAt: at,
        state: 'online',
        abusedLegitimate,
      }
    })
  }

  /**
   * Whether an unlisted name is not listed: some resolvers answer every name with an advertiser's
   * address.
   */
  function answersNegatively(zone: string, at: number, signal: AbortSignal): Promise<boolean> {
    const cached = honesty.get(zone)
    if (cached && at - cached.at < DNSBL_VALID_SECONDS) return cached.answer
    const answer = dns.query(`${randomBytes(8).toString('hex')}.com.${zone}`, 'A', signal).then(({ rcode, records }) => {
      if (rcode !== 'NXDOMAIN' && rcode !== 'NOERROR') throw new Fault('unavailable', rcode)
      return records.length === 0
    })
    honesty.set(zone, { at, answer })
    answer.catch(() => honesty.delete(zone))
    return answer
  }

  /**
   * The codes of a listed name. Throws for codes of errors, and for addresses that are no codes.
   */
  async function codesOf(name: string, signal: AbortSignal): Promise<string[]> {
    const { rcode, records } = await dns.query(name, 'A', signal)
    if (rcode === 'NXDOMAIN') return []
    if (rcode !== 'NOERROR') throw new Fault('unavailable', rcode)
    const codes = records.flatMap((record) => (record.type === 'A' && canonicalName(record.name) === name ? [record.data] : []))
    for (const code of codes) {
      // 127.255.255.252 to .255: a wrong query, a public resolver, too many queries.
      if (code.startsWith('127.255.255.')) throw new Fault('rate_limited', `${code}: the list refuses to answer`)
      if (code === '127.0.1.255' || !code.startsWith('127.0.1.'))
        throw new Fault('malformed', `${code} is no answer of a domain block list`)
    }
    return codes.sort()
  }
}

function reasonOf({ reason }: Fault): FeedsFacts['failed'][number]['reason'] {
  switch (reason) {
    case 'refused':
    case 'no_tls':
      return 'unavailable'
    case 'too_large':
      return 'malformed'
    case 'no_capacity':
      return 'timeout'
    default:
      return reason
  }
}
