import { type Assessed, type AssessParts, assess } from '../assessment/assess.ts'
import { type DecisionInput, parseDecisionInput } from '../decision/decision.ts'
import type { InputFault } from '../input-fault.ts'
import type { Alternative } from '../pipeline/alternatives.ts'
import type { TrialLimit } from './limit.ts'

/** Result of a trial. */
export type TrialResult =
  | {
      readonly kind: 'made'
      readonly assessed: Assessed
      readonly alternatives: readonly Alternative[]
      readonly remaining: number
    }
  | { readonly kind: 'invalid'; readonly faults: readonly InputFault[] }

/**
 * Decides for a caller without a key. Rejects with RATE_LIMITED; an invalid input costs nothing.
 */
export async function runTrial(
  question: DecisionInput,
  address: string,
  parts: AssessParts & { readonly trials: TrialLimit },
): Promise<TrialResult> {
  const { engine, trials } = parts
  const request = parseDecisionInput(question, engine)
  if ('faults' in request) return { kind: 'invalid', faults: request.faults }
  const remaining = await trials(address)
  const assessed = await assess(request, parts)
  return { kind: 'made', assessed, alternatives: engine.alternativesTo(assessed.snapshot, request), remaining }
}
