import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Evidence, FeedHit, RdapFacts } from '../../../../../subgraphs/trust/evidence.ts'

/** Where the evaluation data lies beside a checkout of the project; absent elsewhere. */
const FOLDER = join(import.meta.dirname, '../../../../../../shared/data/trust')

/** Whether the evaluation data is there; tests that need it are skipped where it is not. */
export const hasData = existsSync(FOLDER)
export const withoutData = `needs evaluation data at ${FOLDER}`

export const rowsOf = <Row>(file: string): Row[] =>
  hasData
    ? readFileSync(join(FOLDER, file), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Row)
    : []

export type Case = {
  readonly name: string
  readonly domain: string
  readonly evidence: Raw | null
  readonly interaction: { readonly kind: string; readonly mode: string; readonly sensitivity: string }
  readonly policy: string
  readonly override?: { readonly action: string; readonly reason: string; readonly expires: string } | null
  readonly expect: {
    readonly http?: readonly number[]
    readonly actions: readonly string[]
    readonly mustHaveCodes: readonly string[]
    readonly anyOfCodes: readonly (readonly string[])[]
    readonly mustNot: readonly string[]
    readonly mustNotCodes: readonly string[]
    readonly uncertainty?: string
    readonly why: string
  }
}
export const cases = (): Case[] => (hasData ? (JSON.parse(readFileSync(join(FOLDER, 'cases.json'), 'utf8')) as Case[]) : [])

// The shape of the data is described in its own README; what is absent there is absent here.
// biome-ignore lint/suspicious/noExplicitAny: evidence of a foreign shape, read once.
type Raw = any

const seconds = (iso: string | undefined | null): number | null => (iso ? Math.floor(Date.parse(iso) / 1000) : null)

/** The evidence of a case in our own shape. */
export function evidenceOf(raw: Raw, host: string, registrable: string): Evidence[] {
  const at = seconds(raw.collectedAt) ?? 0
  const day = 86_400
  const collected = (subject: string) => ({ subject, collectedAt: at, validUntil: at + day, version: null })
  const missing = (status: string) =>
    status === 'timeout'
      ? ({ status: 'timeout' } as const)
      : status === 'no_service'
        ? ({ status: 'skipped', reason: 'no_service' } as const)
        : ({ status: 'failed', reason: 'unavailable' } as const)
  const { rdap, dns, tls, ct, feeds, popularity } = raw
  const events = (action: string) => seconds(rdap.json?.events.find((event: Raw) => event.eventAction === action)?.eventDate)
  const rdapFacts = (): RdapFacts => ({
    registeredAt: events('registration'),
    changedAt: events('last changed'),
    transferredAt: events('transfer'),
    expiresAt: events('expiration'),
    statuses: rdap.json.status,
    registrarIanaId: Number(rdap.json.entities[0].publicIds[0].identifier),
    registrarName: null,
    nameservers: rdap.json.nameservers.map((server: Raw) => server.ldhName),
    delegationSigned: rdap.json.secureDNS.delegationSigned,
  })
  return [
    {
      source: 'rdap',
      evidence: {
        ...collected(registrable),
        ...(rdap.status === 'ok'
          ? { status: 'ok', facts: rdapFacts() }
          : rdap.status === 'not_found'
            ? { status: 'absent', reason: 'not_registered' }
            : missing(rdap.status)),
      },
    },
    {
      source: 'dns',
      evidence: {
        ...collected(host),
        ...(dns.status === 'ok'
          ? {
              status: 'ok',
              facts: {
                a: dns.A,
                aaaa: dns.AAAA,
                ns: dns.NS,
                mx: dns.MX.map((mx: string) => mx.split(' ')[1] ?? ''),
                spf: dns.TXT.find((text: string) => text.startsWith('v=spf1')) ?? null,
                dmarc: dns.DMARC[0] ?? null,
                caa: dns.CAA,
                cnames: dns.CNAME ? [dns.CNAME] : [],
                dnssec: dns.dnssec,
                wildcard: dns.wildcard,
                ttlSeconds: dns.ttl,
                unanswered: [],
              },
            }
          : dns.status === 'nxdomain'
            ? { status: 'absent', reason: 'nxdomain' }
            : dns.status === 'servfail'
              ? { status: 'failed', reason: 'servfail' }
              : missing(dns.status)),
      },
    },
    {
      source: 'tls',
      evidence: {
        ...collected(host),
        ...(tls.status === 'ok'
          ? {
              status: 'ok',
              facts: {
                protocol: tls.protocol,
                issuer: tls.issuer,
                subject: tls.subject,
                names: tls.san,
                notBefore: seconds(tls.validFrom) ?? 0,
                notAfter: seconds(tls.validTo) ?? 0,
                chainTrusted: tls.chainTrusted,
                selfSigned: tls.selfSigned,
                nameMatches: tls.hostnameMatches,
                validation: tls.validationLevel,
                fingerprint256: tls.fingerprint256,
              },
            }
          : tls.status === 'refused'
            ? { status: 'absent', reason: 'refused' }
            : missing(tls.status)),
      },
    },
    {
      source: 'ct',
      evidence: {
        ...collected(registrable),
        ...(ct.status === 'ok'
          ? { status: 'ok', facts: { firstSeenAt: seconds(ct.firstSeen), certificates: ct.certCount, issuers: [] } }
          : missing(ct.status)),
      },
    },
    {
      source: 'feeds',
      evidence: {
        ...collected(host),
        ...(feeds.status === 'ok'
          ? {
              status: 'ok',
              facts: {
                checked: feeds.checked.map((feed: string) => ({ feed, asOf: seconds(feeds.asOf) ?? at, refreshAt: at + day })),
                failed: [],
                hits: feeds.hits.map(
                  (hit: Raw): FeedHit => ({
                    feed: hit.feed,
                    lineage: hit.feed,
                    category: hit.category,
                    scope: hit.scope,
                    indicator: hit.indicator,
                    firstSeenAt: seconds(hit.firstSeen),
                    lastSeenAt: seconds(hit.lastSeen),
                    state: hit.state,
                    abusedLegitimate: false,
                  }),
                ),
              },
            }
          : missing(feeds.status)),
      },
    },
    {
      source: 'popularity',
      evidence: {
        ...collected(registrable),
        ...(popularity.status === 'ok'
          ? {
              status: 'ok',
              facts: {
                ranks: Object.entries<Raw>(popularity.lists).map(([list, { rank, listId }]) => ({ list, listId, rank })),
              },
            }
          : missing(popularity.status)),
      },
    },
  ]
}
