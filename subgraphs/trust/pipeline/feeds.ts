import type { FeedHit, Snapshot } from '../evidence.ts'
import type { Driver } from './codes.ts'
import type { Observation } from './observation.ts'
import type { Policy } from './policy.ts'

/** How many independent feeds (lineages) say what. */
export type FeedWitness = {
  /** About the host itself, lately. */
  readonly host: number
  /** About single pages on it, lately. */
  readonly url: number
  /** Pages listed lately. */
  readonly urlHits: number
  /** Only in the past. */
  readonly old: number
}

const NOBODY: FeedWitness = { host: 0, url: 0, urlHits: 0, old: 0 }

type About = { readonly isPlatform: boolean; readonly isYoung: boolean }

/**
 * What the feeds say, as the strongest observation that their hits support, and how sure they can
 * be taken.
 */
export function feedObservations(
  { sources: { feeds }, collectedAt }: Snapshot,
  about: About,
  { weights: { STEPS } }: Policy,
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
  const witness: FeedWitness = {
    host: lineages(fresh.filter((hit) => !isAboutPages(hit))),
    url: lineages(pages),
    urlHits: new Set(pages.map(({ indicator }) => indicator)).size,
    old: lineages(hits.filter((hit) => !isFresh(hit))),
  }
  const signal = strongest(witness, about)
  const names = [...new Set((fresh.length > 0 ? fresh : hits).map(({ feed }) => feed))].sort().join(', ')
  return { observations: signal ? [{ signal, detail: names }] : [], drivers, witness }
}

function strongest({ host, url, old }: FeedWitness, { isPlatform, isYoung }: About): Observation['signal'] | null {
  if (host >= 2) return 'host_hits'
  if (host === 1) return 'host_hit'
  if (url > 0 && isPlatform) return 'url_hit_platform'
  if (url > 0 && isYoung) return 'url_hit_young'
  if (url >= 2) return 'url_hits'
  if (url === 1) return 'url_hit'
  return old > 0 ? 'old_hit' : null
}
