import { type Code, type Driver, REASON_CODES, type Sense, senseOf } from './codes.ts'
import type { Confidence } from './confidence.ts'
import type { Policy } from './policy.ts'
import type { DecideRequest } from './request.ts'
import { type Routed, severityOf } from './route.ts'
import type { Points, Scores } from './score.ts'
import { type Action, PROFILES } from './stages.ts'
import type { Judged } from './state.ts'

/** A reason and how strongly it counts, 0 to 100. */
export type Reason = { readonly code: Code; readonly strength: number }

/** A reason for people, strongest first. */
export type Highlight = { readonly code: Code; readonly label: string; readonly impact: Sense; readonly strength: number }

/** Stage 7: every reason for an answer, in the order in which they explain `action`. */
export function reasonsOf(judged: Judged, routed: Routed, request: DecideRequest, policy: Policy): Reason[] {
  const all = [...reasonsIn(judged.scores.points, policy), ...derived(judged, routed, request, policy)]
  return inOrder(strongest(all), routed.action)
}

/** What points speak for, each reason as strong as the strongest point behind it; in no order. */
export const reasonsIn = (points: readonly Points[], { weights }: Policy): Reason[] =>
  strongest(
    points.flatMap(({ signal, trust, threat, deviation }) =>
      weights.SIGNALS[signal].codes.map((code) => ({
        code,
        strength: Math.min(100, Math.max(Math.abs(trust), threat, deviation)),
      })),
    ),
  )

function strongest(reasons: readonly Reason[]): Reason[] {
  const found = new Map<Code, number>()
  for (const { code, strength } of reasons) found.set(code, Math.max(strength, found.get(code) ?? 0))
  return [...found].map(([code, strength]) => ({ code, strength }))
}

/**
 * Reasons against first, unless the answer is to proceed; then the stronger; then by name, so that
 * the order is one.
 */
export function inOrder(reasons: readonly Reason[], action: Action): Reason[] {
  const senses: readonly Sense[] = action === 'proceed' ? ['positive', 'mixed', 'negative'] : ['negative', 'mixed', 'positive']
  return [...reasons].sort(
    (a, b) =>
      senses.indexOf(senseOf(a.code)) - senses.indexOf(senseOf(b.code)) ||
      b.strength - a.strength ||
      (a.code < b.code ? -1 : a.code > b.code ? 1 : 0),
  )
}

/** Reasons that no single observation gives. */
function derived(
  { scores, confidence, features }: Judged,
  routed: Routed,
  { profile }: DecideRequest,
  { weights }: Policy,
): Reason[] {
  const { BANDS, CONFIDENCE, STRENGTH } = weights
  const isSparse = confidence.overall < CONFIDENCE.sparse || routed.clamps.includes('proceed-on-missing-evidence')
  const found: readonly (readonly [Code, boolean, number])[] = [
    ['HIGH_INFRASTRUCTURE_DEVIATION', scores.deviation >= BANDS.high, STRENGTH.derived],
    ['ELEVATED_DEVIATION', scores.deviation >= BANDS.medium, STRENGTH.derived],
    ['LOW_REPUTATION_EVIDENCE', scores.trust < BANDS.medium, STRENGTH.derived],
    ['SPARSE_EVIDENCE', isSparse, routed.clamps.length > 0 ? STRENGTH.decisive : STRENGTH.derived],
    ['CONFLICTING_EVIDENCE', routed.state === 'D' || confidence.isConflicting, STRENGTH.derived],
    ['FEED_HIT_ON_POPULAR_DOMAIN', scores.isEstablished && features.witness.host + features.witness.url > 0, STRENGTH.derived],
    ['TRUST_SIGNAL_CONSISTENCY', scores.trust >= BANDS.high && scores.deviation < BANDS.medium, STRENGTH.derived],
    ['APEX_DOMAIN_TRUST_INHERITANCE', features.isBelowApex && scores.trust >= BANDS.high, STRENGTH.derived],
    ['USER_GENERATED_CONTENT', features.isTenant || features.isPlatform, STRENGTH.derived],
    ['REQUIRES_CORROBORATION', features.isTenant || features.isPlatform, STRENGTH.derived],
    ['REDIRECTING_URL', features.destination === 'unknown', STRENGTH.derived],
    ['REDIRECT_FOLLOWED', features.destination === 'known', STRENGTH.derived],
    ['PROGRAM_FILE', features.isProgram, STRENGTH.derived],
    ['INTERACTION_RISK_ELEVATED', routed.shift > 0 && severityOf(routed.action) > severityOf(routed.base), STRENGTH.derived],
    // A safe known target under a policy that takes nothing for granted.
    ['POLICY_RISK_ELEVATED', routed.state === 'E' && routed.base !== 'proceed' && profile === PROFILES.at(-1), STRENGTH.derived],
  ]
  const reasons = found.filter(([, holds]) => holds).map(([code, , strength]) => ({ code, strength }))
  return [...reasons, ...lastResort(reasons, routed, scores, weights)]
}

/**
 * Every action but PROCEED needs a negative reason: without another one, what is missing to strong
 * trust.
 */
function lastResort(
  reasons: readonly Reason[],
  routed: Routed,
  scores: Scores,
  { SIGNALS, STRENGTH }: Policy['weights'],
): Reason[] {
  const codes: readonly Code[] = [
    ...reasons.map(({ code }) => code),
    ...scores.points.flatMap(({ signal }) => SIGNALS[signal].codes),
  ]
  const speaksAgainst = codes.some((code) => senseOf(code) === 'negative')
  return routed.action === 'proceed' || speaksAgainst ? [] : [{ code: 'LOW_REPUTATION_EVIDENCE', strength: STRENGTH.derived }]
}

/** The strongest reasons with their sentences. */
export const highlightsOf = (reasons: readonly Reason[], limit: number): Highlight[] =>
  reasons
    .slice(0, limit)
    .map(({ code, strength }) => ({ code, label: REASON_CODES[code].label, impact: senseOf(code), strength: strength / 100 }))

/** The deciding reasons: the first ones with the direction of the action. */
export function primaryOf(reasons: readonly Reason[], limit: number): Code[] {
  const sense = reasons[0] && senseOf(reasons[0].code)
  return reasons
    .filter(({ code }) => senseOf(code) === sense)
    .slice(0, limit)
    .map(({ code }) => code)
}

export type Uncertainty = {
  readonly state: 'low' | 'medium' | 'high'
  readonly requiresHumanReview: boolean
  /** What made the decision less certain, in alphabetical order. */
  readonly drivers: readonly Driver[]
}

/** How uncertain scores of this confidence are. */
export const uncertaintyIn = (
  { overall, trust, threat }: Confidence,
  { weights: { CONFIDENCE } }: Policy,
): Uncertainty['state'] =>
  trust < CONFIDENCE.medium || threat < CONFIDENCE.medium ? 'high' : overall < CONFIDENCE.high ? 'medium' : 'low'

/**
 * How far the answer can be relied on. A clear denial needs no review; a person decides where the
 * service could not.
 */
export function uncertaintyOf({ features, confidence }: Judged, routed: Routed, policy: Policy): Uncertainty {
  const wasClamped = routed.clamps.length > 0
  const deniedWithoutGround = routed.clamps.includes('denial-without-ground')
  const drivers = new Set<Driver>(features.drivers)
  if (routed.state === 'D' || confidence.isConflicting) drivers.add('CONFLICTING_EVIDENCE')
  if (wasClamped) drivers.add('CONFIDENCE_CLAMP')
  if (deniedWithoutGround) drivers.add('LOW_CONFIDENCE_CLAMP')
  const sure = uncertaintyIn(confidence, policy)
  const state = sure === 'low' && (routed.state === 'D' || wasClamped) ? 'medium' : sure
  const isRiskyConflict = routed.state === 'D' && (routed.tier === 'high' || routed.tier === 'critical')
  return {
    state,
    requiresHumanReview: routed.action === 'escalate_to_human' || isRiskyConflict || deniedWithoutGround,
    drivers: [...drivers].sort(),
  }
}
