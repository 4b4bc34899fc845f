import type { ListOrder } from '../../toolkit/connection.ts'
import type { Item } from '../item/item.ts'
import { UNCATEGORIZED } from '../item/item.ts'
import { KIND_ORDER } from '../item/sort.ts'

/** An item that matches a query, and how well. */
export type ScoredItem = { readonly item: Item; readonly score: number }

/** A match with its number in the catalogue. */
export type Found = ScoredItem & { readonly record: number }

/** A result and what it is ordered by: two numbers, then kind and key. */
export type Ranked = Found & { readonly first: number; readonly second: number }

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

/** Rounded so that a cursor means the same after a trip through JSON. */
const placeOf = (found: Found): number => -Math.round(scoreOf(found).total * 1000)

/** A result of a search: best score first, then most stars. */
export const rank = (found: Found): Ranked => ({ ...found, first: placeOf(found), second: -found.item.popularity })

/** A server in a list with a query: most stars first, then as in a search. */
export const rankByStars = (found: Found): Ranked => ({ ...found, first: -found.item.popularity, second: placeOf(found) })

/** As `rankedOrder`, without making a position of each result. */
export function compareRanked(one: Ranked, other: Ranked): number {
  if (one.first !== other.first) return one.first - other.first
  if (one.second !== other.second) return one.second - other.second
  const kinds = KIND_ORDER[one.item.kind] - KIND_ORDER[other.item.kind]
  if (kinds !== 0) return kinds
  const [a, b] = [one.item.key.toLowerCase(), other.item.key.toLowerCase()]
  return a < b ? -1 : a > b ? 1 : 0
}

/** The order of results. */
export const rankedOrder: ListOrder<Ranked> = {
  list: 'search',
  parts: ['number', 'number', 'number', 'text'],
  positionOf: ({ item, first, second }) => [first, second, KIND_ORDER[item.kind], item.key.toLowerCase()],
}
