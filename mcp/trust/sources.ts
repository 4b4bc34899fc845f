import { z } from 'zod'
import type { CheckSourcesQuery, CheckSourcesQueryVariables } from '#generated/operations.ts'
import { upperCase } from '../../platform/text/case.ts'
import { textOfFaults } from '../answer.ts'
import { argumentsOf } from '../arguments.ts'
import { text } from '../scalars.ts'
import type { Form } from '../tool.ts'

/** Batch limit of the graph's `decide` operation. */
const MAX_SOURCES = 100
const expectation = `a list of 1 to ${MAX_SOURCES} domains or URLs`

const KINDS = ['navigate', 'fetch', 'enrich', 'download_file', 'submit_credentials', 'initiate_payment'] as const
const PROFILES = ['open', 'balanced', 'strict', 'critical'] as const

const accepts = argumentsOf({
  sources: z
    .array(text(2_048), { error: expectation })
    .min(1, { error: expectation })
    .max(MAX_SOURCES, { error: expectation })
    .describe(
      'Domains or http(s) URLs, in any order. A URL is assessed with its path and query, of which only hashes are stored.',
    ),
  kind: z
    .enum(KINDS, { error: `one of ${KINDS.join(', ')}` })
    .default('fetch')
    .describe('Planned interaction, in order of risk.'),
  policy: z
    .enum(PROFILES, { error: `one of ${PROFILES.join(', ')}` })
    .default('balanced')
    .describe('Policy profile, most tolerant first.'),
})

const gated = z.object({
  source: z.string().describe('As given.'),
  recommended_action: z.string().describe('proceed, proceed_with_caution, sandbox, escalate_to_human or deny.'),
  confidence: z.number().describe('Confidence in the action, 0 to 1.'),
  reason_codes: z.array(z.string()).describe('Reasons, most decisive first.'),
  requires_human_review: z.boolean().describe('True when a person should review it.'),
  valid_until: z.string().describe('Expiry time of the decision, RFC 3339.'),
  decision_id: z.string().describe('For explain_decision.'),
})
type Gated = z.infer<typeof gated>

const unverified = z.object({
  source: z.string().describe('As given.'),
  reason: z.string().describe('Reason for the missing decision, and the remedy.'),
})

const groups = z.object({
  approved: z.array(gated).describe('Use these; with `proceed_with_caution`, treat responses with caution.'),
  sandboxed: z.array(gated).describe('Use these only in a sandbox, or after a person has approved.'),
  denied: z.array(gated).describe('Do not use these.'),
  unverified: z.array(unverified).describe('Do not use these: no decision is available.'),
})
type Groups = z.infer<typeof groups>

/** Group by recommended action. */
const GROUPS = {
  PROCEED: 'approved',
  PROCEED_WITH_CAUTION: 'approved',
  SANDBOX: 'sandboxed',
  ESCALATE_TO_HUMAN: 'sandboxed',
  DENY: 'denied',
} as const

/** Checks a list of sources, and returns them in four groups; order is kept within a group. */
export const sourcesForm: Form<CheckSourcesQuery, CheckSourcesQueryVariables> = {
  accepts,
  returns: groups,
  variables(input) {
    // `input` was parsed by `accepts`.
    const { sources, kind, policy } = input as z.output<typeof accepts>
    return {
      inputs: sources.map((source) => ({
        target: { value: source },
        interaction: { kind: upperCase(kind) },
        policy: upperCase(policy),
      })),
    }
  },
  content({ batch: { results } }, input) {
    // `input` was parsed by `accepts`.
    const { sources } = input as z.output<typeof accepts>
    const grouped: Groups = { approved: [], sandboxed: [], denied: [], unverified: [] }
    for (const [index, result] of results.entries()) {
      const source = sources[index] ?? ''
      switch (result.__typename) {
        case 'DecisionMade':
          grouped[GROUPS[result.decision.assessment.action]].push(gatedOf(source, result.decision))
          break
        case 'InvalidTarget':
          grouped.unverified.push({ source, reason: textOfFaults(result.faults) })
          break
        case 'QuotaExceeded':
          grouped.unverified.push({ source, reason: result.message })
      }
    }
    return grouped
  },
}

type Decision = Extract<CheckSourcesQuery['batch']['results'][number], { readonly __typename: 'DecisionMade' }>['decision']

function gatedOf(source: string, { decision_id, assessment }: Decision): Gated {
  const { action, confidence, reason_codes, uncertainty, validity } = assessment
  return {
    source,
    recommended_action: action.toLowerCase(),
    confidence,
    reason_codes: [...reason_codes],
    requires_human_review: uncertainty.requires_human_review,
    valid_until: validity.valid_until,
    decision_id,
  }
}
