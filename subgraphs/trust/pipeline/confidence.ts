import { type Snapshot, SOURCES, type Source } from '../evidence.ts'
import type { Features } from './observe.ts'
import type { Policy } from './policy.ts'
import type { Scores } from './score.ts'

/** How sure the scores are, in hundredths. */
export type Confidence = {
  /** What all sources together could have said of what matters, and did. */
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
 * How sure the scores can be, from how much answered and how many kinds of evidence agree. Never
 * falls when a source answers in addition. `shares`: what each source can say of what matters.
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
    // One witness against an established domain may be wrong; what others say without it is not
    // less sure for that.
    if (witness.host === 1 && threatBesideFeeds < BANDS.high) return Math.min(plain, CONFIDENCE.hostHitEstablished)
    if (threat < BANDS.medium || threatFamilies.length >= 2) return plain
    return share(plain, threatFamilies.length === 1 ? CONFIDENCE.oneFamily : CONFIDENCE.noFamily)
  }
}

/** How much of what a source can say it said, in percent. */
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
