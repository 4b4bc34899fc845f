import type { DirectorySort } from '#generated/directory/resolvers.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { type ListOrder, type ListPage, type PageArguments, pageOf, pageOfUnsorted } from '../../toolkit/connection.ts'
import type { Catalogue } from '../item/catalogue.ts'
import type { DirectoryKind, Item, ItemOf } from '../item/item.ts'
import { sortOrder } from '../item/sort.ts'
import { conversionIn } from './conversion.ts'
import { compareRanked, type Found, type Ranked, rank, rankByStars, rankedOrder } from './ranking.ts'
import { search } from './search.ts'

/** Longest query, in characters: longer texts are not names and would cost without finding more. */
const MAX_QUERY_CHARACTERS = 200

/**
 * What matches `query` among the items that `accepts` lets through, in no order. Throws
 * BAD_USER_INPUT, naming `argument`, when it is too long.
 */
export function matching(
  query: string,
  { words, items }: Catalogue,
  { argument, accepts }: { readonly argument: string; readonly accepts: (item: Item) => boolean },
): readonly Found[] {
  if (query.length > MAX_QUERY_CHARACTERS && [...query].length > MAX_QUERY_CHARACTERS) {
    throw badInput(argument, `at most ${MAX_QUERY_CHARACTERS} characters`, query)
  }
  const conversion = conversionIn(query)
  // Records with words are there.
  return search(query, words, (record) => accepts(items[record] as Item)).map(({ record, score }) => {
    const item = items[record] as Item
    return { item, record, score: conversion === null ? score : score + conversion(item) }
  })
}

/**
 * A page of the items of a kind that `accepts` lets through, in the order of their list; with a
 * query those that match it, in the order of `matchingOrder`. Also all of them, for facets.
 */
export async function listPage<Kind extends DirectoryKind>(
  catalogue: Catalogue,
  kind: Kind,
  { order, query, sort, accepts }: ListQuery<Kind>,
  page: PageArguments,
): Promise<ListPage<ItemOf<Kind>> & { readonly facets: readonly ItemOf<Kind>[] }> {
  if (sort != null && sort !== 'RELEVANCE') {
    const isMatch = query == null ? null : matchesOf(query, catalogue)
    const sorted = await catalogue.sorted(kind, sort)
    const found =
      accepts === null && isMatch === null
        ? sorted
        : sorted.filter((item) => (accepts?.(item) ?? true) && (isMatch === null || isMatch.has(item)))
    return { ...pageOf(found, sortOrder(order.list, sort), page), facets: found }
  }
  if (query == null) {
    const found = accepts === null ? catalogue.list(kind) : catalogue.list(kind).filter(accepts)
    return { ...pageOf(found, order, page), facets: found }
  }
  const isWanted = (item: Item): boolean =>
    // Only items of this kind are compared with its conditions.
    item.kind === kind && (accepts?.(item as ItemOf<Kind>) ?? true)
  const ranked = matching(query, catalogue, { argument: 'filter.query', accepts: isWanted }).map(
    kind === 'MCP_SERVER' ? rankByStars : rank,
  )
  const { edges, ...rest } = pageOfUnsorted(ranked, { ...rankedOrder, list: `${order.list} matching` }, page, compareRanked)
  // Only items of this kind were accepted above.
  const itemOf = ({ item }: Ranked) => item as ItemOf<Kind>
  return { ...rest, edges: edges.map(({ node, cursor }) => ({ node: itemOf(node), cursor })), facets: ranked.map(itemOf) }
}

const matchesOf = (query: string, catalogue: Catalogue): ReadonlySet<Item> =>
  new Set(matching(query, catalogue, { argument: 'filter.query', accepts: () => true }).map(({ item }) => item))

/** Whether a filter has a condition besides its query. */
export const hasConditions = (filter: object | null | undefined): boolean =>
  Object.entries(filter ?? {}).some(([name, condition]) => name !== 'query' && condition != null)

type ListQuery<Kind extends DirectoryKind> = {
  readonly order: ListOrder<ItemOf<Kind>>
  readonly query: string | null | undefined
  readonly sort: DirectorySort | null | undefined
  /** Null: all. */
  readonly accepts: ((item: ItemOf<Kind>) => boolean) | null
}
