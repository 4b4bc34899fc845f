import type { FeedHit, Snapshot } from '../evidence.ts'
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
  const { host } = target
  const snapshot = needsEvidence(target)
    ? (known ?? (await collectSnapshot(target, { engine, sources })))
    : (known ?? engine.snapshotOf(host, toUnixSeconds(now()), []))
  await engine.prepare(engine.policyVersion)
  return snapshot
}

/** Evidence about the host, with what feeds list of the URL, which the host's evidence may lack. */
async function collectSnapshot(
  { host, name, url }: DecideRequest['target'],
  { engine, sources }: Pick<AssessParts, 'engine' | 'sources'>,
): Promise<Snapshot> {
  const [snapshot, listed] = await Promise.all([
    sources.evidenceFor({ host, registrable: name.registrable }),
    url && sources.listedUrls ? sources.listedUrls(url) : [],
  ])
  return listed === null || listed.length > 0 ? withListedUrls(snapshot, listed, engine) : snapshot
}

/** Name of the lookup of URLs among feeds that did not answer. */
const URL_LOOKUP = 'urls'

/** `listed`: null where the lookup failed, which decisions have to know. */
function withListedUrls(snapshot: Snapshot, listed: readonly FeedHit[] | null, engine: Pick<Engine, 'snapshotOf'>): Snapshot {
  const { feeds } = snapshot.sources
  if (feeds.status !== 'ok') return snapshot
  const found = new Set((listed ?? []).map(({ feed, indicator }) => `${feed} ${indicator}`))
  const hits = [...(listed ?? []), ...feeds.facts.hits.filter(({ feed, indicator }) => !found.has(`${feed} ${indicator}`))]
  const failed =
    listed === null ? [...feeds.facts.failed, { feed: URL_LOOKUP, reason: 'unavailable' as const }] : feeds.facts.failed
  const evidence = { ...feeds, facts: { ...feeds.facts, hits, failed } }
  const others = listEvidence(snapshot).filter(({ source }) => source !== 'feeds')
  return engine.snapshotOf(snapshot.host, snapshot.collectedAt, [...others, { source: 'feeds', evidence }])
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
