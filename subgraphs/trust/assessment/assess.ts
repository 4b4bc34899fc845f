import type { Snapshot } from '../evidence.ts'
import type { Decision } from '../pipeline/decision.ts'
import { DEFAULT_INTERACTION, DEFAULT_PROFILE, type DecideRequest, type Override } from '../pipeline/request.ts'
import { secondsOf } from '../words.ts'
import { type Engine, evidenceIn, needsEvidence } from './engine.ts'
import type { Sources } from './sources.ts'

/** A decision and the evidence that it was made from. */
export type Assessed = { readonly snapshot: Snapshot; readonly decision: Decision }

export type AssessParts = { readonly engine: Engine; readonly sources: Sources; readonly now: () => Date }

/** Looks at a target and decides. */
export async function assess(request: DecideRequest, parts: AssessParts): Promise<Assessed> {
  return judged(await lookedAt(request.target, null, parts), request, null, { engine: parts.engine, at: secondsOf(parts.now()) })
}

/** What is known of a target, and all that is needed to decide about it. `known` is a snapshot to go on using, if there is one. */
export async function lookedAt(
  target: DecideRequest['target'],
  known: Snapshot | null,
  { engine, sources, now }: AssessParts,
): Promise<Snapshot> {
  const { host, name } = target
  const snapshot = needsEvidence(target)
    ? (known ?? (await sources.evidenceFor({ host, registrable: name.registrable })))
    : (known ?? engine.snapshotOf(host, secondsOf(now()), []))
  await engine.prepare(engine.policyVersion)
  return snapshot
}

/**
 * Decides from evidence that is there. The clock of a decision is its snapshot's: where evidence is good for longer than what was decided from it, it is
 * put together anew at `at`, and decided about again.
 */
export function judged(
  snapshot: Snapshot,
  request: DecideRequest,
  override: Override | null,
  { engine, at }: { readonly engine: Engine; readonly at: number },
): Assessed {
  const decision = engine.decide(snapshot, request, engine.policyVersion, override)
  if (decision.validity.validUntil > at) return { snapshot, decision }
  const renewed = engine.snapshotOf(snapshot.host, at, evidenceIn(snapshot))
  return { snapshot: renewed, decision: engine.decide(renewed, request, engine.policyVersion, override) }
}

/** The question that nobody has asked: fetching, under the balanced policy. */
export const usualRequest = (target: DecideRequest['target']): DecideRequest => ({
  target,
  interaction: DEFAULT_INTERACTION,
  profile: DEFAULT_PROFILE,
})
