import { Fault } from '../../../platform/outbound/fault.ts'
import { createTurns } from '../../toolkit/turns.ts'
import type { PopularityFacts, PopularNeighbour } from '../evidence.ts'
import type { Collector, CollectorParts } from './collector.ts'
import type { Edition } from './list-repository.ts'
import { POPULAR_NAMES_DATE, POPULAR_NAMES_LIST, type PopularNames } from './popular-names.ts'
import { neighbourNames, neighboursOf } from './popular-neighbours.ts'

const HOUR_SECONDS = 3_600

/**
 * A search takes about a millisecond, and answers of the database about many hosts come together.
 * Milliseconds for searches in one turn of the event loop.
 */
const SEARCH_MS = 5
const searchTurn = createTurns(SEARCH_MS)

/**
 * Looks up the registrable domain in the local copies of popularity lists; in the names that ship
 * with this program as long as there is no such copy.
 */
export const collectPopularity: Collector<'popularity'> = async ({ subject: { registrable }, parts }) => {
  const names = parts.configured.filter(({ kind }) => kind === 'popularity').map(({ name }) => name)
  const shipped = await parts.popularNames?.()
  if (names.length === 0 && !shipped) return { status: 'skipped', reason: 'not_configured', validFor: HOUR_SECONDS }
  if (registrable === null) return { status: 'skipped', reason: 'not_applicable', validFor: HOUR_SECONDS }
  const loaded = await loadedEditions(names, parts)
  if (loaded.length === 0 && !shipped) throw new Fault('unavailable', 'no popularity list was loaded yet')
  const { ranks, ids } =
    loaded.length > 0 || !shipped ? await ranksInLists(registrable, names, loaded, parts) : shippedRanks(registrable, shipped)
  const facts = ranks.length > 0 || !shipped ? { ranks } : { ranks, neighbours: await near(registrable, shipped, loaded, parts) }
  return {
    status: 'ok',
    facts,
    version: [...ids].map(([list, id]) => `${list} ${id}`).join(', '),
    // A download may come at any time, and knows more.
    validFor: loaded.length > 0 ? 6 * HOUR_SECONDS : HOUR_SECONDS,
  }
}

/** A database that does not answer leaves what ships with this program. */
async function loadedEditions(names: readonly string[], { lists, popularNames }: CollectorParts): Promise<readonly Edition[]> {
  if (names.length === 0) return []
  try {
    return (await lists.states(names)).flatMap(({ edition }) => edition ?? [])
  } catch (error) {
    if (popularNames === null) throw error
    return []
  }
}

/** Names that this one resembles, of what ships with this program and of the lists that were loaded. */
async function near(
  domain: string,
  shipped: PopularNames,
  loaded: readonly Edition[],
  { lists }: CollectorParts,
): Promise<readonly PopularNeighbour[]> {
  await searchTurn()
  const names = loaded.length > 0 ? neighbourNames(domain) : []
  if (names.length === 0) return shipped.neighboursOf(domain)
  const ranked = await lists.rankedNames(
    loaded.map(({ list }) => list),
    names,
  )
  await searchTurn()
  const byLabel = Map.groupBy(ranked, ({ name }) => name.slice(0, name.indexOf('.')))
  return neighboursOf(domain, (label) => [...(byLabel.get(label) ?? []), ...shipped.namesWith(label)])
}

type Ranks = { readonly ranks: PopularityFacts['ranks']; readonly ids: ReadonlyMap<string, string> }

async function ranksInLists(
  domain: string,
  names: readonly string[],
  loaded: readonly Edition[],
  { lists }: CollectorParts,
): Promise<Ranks> {
  const entries = await lists.find(names, [domain])
  const ids = new Map(loaded.map(({ list, version, asOf }) => [list, `${version.slice(0, 12)} ${day(asOf)}`]))
  return { ranks: entries.flatMap(({ list, rank }) => (rank === null ? [] : [{ list, listId: ids.get(list) ?? '', rank }])), ids }
}

function shippedRanks(domain: string, shipped: PopularNames): Ranks {
  const rank = shipped.rankOf(domain)
  return {
    ranks: rank === null ? [] : [{ list: POPULAR_NAMES_LIST, listId: POPULAR_NAMES_DATE, rank }],
    ids: new Map([[POPULAR_NAMES_LIST, POPULAR_NAMES_DATE]]),
  }
}

const day = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)
