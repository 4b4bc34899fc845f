import type { FeedHit, Snapshot } from '../evidence.ts'
import type { Driver } from './codes.ts'
import type { Target } from './normalise.ts'
import type { Observation } from './observation.ts'
import type { Policy } from './policy.ts'

/** Number of independent feeds (lineages) by statement. */
export type FeedWitness = {
  /** About the host itself, lately. */
  readonly host: number
  /** About single pages on it, lately. */
  readonly url: number
  /** Pages listed lately. */
  readonly urlHits: number
  /** Only in the past. */
  readonly old: number
  /** About the very URL, or a directory above it, lately. 0 before engine 3, as the next two. */
  readonly exact: number
  /** About the very URL, only in the past. */
  readonly exactOld: number
  /** About other URLs of the same user of a host that is shared by path, lately. */
  readonly tenant: number
}

const NOBODY: FeedWitness = { host: 0, url: 0, urlHits: 0, old: 0, exact: 0, exactOld: 0, tenant: 0 }

type About = {
  readonly isPlatform: boolean
  readonly isYoung: boolean
  /** The URL that is decided about; undefined for a host alone. */
  readonly url: Target['url'] | undefined
}

/** The strongest observation that the hits of feeds support, with its confidence. */
export function feedObservations(
  { sources: { feeds }, collectedAt }: Snapshot,
  about: About,
  { engine, weights: { STEPS } }: Policy,
): { observations: Observation[]; drivers: Driver[]; witness: FeedWitness } {
  if (feeds.status !== 'ok') return { observations: [], drivers: [], witness: NOBODY }
  const { checked, failed, hits } = feeds.facts
  const drivers: Driver[] = []
  if (failed.length > 0) drivers.push('THREAT_FEED_PARTIAL')
  if (checked.some(({ asOf }) => collectedAt - asOf > STEPS.staleFeedSeconds)) drivers.push('THREAT_FEED_STALE')

  const isFresh = ({ state, lastSeenAt }: FeedHit) =>
    state !== 'offline' && (lastSeenAt === null || collectedAt - lastSeenAt <= STEPS.freshHitSeconds)
  const isAboutPages = ({ scope, abusedLegitimate }: FeedHit) => scope === 'url' || abusedLegitimate
  const lineages = (some: readonly FeedHit[]) => new Set(some.map(({ lineage }) => lineage)).size
  const fresh = hits.filter(isFresh)
  const pages = fresh.filter(isAboutPages)
  // Engines before 3 judged the host alone.
  const url = engine >= 3 ? about.url : undefined
  const isExact = ({ urlKey }: FeedHit) => urlKey !== undefined && url?.keys.includes(urlKey) === true
  const isTenants = (hit: FeedHit) => !isExact(hit) && hit.tenantKey !== undefined && hit.tenantKey === url?.tenantKey
  const witness: FeedWitness = {
    host: lineages(fresh.filter((hit) => !isAboutPages(hit))),
    url: lineages(pages),
    urlHits: new Set(pages.map(({ indicator }) => indicator)).size,
    old: lineages(hits.filter((hit) => !isFresh(hit))),
    exact: lineages(pages.filter(isExact)),
    exactOld: lineages(hits.filter((hit) => !isFresh(hit) && isExact(hit))),
    tenant: lineages(pages.filter(isTenants)),
  }
  const signal = strongest(witness, about)
  const names = [...new Set((fresh.length > 0 ? fresh : hits).map(({ feed }) => feed))].sort().join(', ')
  return { observations: signal ? [{ signal, detail: names }] : [], drivers, witness }
}

function strongest(
  { host, url, old, exact, exactOld, tenant }: FeedWitness,
  { isPlatform, isYoung }: About,
): Observation['signal'] | null {
  if (exact >= 2) return 'exact_hits'
  if (host >= 2) return 'host_hits'
  if (exact === 1) return 'exact_hit'
  if (host === 1) return 'host_hit'
  if (tenant > 0) return 'tenant_hit'
  if (exactOld > 0) return 'exact_old_hit'
  if (url > 0 && isPlatform) return 'url_hit_platform'
  if (url > 0 && isYoung) return 'url_hit_young'
  if (url >= 2) return 'url_hits'
  if (url === 1) return 'url_hit'
  return old > 0 ? 'old_hit' : null
}
