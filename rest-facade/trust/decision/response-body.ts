import type { WireDecisionFragment, WireResultFragment, WireUsageFragment } from '#generated/operations.ts'
import { lowerCase } from '../../../platform/text/case.ts'
import type { ProblemDetails } from '../../http/problem.ts'
import { invalidInput } from '../problem-details.ts'
import { quotaExceeded } from '../usage-headers.ts'

/** Version of the response's form: the day on which it last changed. */
const VERSION = '2026-11-21'

/**
 * A decision in both shapes at once: the nested one of the long form, and the flat fields of the
 * short one.
 */
export function decisionBody({ request_id, assessment }: WireDecisionFragment, includesEvidence: boolean) {
  const { target, interaction, policy, scores, evidence, validity, override, uncertainty, listEntry } = assessment
  const action = lowerCase(assessment.action)
  const codes = assessment.reasonCodes
  return {
    request_id,
    version: VERSION,
    target: { ...target, type: lowerCase(target.type) },
    interaction: {
      kind: lowerCase(interaction.kind),
      mode: lowerCase(interaction.mode),
      sensitivity: lowerCase(interaction.sensitivity),
    },
    policy_applied: { ...policy, profile: lowerCase(policy.profile) },
    state: lowerCase(assessment.state),
    scores,
    decision: {
      recommended_action: action,
      action_confidence: assessment.confidence,
      reason_codes: codes,
      decision_rationale: {
        primary_reason_codes: assessment.primaryReasonCodes,
        uncertainty_influencers: uncertainty.drivers,
      },
    },
    uncertainty: {
      state: lowerCase(uncertainty.level),
      requires_human_review: uncertainty.requires_human_review,
      drivers: uncertainty.drivers,
    },
    ...(includesEvidence && {
      evidence: {
        ...evidence,
        highlights: evidence.highlights.map((highlight) => ({ ...highlight, impact: lowerCase(highlight.impact) })),
      },
    }),
    validity,
    override: override && {
      engine_action: lowerCase(override.engineAction),
      reason: override.reason,
      expires_at: override.expires_at,
    },
    // Only where one applies: clients that know nothing of lists get what they always got.
    ...(listEntry && {
      list_entry: {
        id: listEntry.id,
        list: lowerCase(listEntry.list),
        scope: lowerCase(listEntry.scope),
        host: listEntry.host,
        engine_action: lowerCase(listEntry.engineAction),
        reason: listEntry.reason,
        expires_at: listEntry.expires_at,
      },
    }),
    recommended_action: action,
    confidence: assessment.confidence,
    signals: codes,
    reason_codes: codes,
  }
}

/** The expected failure in a result; null when it is a decision. */
export function problemOfResult(result: WireResultFragment, usage: WireUsageFragment): ProblemDetails | null {
  switch (result.__typename) {
    case 'DecisionMade':
      return null
    case 'InvalidTarget':
      return invalidInput(result.faults)
    case 'QuotaExceeded':
      return quotaExceeded(result.message, usage)
  }
}

/** Lets the client cache the decision while it is valid; `now` is in milliseconds. */
export function validityHeaders(
  { assessment: { validity } }: WireDecisionFragment,
  now: number,
): Readonly<Record<string, string>> {
  const seconds = Math.max(0, Math.floor((Date.parse(validity.valid_until) - now) / 1000))
  return { 'cache-control': `private, max-age=${seconds}`, vary: 'Accept-Encoding, Authorization, X-API-Key' }
}
