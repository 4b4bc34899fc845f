import type { ListOrder } from '../../toolkit/connection.ts'
import type { Position } from '../../toolkit/cursor.ts'
import type { DirectoryKind, Item } from '../item/item.ts'

/** An item that matches a query, and how well. */
export type ScoredItem = { readonly item: Item; readonly score: number }

/** A result and its place: best score first, then popularity, kind and key. */
export type Ranked = { readonly item: Item; readonly position: Position }

/** Servers stand before plugins before skills where nothing else tells them apart. */
const KIND_ORDER: Readonly<Record<DirectoryKind, number>> = { MCP_SERVER: 0, PLUGIN: 1, SKILL: 2 }

/**
 * What being known adds to a score, at most: enough to order equal names, too little to lift a
 * description above a name.
 */
const OFFICIAL = 15
const PER_TENFOLD_STARS = 4
/**
 * What remains of the score of a deprecated server: less than a living one has that says all words
 * in its name, more than one that only mentions them.
 */
const DEPRECATED_SHARE = 0.15
/** Partial matches have scores below zero: there it is a step down. */
const DEPRECATED_STEP = 100

/**
 * How well an item answers, by its words and by how far it can be trusted to be the one that is
 * meant.
 */
export function scoreOf({ item, score }: ScoredItem): number {
  const stars = PER_TENFOLD_STARS * Math.log10(1 + item.popularity)
  if (item.kind !== 'MCP_SERVER') return score + stars
  if (item.deprecated) return score > 0 ? score * DEPRECATED_SHARE : score - DEPRECATED_STEP
  return score + stars + (item.official ? OFFICIAL : 0)
}

/**
 * The position of a result; scores are rounded so that a cursor means the same after a trip through
 * JSON.
 */
export const rank = (found: ScoredItem): Ranked => ({
  item: found.item,
  position: [
    -Math.round(scoreOf(found) * 1000),
    -found.item.popularity,
    KIND_ORDER[found.item.kind],
    found.item.key.toLowerCase(),
  ],
})

/** The position of a server in a list with a query: most stars first, then as in a search. */
export const rankByStars = (found: ScoredItem): Ranked => {
  const { item, position } = rank(found)
  const [score = 0, , ...rest] = position
  return { item, position: [-item.popularity, score, ...rest] }
}

/** The order of results. */
export const rankedOrder: ListOrder<Ranked> = {
  list: 'search',
  parts: ['number', 'number', 'number', 'text'],
  positionOf: ({ position }) => position,
}
