import { type Snapshot, SOURCES, type Source } from '../evidence.ts'
import type { Assumption } from './assumption.ts'
import { canonicalText } from './canonical.ts'
import { type Confidence, confidenceOf } from './confidence.ts'
import type { Decision, Finding } from './decision.ts'
import { highlightsOf, inOrder, primaryOf, type Reason, reasonsOf, uncertaintyOf } from './explain.ts'
import type { Target } from './normalise.ts'
import { observe } from './observe.ts'
import { appliesToChain } from './override.ts'
import { type Policy, policyOf } from './policy.ts'
import { withRedirects } from './redirects.ts'
import type { DecideRequest, Override } from './request.ts'
import { type Routed, route, severityOf } from './route.ts'
import { scoresOf } from './score.ts'
import type { Action } from './stages.ts'
import type { Judged } from './state.ts'
import { structuralOf } from './structural.ts'
import { decideFromStructure } from './structural-decision.ts'
import { validityOf } from './validity.ts'

/**
 * Decides. A pure function of its arguments: no clock (the time is the snapshot's), no I/O, no
 * locale. Equal arguments give equal bytes, forever: see `decisionText`. Throws when the policy is
 * unknown or the snapshot is about another host, which are faults of the caller.
 */
export function decide(snapshot: Snapshot, request: DecideRequest, policyVersion: string, override: Override | null): Decision {
  const policy = policyOf(policyVersion)
  if (!policy) throw new RangeError(`Expected a policy version that this release has, got ${policyVersion}.`)
  if (snapshot.host !== request.target.host)
    throw new RangeError(`Expected a snapshot of ${request.target.host}, got one of ${snapshot.host}.`)
  const judgeTarget = (target: Target, seen: Snapshot) => findingOf(seen, { ...request, target }, policy)
  const own = judgeTarget(request.target, snapshot)
  const chain = policy.engine >= 4 ? snapshot.redirects : undefined
  const found = chain ? withRedirects(own, chain, judgeTarget, policy) : own
  return toDecision(
    found,
    snapshot,
    request,
    policy,
    override !== null && appliesToChain(override, request.target, snapshot) ? override : null,
  )
}

/** The bytes of a decision for storing, comparing and replaying: canonical JSON (RFC 8785). */
export const decisionText = (decision: Decision): string => canonicalText(decision)

function findingOf(snapshot: Snapshot, request: DecideRequest, policy: Policy): Finding {
  const structural = structuralOf(request.target, snapshot, policy)
  return structural ? decideFromStructure(structural, snapshot, request, policy) : decideFromEvidence(snapshot, request, policy)
}

function decideFromEvidence(snapshot: Snapshot, request: DecideRequest, policy: Policy): Finding {
  const judged = judge(request.target, snapshot, policy, 'nothing')
  const { features } = judged
  const best = features.unknown.size === 0 ? judged : judge(request.target, snapshot, policy, 'best')
  const routed = route(judged, best, request, policy)
  const { scores, confidence } = judged
  return {
    action: routed.action,
    confidence: actionConfidence(routed, confidence),
    scores: {
      trust: { score: scores.trust, confidence: confidence.trust / 100 },
      threat: { score: scores.threat, confidence: confidence.threat / 100 },
      deviation: { score: scores.deviation, confidence: confidence.deviation / 100 },
    },
    reasons: reasonsOf(judged, routed, request, policy),
    uncertainty: uncertaintyOf(judged, routed, policy),
    ageDays: features.isTenant ? null : features.ageDays,
    lasts: routed.state,
    restsOnEvidence: true,
    mayBeOverridden: true,
    audit: {
      state: routed.state,
      structural: null,
      points: [...scores.points].sort((a, b) => (a.signal < b.signal ? -1 : 1)),
      families: scores.families,
      coverage: confidence.coverage,
      base: routed.base,
      floors: routed.floors,
      tier: routed.tier,
      shift: routed.shift,
      clamps: routed.clamps,
    },
  }
}

function judge(target: Target, snapshot: Snapshot, policy: Policy, assumption: Assumption): Judged {
  const features = observe(target, snapshot, policy, assumption)
  const scores = scoresOf(features, policy, assumption)
  return { snapshot, features, scores, confidence: confidenceOf(snapshot, features, scores, policy) }
}

/**
 * What speaks for the action: threat for a clear threat, trust for going on, both doubts for what
 * lies between.
 */
function actionConfidence({ state, action }: Routed, { trust, threat, deviation }: Confidence): number {
  if (state === 'A') return threat / 100
  if (action === 'proceed' || action === 'proceed_with_caution') return trust / 100
  return Math.floor((threat + deviation) / 2) / 100
}

function toDecision(
  found: Finding,
  snapshot: Snapshot,
  request: DecideRequest,
  policy: Policy,
  wanted: Override | null,
): Decision {
  const { STRENGTH } = policy.weights
  const { type, value, host, unicode } = request.target
  const isMilder = wanted !== null && severityOf(wanted.action) < severityOf(found.action)
  const override = wanted !== null && (found.mayBeOverridden || !isMilder) ? wanted : null
  const action = override?.action ?? found.action
  const reasons = override ? reasonsWithOverride(found.reasons, action, override, STRENGTH.override) : found.reasons
  // One entry for each source.
  const sources = Object.fromEntries(SOURCES.map((source) => [source, snapshot.sources[source].status])) as Record<Source, string>
  const answered = SOURCES.filter(
    (source) => snapshot.sources[source].status === 'ok' || snapshot.sources[source].status === 'absent',
  )
  return {
    target: { type, value, host, unicode },
    interaction: request.interaction,
    policy: { profile: request.profile, version: policy.version },
    scores: found.scores,
    action,
    confidence: override ? 1 : found.confidence,
    reasonCodes: reasons.map(({ code }) => code),
    primaryReasonCodes: primaryOf(reasons, STRENGTH.primary),
    uncertainty: override ? { ...found.uncertainty, requiresHumanReview: action === 'escalate_to_human' } : found.uncertainty,
    evidence: {
      highlights: highlightsOf(reasons, STRENGTH.highlights),
      highlightsTruncated: reasons.length > STRENGTH.highlights,
      sourceCount: answered.length,
    },
    validity: validityOf(snapshot, { ...found, profile: request.profile, override }, policy),
    override: override && {
      engineAction: found.action,
      reason: override.reason,
      expiresAt: override.expiresAt,
      actor: override.actor,
      ...(override.list && { subject: override.subject, list: override.list }),
    },
    audit: { snapshot: snapshot.id, engine: policy.engine, sources, ...found.audit },
  }
}

/**
 * The caller's word comes first where it opens a door; where it closes one, what speaks against
 * does, and be it the caller's policy alone.
 */
function reasonsWithOverride(reasons: readonly Reason[], action: Action, { list }: Override, strength: number): Reason[] {
  // Says by itself why the action is what it is.
  if (list?.list === 'block') return inOrder([{ code: 'OPERATOR_BLOCK_LISTED', strength }, ...reasons], action)
  if (list) return inOrder([{ code: 'OPERATOR_ALLOW_LISTED', strength }, ...reasons], action)
  const applied: Reason = { code: 'CALLER_OVERRIDE_APPLIED', strength }
  if (action === 'proceed') return [applied, ...inOrder(reasons, action)]
  return inOrder(
    [...reasons.filter(({ code }) => code !== 'POLICY_RISK_ELEVATED'), applied, { code: 'POLICY_RISK_ELEVATED', strength }],
    action,
  )
}
