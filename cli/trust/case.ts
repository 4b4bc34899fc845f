import { z } from 'zod'
import { Fault } from '../../platform/outbound/fault.ts'
import type { Engine } from '../../subgraphs/trust/assessment/engine.ts'
import { parseDomain } from '../../subgraphs/trust/collectors/rdap-response.ts'
import type { Evidence, EvidenceBySource, Source, UnixSeconds } from '../../subgraphs/trust/evidence.ts'
import type { Decision } from '../../subgraphs/trust/pipeline/decision.ts'
import type { Target } from '../../subgraphs/trust/pipeline/normalise.ts'
import {
  INTERACTION_KINDS,
  INTERACTION_MODES,
  type Override,
  PROFILES,
  SENSITIVITIES,
} from '../../subgraphs/trust/pipeline/request.ts'
import { ACTIONS } from '../../subgraphs/trust/pipeline/stages.ts'

const DAY_SECONDS = 86_400

const time = z.iso.datetime({ offset: true }).transform((text): UnixSeconds => Math.floor(Date.parse(text) / 1000))
const texts = z.array(z.string())

/** What a source has answered, or what it did instead. */
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

const evidence = z.object({
  collectedAt: time,
  // As the registry has sent it (RFC 9083).
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
  popularity: answer({ lists: z.record(z.string(), z.object({ rank: z.int(), listId: z.string() })) }),
})

/** A question with its evidence, and what may come of it. */
export const caseForm = z.object({
  name: z.string(),
  domain: z.string(),
  // Null: the target is expected to be refused, or nothing is known.
  evidence: evidence.nullable(),
  interaction: z.object({
    kind: z.enum(INTERACTION_KINDS),
    mode: z.enum(INTERACTION_MODES),
    sensitivity: z.enum(SENSITIVITIES),
  }),
  policy: z.enum(PROFILES),
  override: z.object({ action: z.enum(ACTIONS), reason: z.string(), expires: time }).nullish(),
  expect: z.object({
    // Statuses of the REST API; 422 among them says that the target may be refused.
    http: z.array(z.int()).optional(),
    actions: z.array(z.string()),
    mustNot: z.array(z.string()),
    mustHaveCodes: texts,
    anyOfCodes: z.array(texts),
    mustNotCodes: texts,
    uncertainty: z.string().optional(),
    why: z.string(),
  }),
})
export type Case = z.infer<typeof caseForm>

/** A case and what came of it. */
export type JudgedCase = {
  readonly wanted: Case
  /** Null: its target was refused. */
  readonly decision: Decision | null
  /** Every way in which that is not what the case wants, as sentences; empty when it is. */
  readonly breaches: readonly string[]
}

/** Decides about a case as of its evidence. */
export function judgedCase(wanted: Case, engine: Engine): JudgedCase {
  const found = engine.normalise('domain', wanted.domain)
  if (found.kind === 'invalid') return { wanted, decision: null, breaches: breachesOf(wanted, null) }
  const { target } = found
  const evidence = wanted.evidence ? evidenceOf(wanted.evidence, target) : []
  const snapshot = engine.snapshotOf(target.host, wanted.evidence?.collectedAt ?? 0, evidence)
  const request = { target, interaction: wanted.interaction, profile: wanted.policy }
  const decision = engine.decide(snapshot, request, engine.policyVersion, overrideOf(wanted, target))
  return { wanted, decision, breaches: breachesOf(wanted, decision) }
}

/** The caller's override of a case; null without one. */
const overrideOf = ({ override }: Case, { host }: Target): Override | null =>
  override
    ? { subject: host, action: override.action, reason: override.reason, expiresAt: override.expires, actor: 'caller' }
    : null

/** The evidence of a case as collectors store it. */
function evidenceOf(raw: z.infer<typeof evidence>, { host, name }: Target): Evidence[] {
  const domain = name.registrable ?? host
  const about = (subject: string) => ({
    subject,
    collectedAt: raw.collectedAt,
    validUntil: raw.collectedAt + DAY_SECONDS,
    version: null,
  })
  const { rdap, dns, tls, ct, feeds, popularity } = raw
  const found: { readonly [S in Source]: EvidenceBySource[S] } = {
    rdap: {
      ...about(domain),
      ...(rdap.status === 'ok'
        ? registrationOf(rdap.json, domain)
        : rdap.status === 'not_found'
          ? { status: 'absent', reason: 'not_registered' }
          : instead(rdap.status)),
    },
    dns: {
      ...about(host),
      ...(dns.status === 'ok'
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
            : instead(dns.status)),
    },
    tls: {
      ...about(host),
      ...(tls.status === 'ok'
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
          : instead(tls.status)),
    },
    ct: {
      ...about(domain),
      ...(ct.status === 'ok'
        ? { status: 'ok', facts: { firstSeenAt: ct.firstSeen, certificates: ct.certCount, issuers: [] } }
        : instead(ct.status)),
    },
    feeds: {
      ...about(host),
      ...(feeds.status === 'ok'
        ? {
            status: 'ok',
            facts: {
              checked: feeds.checked.map((feed) => ({ feed, asOf: feeds.asOf, refreshAt: raw.collectedAt + DAY_SECONDS })),
              failed: [],
              hits: feeds.hits.map(({ firstSeen, lastSeen, ...hit }) => ({
                ...hit,
                lineage: hit.feed,
                firstSeenAt: firstSeen ?? null,
                lastSeenAt: lastSeen ?? null,
                abusedLegitimate: false,
              })),
            },
          }
        : instead(feeds.status)),
    },
    popularity: {
      ...about(domain),
      ...(popularity.status === 'ok'
        ? {
            status: 'ok',
            facts: { ranks: Object.entries(popularity.lists).map(([list, { rank, listId }]) => ({ list, listId, rank })) },
          }
        : instead(popularity.status)),
    },
  }
  // Each source with its own evidence, as `Evidence` says.
  return (Object.keys(found) as Source[]).map((source) => ({ source, evidence: found[source] }) as Evidence)
}

/** An answer that the collector could not read either is one of its kinds. */
function registrationOf(json: unknown, domain: string) {
  try {
    return { status: 'ok', facts: parseDomain(json, domain) } as const
  } catch (error) {
    if (error instanceof Fault) return instead('malformed')
    throw error
  }
}

/** What any source may do instead of answering. */
function instead(status: Exclude<z.infer<typeof evidence>['ct']['status'], 'ok'>) {
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

function breachesOf({ expect }: Case, decision: Decision | null): string[] {
  if (decision === null) return expect.http?.includes(422) ? [] : ['its target was refused']
  const said = [...decision.reasonCodes, ...decision.uncertainty.drivers] as readonly string[]
  const { action, uncertainty } = decision
  return [
    ...(expect.mustNot.includes(action) ? [`${action} is what it must not be`] : []),
    ...(expect.actions.includes(action) ? [] : [`expected ${expect.actions.join(' or ')}, got ${action}`]),
    ...expect.mustHaveCodes.flatMap((code) => (said.includes(code) ? [] : [`expected it to say ${code}`])),
    ...expect.anyOfCodes.flatMap((any) => (any.some((code) => said.includes(code)) ? [] : [`expected one of ${any.join(', ')}`])),
    ...expect.mustNotCodes.flatMap((code) =>
      (decision.reasonCodes as readonly string[]).includes(code) ? [`it must not say ${code}`] : [],
    ),
    ...(expect.uncertainty === undefined || expect.uncertainty === uncertainty.state
      ? []
      : [`expected ${expect.uncertainty} uncertainty, got ${uncertainty.state}`]),
  ]
}
