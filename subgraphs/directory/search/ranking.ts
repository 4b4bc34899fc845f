import type { ListOrder } from '../../toolkit/connection.ts'
import type { Position } from '../../toolkit/cursor.ts'
import type { Item } from '../item/item.ts'
import { UNCATEGORIZED } from '../item/item.ts'
import { KIND_ORDER } from '../item/sort.ts'

/** An item that matches a query, and how well. */
export type ScoredItem = { readonly item: Item; readonly score: number }

/** A result and its place: best score first, then popularity, kind and key. */
export type Ranked = ScoredItem & { readonly position: Position }

/**
 * What being known adds to a score, at most: enough to order equal names, too little to lift a
 * description above a name.
 */
const OFFICIAL = 15
const PER_TENFOLD_STARS = 4
/** What somebody described, filed and made installable is more use: orders equals, no more. */
const DESCRIBED = 2
const INSTALLABLE = 3
const FILED = 1
/** Characters that say more than a name. */
const MIN_DESCRIPTION_LENGTH = 30
/**
 * What remains of the score of a deprecated server: less than a living one has that says all words
 * in its name, more than one that only mentions them.
 */
const DEPRECATED_SHARE = 0.15
/** Partial matches have scores below zero: there it is a step down. */
const DEPRECATED_STEP = 100

/** Parts of a score; `total` is their sum. */
export type ItemScore = Readonly<Record<'total' | 'text' | 'popularity' | 'official' | 'metadata' | 'deprecated', number>>

/**
 * How well an item answers, by its words and by how far it can be trusted to be the one that is
 * meant.
 */
export function scoreOf({ item, score: text }: ScoredItem): ItemScore {
  const isServer = item.kind === 'MCP_SERVER'
  const popularity = item.popularity === 0 ? 0 : PER_TENFOLD_STARS * Math.log10(1 + item.popularity)
  const official = isServer && item.official ? OFFICIAL : 0
  const metadata =
    (item.description.length >= MIN_DESCRIPTION_LENGTH ? DESCRIBED : 0) +
    (!isServer || item.installations.length > 0 ? INSTALLABLE : 0) +
    (item.category === UNCATEGORIZED ? 0 : FILED)
  const sum = text + popularity + official + metadata
  if (!isServer || !item.deprecated) return { total: sum, text, popularity, official, metadata, deprecated: 0 }
  // Being known does not help who is deprecated.
  const total = text > 0 ? text * DEPRECATED_SHARE : text - DEPRECATED_STEP
  return { total, text, popularity, official, metadata, deprecated: total - sum }
}

/**
 * The position of a result; scores are rounded so that a cursor means the same after a trip through
 * JSON.
 */
export const rank = (found: ScoredItem): Ranked => ({
  item: found.item,
  score: found.score,
  position: [
    -Math.round(scoreOf(found).total * 1000),
    -found.item.popularity,
    KIND_ORDER[found.item.kind],
    found.item.key.toLowerCase(),
  ],
})

/** The position of a server in a list with a query: most stars first, then as in a search. */
export const rankByStars = (found: ScoredItem): Ranked => {
  const { item, position } = rank(found)
  const [score = 0, , ...rest] = position
  return { ...found, position: [-item.popularity, score, ...rest] }
}

/** The order of results. */
export const rankedOrder: ListOrder<Ranked> = {
  list: 'search',
  parts: ['number', 'number', 'number', 'text'],
  positionOf: ({ position }) => position,
}
