import { comparePositions, type ListOrder } from '../../toolkit/connection.ts'
import type { Position } from '../../toolkit/cursor.ts'
import type { Catalogue } from '../item/catalogue.ts'
import type { Item } from '../item/item.ts'
import { deprecatedTotal } from '../item/quality.ts'
import type { Matches } from './search.ts'

/** Matches as places 0, 1 and so on, and the order that they are listed in. */
export type Ranking = {
  readonly records: Uint32Array
  /** By words alone. */
  readonly scores: Float64Array
  readonly order: ListOrder<number>
  /** The same order as that of positions, without making them. */
  readonly compare: (one: number, other: number) => number
}

type Ranked = Pick<Catalogue, 'items' | 'quality'>

/** Results of a search: best score first, then most stars. A list of servers: most stars first. */
export function ranking(
  { records, scores }: Matches,
  { items, quality }: Ranked,
  { list = 'search', byStars = false }: { readonly list?: string; readonly byStars?: boolean } = {},
): Ranking {
  const [places, stars] = [new Float64Array(records.length), new Float64Array(records.length)]
  const { popularity, official, trust, metadata, isDeprecated } = quality
  for (let at = 0; at < records.length; at += 1) {
    const [record, text] = [records[at] as number, scores[at] as number]
    const known = text + (popularity[record] as number) + (official[record] as number)
    const sum = known + (trust[record] as number) + (metadata[record] as number)
    // Rounded so that a cursor means the same after a trip through JSON.
    places[at] = -Math.round((isDeprecated[record] ? deprecatedTotal(text) : sum) * 1000)
    stars[at] = -(quality.stars[record] as number)
  }
  const [first, second] = byStars ? [stars, places] : [places, stars]
  const recordAt = (at: number): number => records[at] as number
  const keyAt = (at: number): string => (items[recordAt(at)] as Item).key.toLowerCase()
  return {
    records,
    scores,
    compare: (one, other) =>
      (first[one] as number) - (first[other] as number) ||
      (second[one] as number) - (second[other] as number) ||
      (quality.kind[recordAt(one)] as number) - (quality.kind[recordAt(other)] as number) ||
      compareText(keyAt(one), keyAt(other)),
    order: {
      list,
      parts: ['number', 'number', 'number', 'text'],
      positionOf: (at) => [first[at] as number, second[at] as number, quality.kind[recordAt(at)] as number, keyAt(at)],
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
    compare: (one, other) => comparePositions(positionAt(one), positionAt(other)),
    order: { list, parts, positionOf: positionAt },
  }
}

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
