import { checkedSize, type PageArguments, type PageInfo } from './connection.ts'
import { cursorOf, type Position, type PositionPart, positionIn } from './cursor.ts'

/** An ordered list in the database that is read page by page, each page from the last position on: rows that come and go move nothing. */
export type KeysetList<Row> = {
  /** Marks the cursors of this list; the same field has the same mark. */
  readonly name: string
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
}

/** A page of rows; `count` counts the whole list, only when it is asked for. */
export type KeysetPage<Row> = {
  readonly edges: readonly { readonly node: Row; readonly cursor: string }[]
  readonly pageInfo: PageInfo
  readonly count: () => Promise<number>
}

/** The range that arguments mean. Throws BAD_USER_INPUT for a `first` outside 1 to 100, or a cursor of another list. */
export const rangeOf = <Row>(
  { name, parts }: KeysetList<Row>,
  { first, after }: Pick<PageArguments, 'first' | 'after'>,
  { usual = 20 }: { readonly usual?: number } = {},
): KeysetRange => ({ size: checkedSize('first', first ?? usual, 100), after: positionIn(name, parts, after) })

/** The page of `range` from the rows that were read for it, at most one more than its size. */
export function keysetPage<Row>(
  { name, positionOf }: KeysetList<Row>,
  { size, after }: KeysetRange,
  rows: readonly Row[],
  count: () => Promise<number>,
): KeysetPage<Row> {
  const edges = rows.slice(0, size).map((node) => ({ node, cursor: cursorOf(name, positionOf(node)) }))
  return {
    edges,
    pageInfo: {
      hasNextPage: rows.length > size,
      hasPreviousPage: after !== null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    count,
  }
}

/** The fields of a connection type whose model is a `KeysetPage`. */
export const connectionFields = { totalCount: ({ count }: { readonly count: () => Promise<number> }) => count() }
