import { type Snapshot, SOURCES, type Source } from '../evidence.ts'
import { decideByForm } from './by-form.ts'
import { canonicalText } from './canonical.ts'
import type { Code } from './codes.ts'
import { type Confidence, confidenceOf } from './confidence.ts'
import {
  type Highlight,
  highlightsOf,
  inOrder,
  primaryOf,
  type Reason,
  reasonsOf,
  type Uncertainty,
  uncertaintyOf,
} from './explain.ts'
import type { Target } from './normalise.ts'
import { type Features, observe } from './observe.ts'
import { appliesTo } from './override.ts'
import { type Policy, policyOf } from './policy.ts'
import type { DecideRequest, Interaction, Override } from './request.ts'
import { type Clamp, type Floor, type Routed, route, severityOf } from './route.ts'
import { type Points, scoresOf } from './score.ts'
import type { Action, Profile, State, Tier } from './stages.ts'
import type { Judged } from './state.ts'
import { type Structural, structuralOf } from './structural.ts'
import { type Validity, validityOf } from './validity.ts'
import type { Family } from './weights.ts'

/** A score of 0 to 100 and how sure it is, 0 to 1. */
export type Score = { readonly score: number; readonly confidence: number }

/** The answer to one request: all that every wire format needs, and how it came about. Plain JSON without anything that depends on when it is computed. */
export type Decision = {
  readonly target: Pick<Target, 'type' | 'value' | 'host' | 'unicode'>
  readonly interaction: Interaction
  readonly policy: { readonly profile: Profile; readonly version: string }
  readonly scores: { readonly trust: Score; readonly threat: Score; readonly deviation: Score }
  readonly action: Action
  /** 0 to 1, whatever speaks for this action. */
  readonly confidence: number
  /** In the order in which they explain the action; never empty. */
  readonly reasonCodes: readonly Code[]
  /** The deciding ones among them. */
  readonly primaryReasonCodes: readonly Code[]
  readonly uncertainty: Uncertainty
  readonly evidence: {
    readonly highlights: readonly Highlight[]
    readonly highlightsTruncated: boolean
    readonly sourceCount: number
  }
  readonly validity: Validity
  /** What the caller's override replaced; null without one. */
  readonly override: {
    readonly engineAction: Action
    readonly reason: string
    readonly expiresAt: number | null
    readonly actor: string
  } | null
  readonly audit: Audit
}

/** How a decision came about: enough to follow it with a pencil. */
export type Audit = {
  readonly snapshot: string
  readonly engine: number
  /** Null when the form of the target decided. */
  readonly state: State | null
  readonly structural: Structural['rule'] | null
  readonly sources: Readonly<Record<Source, string>>
  readonly points: readonly Points[]
  readonly families: readonly Family[]
  /** In percent of what matters. */
  readonly coverage: number
  readonly base: Action
  readonly floors: readonly Floor[]
  readonly tier: Tier
  readonly shift: number
  readonly clamps: readonly Clamp[]
}

/**
 * Decides. A pure function of its arguments: no clock (the time is the snapshot's), no I/O, no locale. Equal arguments give equal bytes, forever: see
 * `decisionText`. Throws when the policy is unknown or the snapshot is about another host, which are faults of the caller.
 */
export function decide(snapshot: Snapshot, request: DecideRequest, policyVersion: string, override: Override | null): Decision {
  const policy = policyOf(policyVersion)
  if (!policy) throw new RangeError(`Expected a policy version that this release has, got ${policyVersion}.`)
  if (snapshot.host !== request.target.host)
    throw new RangeError(`Expected a snapshot of ${request.target.host}, got one of ${snapshot.host}.`)
  const structural = structuralOf(request.target, snapshot, policy)
  const found = structural ? decideByForm(structural, snapshot, request, policy) : decideByEvidence(snapshot, request, policy)
  return written(
    found,
    snapshot,
    request,
    policy,
    override !== null && appliesTo(override, request.target, snapshot.collectedAt) ? override : null,
  )
}

/** The bytes of a decision for storing, comparing and replaying: canonical JSON (RFC 8785). */
export const decisionText = (decision: Decision): string => canonicalText(decision)

/** What either way of deciding comes to. */
export type Finding = {
  readonly action: Action
  readonly confidence: number
  readonly scores: Decision['scores']
  readonly reasons: readonly Reason[]
  readonly uncertainty: Uncertainty
  readonly ageDays: number | null
  /** For how long it holds at most: a row of the table of validity. */
  readonly lasts: State | 'structural'
  /** Whether it ends with what the sources said. */
  readonly restsOnEvidence: boolean
  readonly mayBeOverridden: boolean
  readonly audit: Pick<
    Audit,
    'state' | 'structural' | 'points' | 'families' | 'coverage' | 'base' | 'floors' | 'tier' | 'shift' | 'clamps'
  >
}

function decideByEvidence(snapshot: Snapshot, request: DecideRequest, policy: Policy): Finding {
  const features = observe(request.target, snapshot, policy)
  const judged = judge(snapshot, features, policy, 'nothing')
  const best = features.unknown.size === 0 ? judged : judge(snapshot, features, policy, 'best')
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

function judge(snapshot: Snapshot, features: Features, policy: Policy, assumption: 'nothing' | 'best'): Judged {
  const scores = scoresOf(features, policy, assumption)
  return { snapshot, features, scores, confidence: confidenceOf(snapshot, features, scores, policy) }
}

/** What speaks for the action: threat for a clear threat, trust for going on, both doubts for what lies between. */
function actionConfidence({ state, action }: Routed, { trust, threat, deviation }: Confidence): number {
  if (state === 'A') return threat / 100
  if (action === 'proceed' || action === 'proceed_with_caution') return trust / 100
  return Math.floor((threat + deviation) / 2) / 100
}

function written(found: Finding, snapshot: Snapshot, request: DecideRequest, policy: Policy, wanted: Override | null): Decision {
  const { STRENGTH } = policy.weights
  const { type, value, host, unicode } = request.target
  const isMilder = wanted !== null && severityOf(wanted.action) < severityOf(found.action)
  const override = wanted !== null && (found.mayBeOverridden || !isMilder) ? wanted : null
  const action = override?.action ?? found.action
  const reasons = override ? reasonsWithOverride(found.reasons, action, STRENGTH.override) : found.reasons
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
    },
    audit: { snapshot: snapshot.id, engine: policy.engine, sources, ...found.audit },
  }
}

/** The caller's word comes first where it opens a door; where it closes one, what speaks against does, and be it the caller's policy alone. */
function reasonsWithOverride(reasons: readonly Reason[], action: Action, strength: number): Reason[] {
  const applied: Reason = { code: 'CALLER_OVERRIDE_APPLIED', strength }
  if (action === 'proceed') return [applied, ...inOrder(reasons, action)]
  return inOrder(
    [...reasons.filter(({ code }) => code !== 'POLICY_RISK_ELEVATED'), applied, { code: 'POLICY_RISK_ELEVATED', strength }],
    action,
  )
}
