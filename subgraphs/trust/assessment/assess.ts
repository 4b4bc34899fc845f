import type { FeedHit, RedirectChain, Snapshot } from '../evidence.ts'
import type { Decision } from '../pipeline/decision.ts'
import type { Target } from '../pipeline/normalise.ts'
import { DEFAULT_INTERACTION, DEFAULT_PROFILE, type DecideRequest, type Override } from '../pipeline/request.ts'
import { toUnixSeconds } from '../unix-time.ts'
import { type Engine, listEvidence, needsEvidence } from './engine.ts'
import type { ListMatcher } from './list-matcher.ts'
import { applyLists } from './listed.ts'
import type { Sources } from './sources.ts'

/** A decision and the evidence that it was made from. */
export type Assessed = { readonly snapshot: Snapshot; readonly decision: Decision }

export type AssessParts = {
  readonly engine: Engine
  readonly sources: Sources
  readonly lists: ListMatcher
  readonly now: () => Date
}

/** Collects evidence about a target and decides, with the operator's lists and without overrides. */
export async function assess(request: DecideRequest, parts: AssessParts): Promise<Assessed> {
  const { target } = request
  const [collected, override] = await Promise.all([
    loadOrCollectSnapshot(target, null, target.value, parts),
    parts.lists.overrideFor(target, null, toUnixSeconds(parts.now())),
  ])
  const at = toUnixSeconds(parts.now())
  const listed = await applyLists({ target, snapshot: collected, override }, { ...parts, at })
  return decideFromSnapshot(listed.snapshot, request, listed.override, { engine: parts.engine, at })
}

/**
 * Snapshot of a target: `known` when given, else collected. `sentValue`: the target with its path,
 * which is not stored. Also prepares the policy tables.
 */
export async function loadOrCollectSnapshot(
  target: DecideRequest['target'],
  known: Snapshot | null,
  sentValue: string,
  { engine, sources, now }: Omit<AssessParts, 'lists'>,
): Promise<Snapshot> {
  const { host } = target
  const snapshot = needsEvidence(target)
    ? (known ?? (await collectWithRedirects(target, sentValue, { engine, sources, now })))
    : (known ?? engine.snapshotOf(host, toUnixSeconds(now()), []))
  await engine.prepare(engine.policyVersion)
  return snapshot
}

/** Time that is left for the evidence about the hosts of a chain once it is known. Milliseconds. */
const HOPS_BUDGET_MS = 1_500

/** Evidence about a target, and about every URL that it forwards to. */
async function collectWithRedirects(target: Target, sentValue: string, parts: Omit<AssessParts, 'lists'>): Promise<Snapshot> {
  const { engine, sources, now } = parts
  const { redirects } = sources
  const isFollowed = redirects && target.url !== undefined && (redirects.of === 'all' || engine.isRedirector(target))
  if (!isFollowed) return collectSnapshot(target, parts)
  const [snapshot, chain] = await Promise.all([collectSnapshot(target, parts), collectChain(redirects.follow)])
  // One clock for all that the decision is made from.
  return engine.snapshotOf(target.host, toUnixSeconds(now()), listEvidence(snapshot), chain)

  async function collectChain(follow: NonNullable<Sources['redirects']>['follow']): Promise<RedirectChain> {
    const { end, urls } = await follow(urlOf(sentValue))
    const targets = urls.flatMap((url) => {
      const found = engine.normalise('url', url)
      return found.kind === 'target' ? [{ ...found.target, value: engine.withoutPath(url) }] : []
    })
    const hops = await Promise.all(
      targets.map(async (hop) => {
        const seen = needsEvidence(hop) ? listEvidence(await collectSnapshot(hop, parts, HOPS_BUDGET_MS)) : []
        return { target: hop, snapshot: engine.snapshotOf(hop.host, toUnixSeconds(now()), seen) }
      }),
    )
    // A redirect to an invalid target cannot be judged: what follows it is unknown.
    return { end: targets.length < urls.length ? 'failed' : end, followedAt: toUnixSeconds(now()), hops }
  }
}

/** A target may be written without a scheme, as people do. */
const urlOf = (value: string): string => (/^https?:/i.test(value.trim()) ? value.trim() : `http://${value.trim()}`)

/** Evidence about the host, with what feeds list of the URL, which the host's evidence may lack. */
async function collectSnapshot(
  { host, name, url }: Target,
  { engine, sources }: Pick<AssessParts, 'engine' | 'sources'>,
  budgetMs?: number,
): Promise<Snapshot> {
  const [snapshot, listed] = await Promise.all([
    sources.evidenceFor({ host, registrable: name.registrable }, budgetMs === undefined ? {} : { budgetMs }),
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
 * Decides from available evidence. The time of a decision is that of its snapshot: where evidence
 * is valid for longer, a new snapshot is made of it at `at`, and decided again.
 */
export function decideFromSnapshot(
  snapshot: Snapshot,
  request: DecideRequest,
  override: Override | null,
  { engine, at }: { readonly engine: Engine; readonly at: number },
): Assessed {
  const decision = engine.decide(snapshot, request, engine.policyVersion, override)
  if (decision.validity.validUntil > at) return { snapshot, decision }
  const renewed = engine.snapshotOf(snapshot.host, at, listEvidence(snapshot), snapshot.redirects)
  return { snapshot: renewed, decision: engine.decide(renewed, request, engine.policyVersion, override) }
}

/** The default request: fetch under the balanced policy. */
export const defaultRequest = (target: DecideRequest['target']): DecideRequest => ({
  target,
  interaction: DEFAULT_INTERACTION,
  profile: DEFAULT_PROFILE,
})
