import type { Snapshot } from '../evidence.ts'
import type { Assumption } from './assumption.ts'
import type { Confidence } from './confidence.ts'
import type { Features } from './observe.ts'
import type { Policy } from './policy.ts'
import type { Scores } from './score.ts'
import type { State } from './stages.ts'

/** What a target has been judged by so far. */
export type Judged = {
  readonly snapshot: Snapshot
  readonly features: Features
  readonly scores: Scores
  readonly confidence: Confidence
}

/**
 * Stage 5: one of six states; the first that fits. Under the best assumption about missing evidence
 * nothing counts as sparse.
 */
export function stateOf(judged: Judged, policy: Policy, assumption: Assumption): State {
  const { scores, confidence, features } = judged
  const { BANDS, CONFIDENCE } = policy.weights
  const hasFeedHit = features.witness.host > 0 || features.witness.url > 0
  if (isClearThreat(judged, policy)) return 'A'
  if (isSafeKnown(judged, policy)) return 'E'
  if (
    scores.trust >= BANDS.high &&
    (scores.deviation >= BANDS.medium || scores.threat >= BANDS.high || (scores.threat >= BANDS.medium && hasFeedHit))
  )
    return 'D'
  if (assumption === 'nothing' && confidence.overall < CONFIDENCE.sparse && !isWellKnown(judged, policy)) return 'C'
  if (scores.deviation >= BANDS.high && scores.trust < BANDS.medium) return 'B'
  return 'F'
}

/**
 * Among the best known names and nothing against it: worth caution, not isolation, while little
 * else can be asked. Not before engine 4.
 */
function isWellKnown({ scores, features: { rank } }: Judged, { engine, weights: { BANDS, STEPS } }: Policy): boolean {
  const isCalm = scores.threat < BANDS.medium && scores.deviation < BANDS.medium
  return engine >= 4 && rank !== null && rank <= STEPS.wellKnownRank && isCalm
}

/**
 * One feed never convicts a domain of strong trust, and listed pages never convict the platform
 * that they stand on. Both are about the host: a feed that lists the very URL convicts the URL.
 */
function isClearThreat(
  { scores, confidence, features: { witness, isPlatform } }: Judged,
  { weights: { BANDS, CONFIDENCE } }: Policy,
): boolean {
  if (scores.threat < BANDS.high || confidence.threat < CONFIDENCE.high) return false
  if (witness.exact > 0) return true
  if (scores.trust >= BANDS.high && witness.host < 2) return false
  return !(isPlatform && witness.host === 0 && scores.threatBesideFeeds < BANDS.high)
}

/** Feeds, the zone and the certificate must have answered: an unchecked name is not safe. */
function isSafeKnown({ snapshot: { sources }, scores, confidence }: Judged, { weights: { BANDS, CONFIDENCE } }: Policy): boolean {
  return (
    scores.trust >= BANDS.high &&
    scores.threat < BANDS.medium &&
    scores.deviation < BANDS.medium &&
    confidence.trust >= CONFIDENCE.medium &&
    sources.feeds.status === 'ok' &&
    sources.dns.status === 'ok' &&
    (sources.tls.status === 'ok' || sources.tls.status === 'absent')
  )
}

/**
 * Whether the worst possible answers of missing sources would have changed a good opinion.
 * Registries, zones, certificates and feeds can; certificate logs can where the domain may have had
 * an earlier owner; popularity lists have no negative answers.
 */
export function mightBeWorse({ snapshot, features, scores }: Judged, { weights: { BANDS, SIGNALS } }: Policy): boolean {
  const { unknown, mayBeReregistered } = features
  if (unknown.has('rdap') || unknown.has('dns') || unknown.has('tls') || unknown.has('feeds')) return true
  const { dns } = snapshot.sources
  if (dns.status === 'ok' && (dns.facts.unanswered.includes('A') || dns.facts.unanswered.includes('AAAA'))) return true
  return unknown.has('ct') && mayBeReregistered && scores.deviation + SIGNALS.reregistered.deviation >= BANDS.medium
}
