import { z } from 'zod'
import { Fault } from '../../platform/outbound/fault.ts'
import { parseIndicator } from '../../subgraphs/trust/collectors/indicator.ts'
import { parseDomain } from '../../subgraphs/trust/collectors/rdap-response.ts'
import type { Evidence, EvidenceBySource, Source, UnixSeconds } from '../../subgraphs/trust/evidence.ts'
import type { Target } from '../../subgraphs/trust/pipeline/normalise.ts'

const DAY_SECONDS = 86_400

export const time = z.iso.datetime({ offset: true }).transform((text): UnixSeconds => Math.floor(Date.parse(text) / 1000))
export const texts = z.array(z.string())

/** Result of a source: its facts, or another status. */
const answer = <Facts extends z.core.$ZodLooseShape>(facts: Facts) =>
  z.discriminatedUnion('status', [
    z.object({ status: z.literal('ok'), ...facts }),
    z.object({
      status: z.enum([
        'not_found',
        'nxdomain',
        'servfail',
        'refused',
        'no_service',
        'skipped',
        'timeout',
        'rate_limited',
        'unavailable',
        'malformed',
      ]),
    }),
  ])

/** Evidence of a case, by source. */
export const caseEvidence = z.object({
  collectedAt: time,
  // Response of the registry (RFC 9083).
  rdap: answer({ json: z.unknown() }),
  dns: answer({
    A: texts,
    AAAA: texts,
    NS: texts,
    MX: texts,
    TXT: texts,
    DMARC: texts,
    CAA: texts,
    CNAME: z.string().nullable(),
    dnssec: z.enum(['secure', 'insecure', 'bogus', 'unknown']),
    wildcard: z.boolean().nullable(),
    ttl: z.int().nullable(),
  }),
  tls: answer({
    protocol: z.string(),
    issuer: z.string(),
    subject: z.string(),
    san: texts,
    validFrom: time,
    validTo: time,
    chainTrusted: z.boolean(),
    selfSigned: z.boolean(),
    hostnameMatches: z.boolean(),
    validationLevel: z.enum(['DV', 'OV', 'EV', 'unknown']),
    fingerprint256: z.string(),
  }),
  ct: answer({ firstSeen: time.nullable(), certCount: z.int() }),
  feeds: answer({
    asOf: time,
    checked: texts,
    hits: z.array(
      z.object({
        feed: z.string(),
        category: z.enum(['phishing', 'malware', 'c2', 'spam', 'other']),
        scope: z.enum(['host', 'domain', 'url']),
        indicator: z.string(),
        firstSeen: time.nullish(),
        lastSeen: time.nullish(),
        state: z.enum(['online', 'offline', 'unknown']),
      }),
    ),
  }),
  popularity: answer({
    lists: z.record(z.string(), z.object({ rank: z.int(), listId: z.string() })),
    // Popular names that it resembles.
    neighbours: z
      .array(
        z.object({
          name: z.string(),
          rank: z.int(),
          relation: z.enum(['same', 'edit', 'contains']),
          rest: z.string(),
        }),
      )
      .optional(),
  }),
})

type CaseEvidence = z.infer<typeof caseEvidence>

/** Evidence of a source without the target. */
type Answer<S extends Source> = WithoutSubject<EvidenceBySource[S]>
/** Distributes over the members of a union. */
type WithoutSubject<Each> = Each extends unknown ? Omit<Each, 'subject' | 'collectedAt' | 'validUntil' | 'version'> : never

/** Converts a case's evidence to the form of collectors. */
export function evidenceOf(raw: CaseEvidence, { host, name }: Target): Evidence[] {
  const domain = name.registrable ?? host
  const about = (subject: string) => ({
    subject,
    collectedAt: raw.collectedAt,
    validUntil: raw.collectedAt + DAY_SECONDS,
    version: null,
  })
  const found: { readonly [S in Source]: EvidenceBySource[S] } = {
    rdap: { ...about(domain), ...rdapAnswer(raw.rdap, domain) },
    dns: { ...about(host), ...dnsAnswer(raw.dns) },
    tls: { ...about(host), ...tlsAnswer(raw.tls) },
    ct: { ...about(domain), ...ctAnswer(raw.ct) },
    feeds: { ...about(host), ...feedsAnswer(raw.feeds, raw.collectedAt) },
    popularity: { ...about(domain), ...popularityAnswer(raw.popularity) },
  }
  // Each entry pairs a source with its own evidence, as the type `Evidence` requires.
  return (Object.keys(found) as Source[]).map((source) => ({ source, evidence: found[source] }) as Evidence)
}

function rdapAnswer(rdap: CaseEvidence['rdap'], domain: string): Answer<'rdap'> {
  return rdap.status === 'ok'
    ? registrationOf(rdap.json, domain)
    : rdap.status === 'not_found'
      ? { status: 'absent', reason: 'not_registered' }
      : instead(rdap.status)
}

function dnsAnswer(dns: CaseEvidence['dns']): Answer<'dns'> {
  return dns.status === 'ok'
    ? {
        status: 'ok',
        facts: {
          a: dns.A,
          aaaa: dns.AAAA,
          ns: dns.NS,
          mx: dns.MX.map((exchange) => exchange.split(' ')[1] ?? ''),
          spf: dns.TXT.find((text) => text.startsWith('v=spf1')) ?? null,
          dmarc: dns.DMARC[0] ?? null,
          caa: dns.CAA,
          cnames: dns.CNAME === null ? [] : [dns.CNAME],
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
        : instead(dns.status)
}

function tlsAnswer(tls: CaseEvidence['tls']): Answer<'tls'> {
  return tls.status === 'ok'
    ? {
        status: 'ok',
        facts: {
          protocol: tls.protocol,
          issuer: tls.issuer,
          subject: tls.subject,
          names: tls.san,
          notBefore: tls.validFrom,
          notAfter: tls.validTo,
          chainTrusted: tls.chainTrusted,
          selfSigned: tls.selfSigned,
          nameMatches: tls.hostnameMatches,
          validation: tls.validationLevel,
          fingerprint256: tls.fingerprint256,
        },
      }
    : tls.status === 'refused'
      ? { status: 'absent', reason: 'refused' }
      : instead(tls.status)
}

function ctAnswer(ct: CaseEvidence['ct']): Answer<'ct'> {
  return ct.status === 'ok'
    ? { status: 'ok', facts: { firstSeenAt: ct.firstSeen, certificates: ct.certCount, issuers: [] } }
    : instead(ct.status)
}

function feedsAnswer(feeds: CaseEvidence['feeds'], collectedAt: UnixSeconds): Answer<'feeds'> {
  return feeds.status === 'ok'
    ? {
        status: 'ok',
        facts: {
          checked: feeds.checked.map((feed) => ({ feed, asOf: feeds.asOf, refreshAt: collectedAt + DAY_SECONDS })),
          failed: [],
          hits: feeds.hits.map(({ firstSeen, lastSeen, ...hit }) => ({
            ...hit,
            ...urlKeysIn(hit),
            lineage: hit.feed,
            firstSeenAt: firstSeen ?? null,
            lastSeenAt: lastSeen ?? null,
            abusedLegitimate: false,
          })),
        },
      }
    : instead(feeds.status)
}

/** Hashes of a listed URL, as the collector makes them. */
function urlKeysIn({ scope, indicator }: { readonly scope: string; readonly indicator: string }) {
  const found = scope === 'url' ? parseIndicator(indicator) : null
  return {
    ...(found?.urlKey && { urlKey: found.urlKey }),
    ...(found?.tenantKey && { tenantKey: found.tenantKey }),
  }
}

function popularityAnswer(popularity: CaseEvidence['popularity']): Answer<'popularity'> {
  return popularity.status === 'ok'
    ? {
        status: 'ok',
        facts: {
          ranks: Object.entries(popularity.lists).map(([list, { rank, listId }]) => ({ list, listId, rank })),
          ...(popularity.neighbours && { neighbours: popularity.neighbours }),
        },
      }
    : instead(popularity.status)
}

/** Facts of a registration; `malformed` when the collector cannot parse the response. */
function registrationOf(json: unknown, domain: string) {
  try {
    return { status: 'ok', facts: parseDomain(json, domain) } as const
  } catch (error) {
    if (error instanceof Fault) return instead('malformed')
    throw error
  }
}

/** Evidence for a status other than `ok`. */
function instead(status: Exclude<CaseEvidence['ct']['status'], 'ok'>) {
  switch (status) {
    case 'timeout':
      return { status } as const
    case 'no_service':
      return { status: 'skipped', reason: status } as const
    case 'skipped':
      return { status, reason: 'not_configured' } as const
    case 'rate_limited':
    case 'malformed':
      return { status: 'failed', reason: status } as const
    default:
      return { status: 'failed', reason: 'unavailable' } as const
  }
}
