import { badInput } from '../../platform/graphql/errors.ts'
import { checkPageSize, type PageArguments, type PageInfo } from './connection.ts'
import { decodeCursor, encodeCursor, foreignCursorError, type Position, type PositionPart } from './cursor.ts'

/**
 * A database list with keyset pagination: each page continues from the last position, so added and
 * removed rows shift nothing.
 */
export type KeysetList<Row> = {
  /** The name in its cursors; the same for the same field. */
  readonly name: string
  /** A `number` comes from a column of type `integer`. */
  readonly parts: readonly PositionPart[]
  /** Unique within the list; its elements are those of `parts`. */
  readonly positionOf: (row: Row) => Position
}

/** The requested part of a list. */
export type KeysetRange = {
  /** Page size. Read one row more to know whether there are more. */
  readonly size: number
  /** Read the rows after this position; null: from the start. */
  readonly after: Position | null
  /** Rows to skip after that; 0 without such an argument. */
  readonly offset: number
}

/** A page of rows; `count` queries the size of the whole list on demand. */
export type KeysetPage<Row> = {
  readonly nodes: readonly Row[]
  readonly edges: readonly KeysetEdge<Row>[]
  readonly pageInfo: PageInfo
  readonly count: () => Promise<number>
}

type KeysetEdge<Row> = { readonly node: Row; readonly cursor: string }

/**
 * Parses page arguments. Throws BAD_USER_INPUT for a `first` outside 1 to `most`, a negative
 * `offset` or a cursor of another list.
 */
export function keysetRange<Row>(
  { name, parts }: KeysetList<Row>,
  { first, after, offset }: PageArguments,
  { usual = 20, max = 100 }: { readonly usual?: number; readonly max?: number } = {},
): KeysetRange {
  if (offset != null && offset < 0) throw badInput('offset', '0 or more', offset)
  const size = checkPageSize('first', first ?? usual, max)
  const position = decodeCursor(name, parts, after)
  if (position?.some((part) => typeof part === 'number' && !isInteger(part))) throw foreignCursorError(after)
  return {
    size,
    after: position,
    offset: offset ?? 0,
  }
}

/** Numeric positions are of PostgreSQL's type `integer`. */
const isInteger = (part: number): boolean => part === Math.trunc(part) && Math.abs(part) < 2 ** 31

/** The page of `range`, from rows read for it with at most one extra. */
export const keysetPage = <Row>(
  list: KeysetList<Row>,
  range: KeysetRange,
  rows: readonly Row[],
  count: () => Promise<number>,
): KeysetPage<Row> => new RowPage(list, range, rows, count)

/**
 * Edges and page info are computed on demand: most callers read only nodes. A class, because V8
 * recreates getters of an object literal each time in old space, where the rows they reach stay
 * alive until it is collected.
 */
class RowPage<Row> implements KeysetPage<Row> {
  readonly nodes: readonly Row[]
  readonly count: () => Promise<number>
  readonly #list: KeysetList<Row>
  readonly #range: KeysetRange
  readonly #hasMore: boolean

  constructor(list: KeysetList<Row>, range: KeysetRange, rows: readonly Row[], count: () => Promise<number>) {
    this.nodes = rows.slice(0, range.size)
    this.count = count
    this.#list = list
    this.#range = range
    this.#hasMore = rows.length > range.size
  }

  get edges(): readonly KeysetEdge<Row>[] {
    return this.nodes.map((node) => ({ node, cursor: this.#cursorAt(node) }))
  }

  get pageInfo(): PageInfo {
    const [first] = this.nodes
    const last = this.nodes.at(-1)
    const { after, offset } = this.#range
    return {
      hasNextPage: this.#hasMore,
      hasPreviousPage: after !== null || offset > 0,
      startCursor: first === undefined ? null : this.#cursorAt(first),
      endCursor: last === undefined ? null : this.#cursorAt(last),
    }
  }

  #cursorAt(row: Row): string {
    return encodeCursor(this.#list.name, this.#list.positionOf(row))
  }
}

/** Resolvers of a connection type whose model is a `KeysetPage`. */
export const connectionFields = { totalCount: ({ count }: { readonly count: () => Promise<number> }) => count() }
