import type { Order } from '../../toolkit/connection.ts'
import type { Position } from '../../toolkit/cursor.ts'
import type { DirectoryKind, Item } from '../item/item.ts'
import type { Found } from './matching.ts'

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
const DEPRECATED = -30

/**
 * How well an item answers, by its words and by how far it can be trusted to be the one that is
 * meant.
 */
export function scoreOf({ item, score }: Found): number {
  const stars = PER_TENFOLD_STARS * Math.log10(1 + item.popularity)
  if (item.kind !== 'MCP_SERVER') return score + stars
  return score + stars + (item.official ? OFFICIAL : 0) + (item.deprecated ? DEPRECATED : 0)
}

/**
 * The position of a result; scores are rounded so that a cursor means the same after a trip through
 * JSON.
 */
export const rank = (found: Found): Ranked => ({
  item: found.item,
  position: [
    -Math.round(scoreOf(found) * 1000),
    -found.item.popularity,
    KIND_ORDER[found.item.kind],
    found.item.key.toLowerCase(),
  ],
})

/** The order of results. */
export const rankedOrder: Order<Ranked> = {
  list: 'search',
  parts: ['number', 'number', 'number', 'text'],
  positionOf: ({ position }) => position,
}
