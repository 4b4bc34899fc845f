import { z } from 'zod'
import type { Engine } from '../../subgraphs/trust/assessment/engine.ts'
import type { RedirectChain, RedirectHop } from '../../subgraphs/trust/evidence.ts'
import type { Decision } from '../../subgraphs/trust/pipeline/decision.ts'
import type { Target } from '../../subgraphs/trust/pipeline/normalise.ts'
import {
  INTERACTION_KINDS,
  INTERACTION_MODES,
  type Override,
  PROFILES,
  SENSITIVITIES,
} from '../../subgraphs/trust/pipeline/request.ts'
import { ACTIONS } from '../../subgraphs/trust/pipeline/stages.ts'
import { caseEvidence, evidenceOf, texts, time } from './case-evidence.ts'

/** A labelled case: a decision request with evidence and the expected decision. */
export const caseForm = z.object({
  name: z.string(),
  domain: z.string(),
  // Null: no evidence, or a target that is expected to be refused.
  evidence: caseEvidence.nullable(),
  // Where the URL leads; absent when it was not followed.
  redirects: z
    .object({
      end: z.enum(['answered', 'loop', 'too_many', 'blocked', 'failed', 'timeout']),
      hops: z.array(z.object({ url: z.string(), evidence: caseEvidence })),
    })
    .optional(),
  interaction: z.object({
    kind: z.enum(INTERACTION_KINDS),
    mode: z.enum(INTERACTION_MODES),
    sensitivity: z.enum(SENSITIVITIES),
  }),
  policy: z.enum(PROFILES),
  override: z.object({ action: z.enum(ACTIONS), reason: z.string(), expires: time }).nullish(),
  expect: z.object({
    // Expected status codes of the REST API; 422 allows a refusal of the target.
    http: z.array(z.int()).optional(),
    actions: z.array(z.string()),
    mustNot: z.array(z.string()),
    mustHaveCodes: texts,
    anyOfCodes: z.array(texts),
    mustNotCodes: texts,
    uncertainty: z.string().optional(),
    why: z.string(),
  }),
})
export type Case = z.infer<typeof caseForm>

/** A case with its actual decision. */
export type JudgedCase = {
  readonly wanted: Case
  /** Null: the target was refused. */
  readonly decision: Decision | null
  /** Differences from the expectation, one sentence each; empty for a pass. */
  readonly breaches: readonly string[]
}

/** Decides about a case at the time of its evidence. */
export function judgedCase(wanted: Case, engine: Engine): JudgedCase {
  const found = engine.normalise('domain', wanted.domain)
  if (found.kind === 'invalid') return { wanted, decision: null, breaches: breachesOf(wanted, null) }
  const { target } = found
  const evidence = wanted.evidence ? evidenceOf(wanted.evidence, target) : []
  const snapshot = engine.snapshotOf(target.host, wanted.evidence?.collectedAt ?? 0, evidence, redirectsOf(wanted, engine))
  const request = { target, interaction: wanted.interaction, profile: wanted.policy }
  const decision = engine.decide(snapshot, request, engine.policyVersion, overrideOf(wanted, target))
  return { wanted, decision, breaches: breachesOf(wanted, decision) }
}

/** The redirects of a case; undefined when they were not followed. */
function redirectsOf({ redirects, evidence }: Case, engine: Engine): RedirectChain | undefined {
  if (!redirects) return undefined
  const hops = redirects.hops.flatMap(({ url, evidence: ofHop }): RedirectHop[] => {
    const found = engine.normalise('url', url)
    if (found.kind === 'invalid') return []
    const { target } = found
    return [{ target, snapshot: engine.snapshotOf(target.host, ofHop.collectedAt, evidenceOf(ofHop, target)) }]
  })
  return { end: redirects.end, followedAt: evidence?.collectedAt ?? 0, hops }
}

/** The caller's override of a case; null without one. */
const overrideOf = ({ override }: Case, { host }: Target): Override | null =>
  override
    ? { subject: host, action: override.action, reason: override.reason, expiresAt: override.expires, actor: 'caller' }
    : null

function breachesOf({ expect }: Case, decision: Decision | null): string[] {
  if (decision === null) return expect.http?.includes(422) ? [] : ['its target was refused']
  // Widened to strings: the file's expectations may contain unknown codes.
  const said = [...decision.reasonCodes, ...decision.uncertainty.drivers] as readonly string[]
  const { action, uncertainty } = decision
  return [
    ...(expect.mustNot.includes(action) ? [`${action} is not allowed here`] : []),
    ...(expect.actions.includes(action) ? [] : [`expected ${expect.actions.join(' or ')}, got ${action}`]),
    ...expect.mustHaveCodes.flatMap((code) => (said.includes(code) ? [] : [`expected it to say ${code}`])),
    ...expect.anyOfCodes.flatMap((any) => (any.some((code) => said.includes(code)) ? [] : [`expected one of ${any.join(', ')}`])),
    ...expect.mustNotCodes.flatMap((code) =>
      // Widened to strings: the file's expectations may contain unknown codes.
      (decision.reasonCodes as readonly string[]).includes(code) ? [`it must not say ${code}`] : [],
    ),
    ...(expect.uncertainty === undefined || expect.uncertainty === uncertainty.state
      ? []
      : [`expected ${expect.uncertainty} uncertainty, got ${uncertainty.state}`]),
  ]
}
