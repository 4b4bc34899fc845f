import { badInput } from '../../platform/graphql/errors.ts'
import { checkPageSize, type PageArguments, type PageInfo } from './connection.ts'
import { decodeCursor, encodeCursor, foreignCursorError, type Position, type PositionPart } from './cursor.ts'

/** An ordered list in the database that is read page by page, each page from the last position on: rows that come and go move nothing. */
export type KeysetList<Row> = {
  /** Marks the cursors of this list; the same field has the same mark. */
  readonly name: string
  /** A `number` is one of a column of type `integer`. */
  readonly parts: readonly PositionPart[]
  /** Unique within the list; its elements are those of `parts`. */
  readonly positionOf: (row: Row) => Position
}

/** What of a list is asked for. */
export type KeysetRange = {
  /** How many rows the page may have. Read one more: it tells whether there are more. */
  readonly size: number
  /** Read the rows behind this position; null: from the beginning. */
  readonly after: Position | null
  /** How many rows behind that to leave out; 0 where the list has no such argument. */
  readonly offset: number
}

/** A page of rows; `count` counts the whole list, only when it is asked for. */
export type KeysetPage<Row> = {
  readonly nodes: readonly Row[]
  readonly edges: readonly KeysetEdge<Row>[]
  readonly pageInfo: PageInfo
  readonly count: () => Promise<number>
}

type KeysetEdge<Row> = { readonly node: Row; readonly cursor: string }

/** The range that arguments mean. Throws BAD_USER_INPUT for a `first` outside 1 to `most`, a negative `offset`, or a cursor of another list. */
export function keysetRange<Row>(
  { name, parts }: KeysetList<Row>,
  { first, after, offset }: PageArguments,
  { usual = 20, most = 100 }: { readonly usual?: number; readonly most?: number } = {},
): KeysetRange {
  if (offset != null && offset < 0) throw badInput('offset', '0 or more', offset)
  const size = checkPageSize('first', first ?? usual, most)
  const position = decodeCursor(name, parts, after)
  if (position?.some((part) => typeof part === 'number' && !isInteger(part))) throw foreignCursorError(after)
  return {
    size,
    after: position,
    offset: offset ?? 0,
  }
}

/** Numbers of rows are of PostgreSQL's type `integer`, which compares with nothing else. */
const isInteger = (part: number): boolean => part === Math.trunc(part) && Math.abs(part) < 2 ** 31

/** The page of `range` from the rows that were read for it, at most one more than its size. */
export const keysetPage = <Row>(
  list: KeysetList<Row>,
  range: KeysetRange,
  rows: readonly Row[],
  count: () => Promise<number>,
): KeysetPage<Row> => new RowPage(list, range, rows, count)

/**
 * Many callers read only the nodes, so the rest is made when it is asked for. By a class, because V8 makes the getters of an object literal anew each time and among old
 * objects: rows that they reach would live until those are collected.
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

/** The fields of a connection type whose model is a `KeysetPage`. */
export const connectionFields = { totalCount: ({ count }: { readonly count: () => Promise<number> }) => count() }
