import { badInput } from '../../../platform/graphql/errors.ts'
import { checkPageSize, comparePositions, type ListOrder, type ListPage, type PageArguments } from '../../toolkit/connection.ts'
import { decodeCursor, encodeCursor, type Position } from '../../toolkit/cursor.ts'
import { firstOf } from '../../toolkit/first-of.ts'
import type { Catalogue } from '../item/catalogue.ts'
import type { Item } from '../item/item.ts'
import { kindIn, totalIn } from '../item/quality.ts'
import type { Matches } from './search.ts'

/** Matches as places 0, 1 and so on, and the order that they are listed in. */
export type Ranking = {
  readonly records: Uint32Array
  /** By words alone. */
  readonly scores: Float64Array
  readonly order: ListOrder<number>
  /** The same order as that of positions, without making them. */
  readonly compare: (one: number, other: number) => number
  /** By place: the first number of its position, which tells most places apart. Null: positions are made beforehand. */
  readonly first: Float64Array | null
}

type Ranked = Pick<Catalogue, 'items' | 'quality'>

/** Results of a search: best score first, then most stars. A list of servers: most stars first. */
export function ranking(
  { records, scores }: Matches,
  { items, quality }: Ranked,
  { list = 'search', byStars = false }: { readonly list?: string; readonly byStars?: boolean } = {},
): Ranking {
  const { popularity, stars, parts } = quality
  const starsAt = (at: number): number => -(stars[records[at] as number] as number)
  const totalAt = (at: number): number => {
    const record = records[at] as number
    const total = totalIn(scores[at] as number, popularity[record] as number, parts[record] as number)
    // Rounded so that a cursor means the same after a trip through JSON.
    return -Math.round(total * 1000)
  }
  const [firstAt, secondAt] = byStars ? [starsAt, totalAt] : [totalAt, starsAt]
  const first = new Float64Array(records.length)
  for (let at = 0; at < first.length; at += 1) first[at] = firstAt(at)
  const recordAt = (at: number): number => records[at] as number
  const kindAt = (at: number): number => kindIn(parts[recordAt(at)] as number)
  const keyAt = (at: number): string => (items[recordAt(at)] as Item).key.toLowerCase()
  return {
    records,
    scores,
    first,
    compare: (one, other) =>
      (first[one] as number) - (first[other] as number) ||
      secondAt(one) - secondAt(other) ||
      kindAt(one) - kindAt(other) ||
      compareText(keyAt(one), keyAt(other)),
    order: {
      list,
      parts: ['number', 'number', 'number', 'text'],
      positionOf: (at) => [first[at] as number, secondAt(at), kindAt(at), keyAt(at)],
    },
  }
}

/** Results of a search in another order than that of relevance. */
export function rankingBy(
  { records, scores }: Matches,
  { items }: Ranked,
  { list, parts, positionOf }: ListOrder<Item>,
): Ranking {
  const positions = Array.from(records, (record) => positionOf(items[record] as Item))
  const positionAt = (at: number): Position => positions[at] as Position
  return {
    records,
    scores,
    first: null,
    compare: (one, other) => comparePositions(positionAt(one), positionAt(other)),
    order: { list, parts, positionOf: positionAt },
  }
}

/**
 * A page of some places of a ranking, which are in no order: as `pageOf`, but sorts only what the
 * page needs.
 */
export function rankedPage(places: Uint32Array, ranked: Ranking, { first, after, offset }: PageArguments): ListPage<number> {
  const { list, parts, positionOf } = ranked.order
  const size = checkPageSize('first', first ?? 20, 100)
  if (offset != null && offset < 0) throw badInput('offset', '0 or more', offset)
  const position = decodeCursor(list, parts, after)
  const behind = position ? placesBehind(position, places, ranked) : places
  const skipped = offset ?? 0
  const start = places.length - behind.length + skipped
  const edges = firstPlaces(behind, skipped + size, ranked)
    .slice(skipped)
    .map((node) => ({ node, cursor: encodeCursor(list, positionOf(node)) }))
  return {
    edges,
    pageInfo: {
      hasNextPage: start + size < places.length,
      hasPreviousPage: start > 0 && places.length > 0,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    totalCount: places.length,
  }
}

function placesBehind(position: Position, places: Uint32Array, { first, order }: Ranking): Uint32Array {
  const isBehind = (place: number): boolean => comparePositions(order.positionOf(place), position) > 0
  if (first === null) return places.filter(isBehind)
  // `decodeCursor` has checked the parts, of which the first is a number.
  const bound = position[0] as number
  return places.filter((place) => {
    const value = first[place] as number
    return value > bound || (value === bound && isBehind(place))
  })
}

/** As `firstOf`, but reads one number of most places. */
export function firstPlaces(places: Uint32Array, max: number, { first, compare }: Ranking): readonly number[] {
  if (first === null) return firstOf(places, max, compare)
  if (max <= 0) return []
  let found: number[] = []
  let [bound, last] = [Number.POSITIVE_INFINITY, -1]
  for (let at = 0; at < places.length; at += 1) {
    const place = places[at] as number
    const value = first[place] as number
    if (value > bound || (value === bound && last >= 0 && compare(place, last) >= 0)) continue
    found.push(place)
    if (found.length < max * 2 + 64) continue
    found = found.sort(compare).slice(0, max)
    // `max` is above 0: there is a last one.
    last = found.at(-1) as number
    bound = first[last] as number
  }
  return found.sort(compare).slice(0, max)
}

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
