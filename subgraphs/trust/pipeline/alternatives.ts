import type { Evidence, EvidenceBySource, FeedHit, Snapshot, Source } from '../evidence.ts'
import { SOURCES } from '../evidence.ts'
import { decide } from './decide.ts'
import { type DecideRequest, INTERACTION_KINDS, type InteractionKind, PROFILES } from './request.ts'
import { snapshotOf } from './snapshot.ts'
import type { Action } from './stages.ts'

/** The action with one input changed; `condition` completes "if …". */
export type Alternative = { readonly of: 'question' | 'evidence'; readonly condition: string; readonly action: Action }

/**
 * What would change a decision, found by deciding again: with every other policy and deed, then
 * with evidence that is different in one respect. Only what could be: a certificate that is in
 * order is supposed to have run out, not to be put in order. In a fixed order; also what changes
 * nothing.
 */
export function alternativesTo(snapshot: Snapshot, request: DecideRequest, policyVersion: string): Alternative[] {
  const again = (other: Partial<DecideRequest>, seen: Snapshot): Action =>
    decide(seen, { ...request, ...other }, policyVersion, null).action
  const { interaction, profile } = request
  const questions = [
    ...PROFILES.filter((each) => each !== profile).map((each) => ({
      condition: `the policy were ${each}`,
      action: again({ profile: each }, snapshot),
    })),
    ...INTERACTION_KINDS.filter((kind) => kind !== interaction.kind).map((kind) => ({
      condition: DEEDS[kind],
      action: again({ interaction: { ...interaction, kind } }, snapshot),
    })),
  ]
  const evidence = SUPPOSITIONS.flatMap(({ condition, of, suppose }) => {
    const supposed = suppose(snapshot.sources, snapshot.collectedAt)
    return supposed ? [{ condition, action: again({}, withEvidence(snapshot, of, supposed)) }] : []
  })
  return [
    ...questions.map((each) => ({ of: 'question' as const, ...each })),
    ...evidence.map((each) => ({ of: 'evidence' as const, ...each })),
  ]
}

const DEEDS: Readonly<Record<InteractionKind, string>> = {
  navigate: 'a person looked at it',
  fetch: 'a program read it',
  enrich: 'what is read there became part of something else',
  download_file: 'a file were stored',
  submit_credentials: 'credentials were sent there',
  initiate_payment: 'money were sent',
}

const DAY_SECONDS = 86_400

type Supposition = {
  readonly condition: string
  readonly of: Source
  /** The evidence of that source, different in one respect; null where that cannot be supposed. */
  readonly suppose: (sources: EvidenceBySource, at: number) => EvidenceBySource[Source] | null
}

/** Typed by the source, used as a row of the table. */
const suppose = <Of extends Source>(
  of: Of,
  condition: string,
  change: (evidence: EvidenceBySource[Of], at: number) => EvidenceBySource[Of] | null,
): Supposition => ({ of, condition, suppose: (sources, at) => change(sources[of], at) })

const SUPPOSITIONS: readonly Supposition[] = [
  suppose('feeds', 'no threat feed listed it', (feeds) =>
    feeds.status === 'ok' && feeds.facts.hits.length > 0 ? { ...feeds, facts: { ...feeds.facts, hits: [] } } : null,
  ),
  suppose('feeds', 'a threat feed listed it', (feeds, at) =>
    feeds.status === 'ok' && feeds.facts.hits.length === 0
      ? { ...feeds, facts: { ...feeds.facts, hits: [hitOf('one', at)] } }
      : null,
  ),
  suppose('feeds', 'two independent threat feeds listed it', (feeds, at) =>
    feeds.status === 'ok' && feeds.facts.hits.length === 0
      ? { ...feeds, facts: { ...feeds.facts, hits: [hitOf('one', at), hitOf('two', at)] } }
      : null,
  ),
  suppose('rdap', 'its domain had been registered for five years', (rdap, at) =>
    rdap.status === 'ok' && rdap.facts.registeredAt !== null && rdap.facts.registeredAt > at - 5 * 365 * DAY_SECONDS
      ? { ...rdap, facts: { ...rdap.facts, registeredAt: at - 5 * 366 * DAY_SECONDS } }
      : null,
  ),
  suppose('rdap', 'its domain had been registered five days ago', (rdap, at) =>
    rdap.status === 'ok' && rdap.facts.registeredAt !== null && rdap.facts.registeredAt < at - 90 * DAY_SECONDS
      ? { ...rdap, facts: { ...rdap.facts, registeredAt: at - 5 * DAY_SECONDS } }
      : null,
  ),
  suppose('tls', 'its certificate were in order', (tls, at) =>
    tls.status === 'ok' && !isInOrder(tls.facts, at)
      ? {
          ...tls,
          facts: {
            ...tls.facts,
            chainTrusted: true,
            selfSigned: false,
            nameMatches: true,
            notBefore: Math.min(tls.facts.notBefore, at - DAY_SECONDS),
            notAfter: Math.max(tls.facts.notAfter, at + 30 * DAY_SECONDS),
          },
        }
      : null,
  ),
  suppose('tls', 'its certificate had run out', (tls, at) =>
    tls.status === 'ok' && isInOrder(tls.facts, at) ? { ...tls, facts: { ...tls.facts, notAfter: at - DAY_SECONDS } } : null,
  ),
  suppose('popularity', 'it were among the ten thousand most visited', (popularity) =>
    popularity.status === 'ok' && popularity.facts.ranks.every(({ rank }) => rank > 10_000)
      ? { ...popularity, facts: { ranks: [{ list: 'supposed', listId: 'supposed', rank: 9_000 }] } }
      : null,
  ),
  suppose('popularity', 'it were on no list of popular names', (popularity) =>
    popularity.status === 'ok' && popularity.facts.ranks.length > 0 ? { ...popularity, facts: { ranks: [] } } : null,
  ),
  ...(
    [
      ['rdap', 'the registry could not be asked'],
      ['dns', 'its name could not be looked up'],
      ['tls', 'its certificate could not be seen'],
      ['feeds', 'no threat feed could be asked'],
      ['popularity', 'no list of popular names could be asked'],
    ] as const
  ).map(
    ([of, condition]): Supposition => ({
      of,
      condition,
      suppose: (sources) => {
        const { status, subject, collectedAt, validUntil, version } = sources[of]
        return status === 'ok' ? { status: 'timeout', subject, collectedAt, validUntil, version } : null
      },
    }),
  ),
]

function isInOrder(
  { chainTrusted, selfSigned, nameMatches, notBefore, notAfter }: Extract<EvidenceBySource['tls'], { status: 'ok' }>['facts'],
  at: number,
): boolean {
  return chainTrusted && !selfSigned && nameMatches && notBefore <= at && notAfter >= at
}

const hitOf = (feed: string, at: number): FeedHit => ({
  feed,
  lineage: feed,
  category: 'phishing',
  scope: 'host',
  indicator: 'supposed',
  firstSeenAt: at - DAY_SECONDS,
  lastSeenAt: at,
  state: 'online',
  abusedLegitimate: false,
})

const withEvidence = (
  { host, collectedAt, sources, redirects }: Snapshot,
  of: Source,
  evidence: EvidenceBySource[Source],
): Snapshot =>
  snapshotOf(
    host,
    collectedAt,
    // A cast: each source with its own evidence, by the type `Evidence`.
    SOURCES.map((source) => ({ source, evidence: source === of ? evidence : sources[source] }) as Evidence),
    redirects,
  )
