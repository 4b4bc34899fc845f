import { badInput } from '../../platform/graphql/errors.ts'
import { decodeCursor, encodeCursor, type Position, type PositionPart } from './cursor.ts'

/** PageInfo of the Relay cursor connections specification. */
export type PageInfo = {
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  readonly startCursor: string | null
  readonly endCursor: string | null
}

/** A page of an ordered list in memory. */
export type ListPage<Node> = {
  readonly edges: { readonly node: Node; readonly cursor: string }[]
  readonly pageInfo: PageInfo
  readonly totalCount: number
}

/** Sort order of a list, and the name in its cursors. */
export type ListOrder<Node> = {
  /** The same for the same field. */
  readonly list: string
  readonly parts: readonly PositionPart[]
  /** Unique within the list; its elements are those of `parts`. */
  readonly positionOf: (node: Node) => Position
}

export type PageArguments = {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
  readonly offset?: number | null | undefined
}

/** Compares positions for `Array.sort`. Text by code units: the same on every machine. */
export function comparePositions(one: Position, other: Position): number {
  for (let index = 0; index < one.length; index += 1) {
    const [a, b] = [one[index], other[index]]
    if (a === b) continue
    return a === undefined || b === undefined || a < b ? -1 : 1
  }
  return 0
}

/** A sorted array, also one of numbers alone. */
type Sorted<Node> = ArrayLike<Node> & { readonly slice: (start: number, end: number) => ArrayLike<Node> }

/**
 * Returns a page of `items`, which are in this order. A cursor is a position, not an index: it
 * stays valid when items are added or removed. Throws BAD_USER_INPUT for a `first` outside 1 to
 * `most`, a negative `offset` or a cursor of another list.
 */
export function pageOf<Node>(
  items: Sorted<Node>,
  { list, parts, positionOf }: ListOrder<Node>,
  { first, after, offset }: PageArguments,
  { usual = 20, max = 100 }: { readonly usual?: number; readonly max?: number } = {},
): ListPage<Node> {
  const size = checkPageSize('first', first ?? usual, max)
  if (offset != null && offset < 0) throw badInput('offset', '0 or more', offset)

  const position = decodeCursor(list, parts, after)
  const start = (position ? indexBehind(items, positionOf, position) : 0) + (offset ?? 0)
  const edges = Array.from(items.slice(start, start + size), (node) => ({ node, cursor: encodeCursor(list, positionOf(node)) }))
  return {
    edges,
    pageInfo: {
      hasNextPage: start + size < items.length,
      hasPreviousPage: start > 0 && items.length > 0,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    totalCount: items.length,
  }
}

/** Returns `size` from 1 to `most`; throws BAD_USER_INPUT naming `argument` otherwise. */
export function checkPageSize(argument: string, size: number, max: number): number {
  if (size < 1 || size > max) throw badInput(argument, `1 to ${max}`, size)
  return size
}

/** Index of the first item after `position`, which itself may be gone. */
function indexBehind<Node>(items: Sorted<Node>, positionOf: (node: Node) => Position, position: Position): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const own = positionOf(items[middle] as Node)
    if (comparePositions(own, position) <= 0) low = middle + 1
    else high = middle
  }
  return low
}
