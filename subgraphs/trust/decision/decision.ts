import type { Engine } from '../assessment/engine.ts'
import type { Snapshot } from '../evidence.ts'
import type { InputFault } from '../input-fault.ts'
import type { Decision as Judgement } from '../pipeline/decision.ts'
import type { Target, TargetType } from '../pipeline/normalise.ts'
import {
  DEFAULT_INTERACTION,
  DEFAULT_PROFILE,
  type DecideRequest,
  type InteractionKind,
  type InteractionMode,
  type Override,
  type Sensitivity,
} from '../pipeline/request.ts'
import type { Profile } from '../pipeline/stages.ts'

/** Input of a decision: absent parts have defaults. */
export type DecisionInput = {
  readonly domain?: string | null | undefined
  readonly target?: { readonly type: TargetType; readonly value: string } | null | undefined
  readonly interaction?:
    | {
        readonly kind?: InteractionKind | null
        readonly mode?: InteractionMode | null
        readonly sensitivity?: Sensitivity | null
      }
    | null
    | undefined
  readonly profile?: Profile | null | undefined
}

/** An answer that was given. */
export type Decision = {
  readonly id: string
  /** Row id of the caller's key. */
  readonly keyId: string
  readonly createdAt: Date
  readonly request: DecideRequest
  readonly policyVersion: string
  readonly override: Override | null
  readonly judgement: Judgement
  /** `judgement` as it is stored. */
  readonly text: string
  readonly snapshot: Snapshot
  readonly elapsedMs: number
}

/** The parsed input, or its faults; then `faults` is not empty. */
export function parseDecisionInput(
  question: DecisionInput,
  engine: Pick<Engine, 'normalise'>,
): DecideRequest | { readonly faults: readonly InputFault[] } {
  const { domain, target, interaction, profile } = question
  const read = [
    ...(target == null ? [] : [{ field: 'target.value', found: engine.normalise(target.type, target.value) }]),
    ...(domain == null ? [] : [{ field: 'domain', found: engine.normalise('domain', domain) }]),
  ]
  const faults = read.flatMap(({ field, found }) =>
    found.kind === 'invalid' ? [{ field, code: found.code, message: `${field}: ${found.message}` }] : [],
  )
  if (faults.length > 0) return { faults }
  const targets = read.flatMap(({ found }): Target[] => (found.kind === 'target' ? [found.target] : []))
  const [first, second] = targets
  if (!first) return { faults: [{ field: 'domain', code: 'missing', message: 'Expected "domain" or "target".' }] }
  if (second && second.host !== first.host) {
    const message = `Expected "domain" and "target" to mean the same host, got ${second.host} and ${first.host}.`
    return { faults: [{ field: 'domain', code: 'mismatch', message }] }
  }
  return {
    target: first,
    interaction: {
      kind: interaction?.kind ?? DEFAULT_INTERACTION.kind,
      mode: interaction?.mode ?? DEFAULT_INTERACTION.mode,
      sensitivity: interaction?.sensitivity ?? DEFAULT_INTERACTION.sensitivity,
    },
    profile: profile ?? DEFAULT_PROFILE,
  }
}
