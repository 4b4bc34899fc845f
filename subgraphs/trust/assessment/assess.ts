import type { Snapshot } from '../evidence.ts'
import type { Decision } from '../pipeline/decision.ts'
import { DEFAULT_INTERACTION, DEFAULT_PROFILE, type DecideRequest, type Override } from '../pipeline/request.ts'
import { toUnixSeconds } from '../unix-time.ts'
import { type Engine, listEvidence, needsEvidence } from './engine.ts'
import type { Sources } from './sources.ts'

/** A decision and the evidence that it was made from. */
export type Assessed = { readonly snapshot: Snapshot; readonly decision: Decision }

export type AssessParts = { readonly engine: Engine; readonly sources: Sources; readonly now: () => Date }

/** Collects evidence about a target and decides. */
export async function assess(request: DecideRequest, parts: AssessParts): Promise<Assessed> {
  return decideFromSnapshot(await loadOrCollectSnapshot(request.target, null, parts), request, null, {
    engine: parts.engine,
    at: toUnixSeconds(parts.now()),
  })
}

/** Snapshot of a target: `known` when given, else collected. Also prepares the policy tables. */
export async function loadOrCollectSnapshot(
  target: DecideRequest['target'],
  known: Snapshot | null,
  { engine, sources, now }: AssessParts,
): Promise<Snapshot> {
  const { host, name } = target
  const snapshot = needsEvidence(target)
    ? (known ?? (await sources.evidenceFor({ host, registrable: name.registrable })))
    : (known ?? engine.snapshotOf(host, toUnixSeconds(now()), []))
  await engine.prepare(engine.policyVersion)
  return snapshot
}

/**
 * Decides from evidence that is there. The clock of a decision is its snapshot's: where evidence is
 * good for longer than what was decided from it, it is put together anew at `at`, and decided about
 * again.
 */
export function decideFromSnapshot(
  snapshot: Snapshot,
  request: DecideRequest,
  override: Override | null,
  { engine, at }: { readonly engine: Engine; readonly at: number },
): Assessed {
  const decision = engine.decide(snapshot, request, engine.policyVersion, override)
  if (decision.validity.validUntil > at) return { snapshot, decision }
  const renewed = engine.snapshotOf(snapshot.host, at, listEvidence(snapshot))
  return { snapshot: renewed, decision: engine.decide(renewed, request, engine.policyVersion, override) }
}

/** The default request: fetch under the balanced policy. */
export const defaultRequest = (target: DecideRequest['target']): DecideRequest => ({
  target,
  interaction: DEFAULT_INTERACTION,
  profile: DEFAULT_PROFILE,
})
