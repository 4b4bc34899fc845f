import type { DirectorySort } from '#generated/directory/resolvers.ts'
import type { ListOrder } from '../../toolkit/connection.ts'
import type { Position } from '../../toolkit/cursor.ts'
import type { DirectoryKind, Item } from './item.ts'

/** An order that does not depend on a query. */
export type Sort = Exclude<DirectorySort, 'RELEVANCE'>

/** Servers stand before plugins before skills where nothing else tells them apart. */
export const KIND_ORDER: Readonly<Record<DirectoryKind, number>> = { MCP_SERVER: 0, PLUGIN: 1, SKILL: 2 }

/** What items are sorted by first. */
const VALUES: Readonly<Record<Sort, (item: Item) => string | number>> = {
  POPULARITY: ({ popularity }) => -popularity,
  NEWEST: ({ createdAt }) => -createdAt.getTime(),
  UPDATED: ({ updatedAt }) => -updatedAt.getTime(),
  NAME: ({ name }) => name.toLowerCase(),
}

const positionBy =
  (sort: Sort) =>
  (item: Item): Position => [VALUES[sort](item), KIND_ORDER[item.kind], item.key.toLowerCase()]

/** The order of a list that is sorted so; equal ones by kind and key. Cursors fit this order only. */
export const sortOrder = (list: string, sort: Sort): ListOrder<Item> => ({
  list: `${list} ${sort}`,
  parts: [sort === 'NAME' ? 'text' : 'number', 'number', 'text'],
  positionOf: positionBy(sort),
})
