import type { Snapshot } from '../evidence.ts'
import { type Confidence, confidenceOf } from './confidence.ts'
import type { Finding } from './decision.ts'
import { inOrder, type Reason, reasonsIn, uncertaintyIn } from './explain.ts'
import type { Policy } from './policy.ts'
import { observeAddress } from './public-address.ts'
import type { DecideRequest } from './request.ts'
import { severityOf, tierOf } from './route.ts'
import { scoresOf } from './score.ts'
import { ACTIONS, type Action, TIERS, type Tier } from './stages.ts'
import type { Structural } from './structural.ts'

/** Decides about a target whose form decides. */
export function decideFromStructure(structural: Structural, snapshot: Snapshot, request: DecideRequest, policy: Policy): Finding {
  // Engine 1 was sure of public addresses as well, whether or not any feed had answered.
  return structural.rule === 'public-address' && policy.engine >= 2
    ? decideAddress(structural, snapshot, request, policy)
    : decideWithoutEvidence(structural, request, policy)
}

/** No evidence can change this. */
function decideWithoutEvidence(structural: Structural, request: DecideRequest, policy: Policy): Finding {
  const { CONFIDENCE, STRENGTH } = policy.weights
  const routed = routeOf(structural, request, policy)
  const sure = CONFIDENCE.structural / 100
  const reasons = structural.codes.map((code): Reason => ({ code, strength: STRENGTH.decisive }))
  return {
    action: routed.action,
    confidence: sure,
    scores: {
      trust: { score: 0, confidence: sure },
      threat: { score: structural.action === 'deny' ? 100 : 0, confidence: sure },
      deviation: { score: structural.action === 'deny' ? 100 : policy.weights.BANDS.medium, confidence: sure },
    },
    reasons: reasonsFor(routed, reasons, policy),
    uncertainty: { state: 'low', requiresHumanReview: routed.action === 'escalate_to_human', drivers: [] },
    ageDays: null,
    lasts: structural.lasts,
    restsOnEvidence: false,
    mayBeOverridden: structural.mayBeOverridden,
    audit: auditOf(structural, routed, { points: [], families: [], coverage: 0 }),
  }
}

/** Its form shows that an address is no name; the rest depends on feeds, with their confidence. */
function decideAddress(structural: Structural, snapshot: Snapshot, request: DecideRequest, policy: Policy): Finding {
  const { CONFIDENCE, STRENGTH } = policy.weights
  const features = observeAddress(request.target, snapshot, policy)
  const scores = scoresOf(features, policy, 'nothing')
  const confidence = confidenceOf(snapshot, features, scores, policy, CONFIDENCE.coverageOfAddress)
  const routed = routeOf(structural, request, policy)
  const isSparse = confidence.overall < CONFIDENCE.sparse
  const reasons = reasonsIn(scores.points, policy)
  if (isSparse) reasons.push({ code: 'SPARSE_EVIDENCE', strength: STRENGTH.derived })
  return {
    action: routed.action,
    confidence: confidenceIn(structural.action, confidence),
    scores: {
      trust: { score: scores.trust, confidence: confidence.trust / 100 },
      threat: { score: scores.threat, confidence: confidence.threat / 100 },
      deviation: { score: scores.deviation, confidence: confidence.deviation / 100 },
    },
    reasons: reasonsFor(routed, reasons, policy),
    uncertainty: {
      state: uncertaintyIn(confidence, policy),
      requiresHumanReview: routed.action === 'escalate_to_human',
      drivers: features.drivers,
    },
    ageDays: null,
    // As long as a name of which as much is known.
    lasts: isSparse ? 'C' : structural.action === 'deny' ? 'A' : 'F',
    restsOnEvidence: true,
    mayBeOverridden: structural.mayBeOverridden,
    audit: auditOf(structural, routed, {
      points: [...scores.points].sort((a, b) => (a.signal < b.signal ? -1 : 1)),
      families: scores.families,
      coverage: confidence.coverage,
    }),
  }
}

const confidenceIn = (action: Action, { threat, deviation }: Confidence): number =>
  action === 'deny' ? threat / 100 : Math.floor((threat + deviation) / 2) / 100

type StructuralRouting = {
  readonly action: Action
  readonly tier: Tier
  readonly shift: number
  readonly isShifted: boolean
}

/** The interaction makes it stricter, up to a person's decision; a denial stays one. */
function routeOf(structural: Structural, { interaction }: DecideRequest, policy: Policy): StructuralRouting {
  const { INTERACTION } = policy.weights
  const tier = tierOf(interaction, policy)
  const shift = structural.shifts ? (INTERACTION.shift[TIERS.indexOf(tier)] ?? 0) : 0
  const shifted = ACTIONS[Math.min(severityOf(structural.action) + shift, severityOf('escalate_to_human'))] ?? 'escalate_to_human'
  const action = structural.action === 'deny' ? 'deny' : shifted
  return { action, tier, shift, isShifted: action !== structural.action }
}

function reasonsFor(
  { action, isShifted }: StructuralRouting,
  reasons: readonly Reason[],
  { weights }: Policy,
): readonly Reason[] {
  const all = isShifted
    ? [...reasons, { code: 'INTERACTION_RISK_ELEVATED', strength: weights.STRENGTH.derived } as const]
    : reasons
  return inOrder([...new Map(all.map((reason) => [reason.code, reason])).values()], action)
}

const auditOf = (
  { rule, action }: Structural,
  { tier, shift }: StructuralRouting,
  scored: Pick<Finding['audit'], 'points' | 'families' | 'coverage'>,
): Finding['audit'] => ({ state: null, structural: rule, ...scored, base: action, floors: [], tier, shift, clamps: [] })
