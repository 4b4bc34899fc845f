import { badInput } from './errors.ts'

/** Where an item stands in an order: compared element by element, smaller first. Unique within its list. */
export type Position = readonly (string | number)[]

/** A page of an ordered list, in the shape of the Relay cursor connections specification. */
export type Page<Node> = {
  readonly edges: { readonly node: Node; readonly cursor: string }[]
  readonly pageInfo: {
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
    readonly startCursor: string | null
    readonly endCursor: string | null
  }
  readonly totalCount: number
}

export type PageArguments = {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
  readonly offset?: number | null | undefined
}

/** Order of two positions, as `Array.sort` wants it. Text by code units, the same on every machine. */
export function comparePositions(one: Position, other: Position): number {
  for (let index = 0; index < one.length; index += 1) {
    const [a, b] = [one[index], other[index]]
    if (a === b) continue
    return a === undefined || b === undefined || a < b ? -1 : 1
  }
  return 0
}

/**
 * Cuts a page out of `items`, which are in the order of `positionOf`. A cursor is a position and not an index, so it stays right
 * when items come and go. Throws BAD_USER_INPUT for a `first` outside 1 to `most`, a negative `offset`, or a cursor of another list.
 */
export function pageOf<Node>(
  items: readonly Node[],
  positionOf: (node: Node) => Position,
  { first, after, offset }: PageArguments,
  { usual = 20, most = 100 }: { readonly usual?: number; readonly most?: number } = {},
): Page<Node> {
  const size = checkedSize('first', first ?? usual, most)
  if (offset != null && offset < 0) throw badInput('offset', '0 or more', offset)

  const start = (after == null ? 0 : indexBehind(items, positionOf, positionIn(after))) + (offset ?? 0)
  const edges = items.slice(start, start + size).map((node) => ({ node, cursor: cursorOf(positionOf(node)) }))
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

/** `size` when it is 1 to `most`; throws BAD_USER_INPUT naming `argument` otherwise. */
export function checkedSize(argument: string, size: number, most: number): number {
  if (size < 1 || size > most) throw badInput(argument, `1 to ${most}`, size)
  return size
}

/** Index of the first item behind `position`; the position itself need not be there any more. */
function indexBehind<Node>(items: readonly Node[], positionOf: (node: Node) => Position, position: Position): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const own = positionOf(items[middle] as Node)
    if (own.length !== position.length || own.some((part, index) => typeof part !== typeof position[index])) {
      throw badInput('after', 'a cursor of this list', 'one of another list')
    }
    if (comparePositions(own, position) <= 0) low = middle + 1
    else high = middle
  }
  return low
}

const cursorOf = (position: Position): string => Buffer.from(JSON.stringify(position)).toString('base64url')

function positionIn(cursor: string): Position {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const isPosition =
      Array.isArray(position) &&
      position.every((part) => typeof part === 'string' || (typeof part === 'number' && Number.isFinite(part)))
    if (isPosition) return position
  } catch {
    // Not ours, like everything that is no position.
  }
  throw badInput('after', 'a cursor from an answer of this list', cursor)
}
