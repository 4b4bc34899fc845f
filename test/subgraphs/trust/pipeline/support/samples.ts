import type { Evidence, EvidenceBySource, FeedHit, Snapshot, Source } from '../../../../../subgraphs/trust/evidence.ts'
import { decide } from '../../../../../subgraphs/trust/pipeline/decide.ts'
import type { Decision } from '../../../../../subgraphs/trust/pipeline/decision.ts'
import { normalise, type Target } from '../../../../../subgraphs/trust/pipeline/normalise.ts'
import { CURRENT_POLICY } from '../../../../../subgraphs/trust/pipeline/policy.ts'
import {
  DEFAULT_INTERACTION,
  DEFAULT_PROFILE,
  type DecideRequest,
  type Override,
} from '../../../../../subgraphs/trust/pipeline/request.ts'
import { snapshotOf } from '../../../../../subgraphs/trust/pipeline/snapshot.ts'

/** The present of all samples: 2026-11-20T12:00:00Z. */
export const NOW = 1_795_176_000
export const DAY = 86_400

type Facts<S extends Source> = Extract<EvidenceBySource[S], { status: 'ok' }>['facts']

const collected = (subject: string) => ({ subject, collectedAt: NOW, validUntil: NOW + DAY, version: null })

export const rdap = (facts: Partial<Facts<'rdap'>> = {}): Evidence => ({
  source: 'rdap',
  evidence: {
    ...collected('x'),
    status: 'ok',
    facts: {
      registeredAt: NOW - 400 * DAY,
      changedAt: null,
      transferredAt: null,
      expiresAt: NOW + 300 * DAY,
      statuses: ['client transfer prohibited'],
      registrarIanaId: 292,
      registrarName: null,
      nameservers: [],
      delegationSigned: false,
      ...facts,
    },
  },
})

export const dns = (facts: Partial<Facts<'dns'>> = {}): Evidence => ({
  source: 'dns',
  evidence: {
    ...collected('x'),
    status: 'ok',
    facts: {
      a: ['93.184.216.34'],
      aaaa: [],
      ns: ['ns1.hoster.example', 'ns2.hoster.example'],
      mx: ['mx.hoster.example'],
      spf: 'v=spf1 -all',
      dmarc: null,
      caa: [],
      cnames: [],
      dnssec: 'insecure',
      wildcard: false,
      ttlSeconds: 3600,
      unanswered: [],
      ...facts,
    },
  },
})

export const tls = (facts: Partial<Facts<'tls'>> = {}): Evidence => ({
  source: 'tls',
  evidence: {
    ...collected('x'),
    status: 'ok',
    facts: {
      protocol: 'TLSv1.3',
      issuer: 'CN=R11',
      subject: 'CN=x',
      names: ['x'],
      notBefore: NOW - 30 * DAY,
      notAfter: NOW + 60 * DAY,
      chainTrusted: true,
      selfSigned: false,
      nameMatches: true,
      validation: 'DV',
      fingerprint256: '00',
      ...facts,
    },
  },
})

export const ct = (facts: Partial<Facts<'ct'>> = {}): Evidence => ({
  source: 'ct',
  evidence: { ...collected('x'), status: 'ok', facts: { firstSeenAt: NOW - 390 * DAY, certificates: 3, issuers: [], ...facts } },
})

export const aHit = (hit: Partial<FeedHit> = {}): FeedHit => ({
  feed: 'openphish',
  lineage: hit.feed ?? 'openphish',
  category: 'phishing',
  scope: 'host',
  indicator: 'x',
  firstSeenAt: NOW - 2 * DAY,
  lastSeenAt: NOW - DAY,
  state: 'online',
  abusedLegitimate: false,
  ...hit,
})

export const feeds = (hits: readonly FeedHit[] = []): Evidence => ({
  source: 'feeds',
  evidence: {
    ...collected('x'),
    status: 'ok',
    facts: { checked: [{ feed: 'openphish', asOf: NOW, refreshAt: NOW + DAY }], failed: [], hits },
  },
})

export const popularity = (rank: number | null = null): Evidence => ({
  source: 'popularity',
  evidence: { ...collected('x'), status: 'ok', facts: { ranks: rank === null ? [] : [{ list: 'tranco', listId: 'X', rank }] } },
})

// Every source can time out.
export const timeout = (source: Source): Evidence => ({ source, evidence: { ...collected('x'), status: 'timeout' } }) as Evidence

/** Old, popular, in good order. */
export const knownBank = (host: string): Snapshot =>
  snapshotOf(host, NOW, [
    rdap({ registeredAt: NOW - 8000 * DAY, statuses: ['server transfer prohibited', 'server delete prohibited'] }),
    dns({ dmarc: 'v=DMARC1; p=reject', caa: ['0 issue "digicert.com"'], dnssec: 'secure' }),
    tls({ validation: 'OV' }),
    ct({ firstSeenAt: NOW - 3000 * DAY }),
    feeds(),
    popularity(4200),
  ])

/** Days old, with a certificate of yesterday and one listing. */
export const youngLookalike = (host: string): Snapshot =>
  snapshotOf(host, NOW, [
    rdap({ registeredAt: NOW - 2 * DAY }),
    dns({ mx: [], spf: null, ttlSeconds: 60 }),
    tls({ notBefore: NOW - DAY }),
    ct({ firstSeenAt: NOW - DAY, certificates: 1 }),
    feeds([aHit()]),
    popularity(),
  ])

export const nothingKnown = (host: string): Snapshot => snapshotOf(host, NOW, [])

export const targetOf = (value: string, type: 'domain' | 'url' = 'domain'): Target => {
  const normalised = normalise(type, value)
  if (normalised.kind === 'invalid') throw new Error(`${JSON.stringify(value)}: ${normalised.message}`)
  return normalised.target
}

export const aRequest = (host: string, request: Partial<DecideRequest> = {}): DecideRequest => ({
  target: targetOf(host),
  interaction: DEFAULT_INTERACTION,
  profile: DEFAULT_PROFILE,
  ...request,
})

/** Decides about a host from evidence, under the present policy. */
export const decideOn = (
  host: string,
  evidence: readonly Evidence[],
  request: Partial<DecideRequest> = {},
  override: Override | null = null,
): Decision => {
  const decisionRequest = aRequest(host, request)
  return decide(snapshotOf(decisionRequest.target.host, NOW, evidence), decisionRequest, CURRENT_POLICY, override)
}
