import { type Snapshot, SOURCES, type Source } from '../evidence.ts'
import type { Features } from './observe.ts'
import type { Policy } from './policy.ts'
import type { Scores } from './score.ts'

/** How sure the scores are, in hundredths. */
export type Confidence = {
  /** Share of the relevant evidence that is available. */
  readonly coverage: number
  readonly overall: number
  readonly trust: number
  readonly threat: number
  readonly deviation: number
  /** Strong trust and strong doubt at once. */
  readonly isConflicting: boolean
}

const share = (whole: number, percent: number): number => Math.floor((whole * percent) / 100)

/**
 * Confidence of the scores, from the share of answers and the number of agreeing kinds of evidence.
 * Never falls with an additional answer. `shares`: the share of each source in the relevant
 * evidence.
 */
export function confidenceOf(
  snapshot: Snapshot,
  features: Features,
  scores: Scores,
  { weights: { CONFIDENCE, BANDS } }: Policy,
  shares: Readonly<Record<Source, number>> = CONFIDENCE.coverage,
): Confidence {
  const coverage = SOURCES.reduce(
    (total, source) => total + share(shares[source], answeredPercent(snapshot, source, CONFIDENCE)),
    0,
  )
  const overall = CONFIDENCE.base + share(CONFIDENCE.perCoverage, coverage)
  const isConflicting = scores.trust >= BANDS.high && (scores.threat >= BANDS.medium || scores.deviation >= BANDS.medium)
  const adjusted = isConflicting ? share(overall, CONFIDENCE.conflict) : overall
  return {
    coverage,
    overall,
    trust: adjusted,
    deviation: adjusted,
    threat: threatConfidence(adjusted, features, scores),
    isConflicting,
  }

  function threatConfidence(
    plain: number,
    { witness }: Features,
    { threat, threatBesideFeeds, threatFamilies, isEstablished }: Scores,
  ): number {
    if (witness.host >= 2 || witness.exact >= 2) return Math.max(plain, CONFIDENCE.hostHits)
    if (witness.exact === 1 || (witness.host === 1 && !isEstablished)) return Math.max(plain, CONFIDENCE.hostHit)
    // One feed against an established domain may be wrong; other evidence keeps its confidence.
    if (witness.host === 1 && threatBesideFeeds < BANDS.high) return Math.min(plain, CONFIDENCE.hostHitEstablished)
    if (threat < BANDS.medium || threatFamilies.length >= 2) return plain
    return share(plain, threatFamilies.length === 1 ? CONFIDENCE.oneFamily : CONFIDENCE.noFamily)
  }
}

/** Share of a source's possible evidence that is available, in percent. */
function answeredPercent(
  { sources }: Snapshot,
  source: Source,
  { partial, absent, noTls }: Policy['weights']['CONFIDENCE'],
): number {
  const evidence = sources[source]
  if (evidence.status === 'absent') return source === 'tls' ? noTls : absent
  if (evidence.status !== 'ok') return evidence.status === 'failed' && evidence.reason === 'servfail' ? partial : 0
  if (source === 'rdap') return sources.rdap.status === 'ok' && sources.rdap.facts.registeredAt === null ? partial : 100
  if (source === 'dns') return sources.dns.status === 'ok' && sources.dns.facts.unanswered.length > 0 ? partial : 100
  if (source === 'feeds') return sources.feeds.status === 'ok' && sources.feeds.facts.failed.length > 0 ? partial : 100
  return 100
}
