import type { DirectorySort } from '#generated/directory/resolvers.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { comparePositions, type ListOrder, type ListPage, type PageArguments, pageOf } from '../../toolkit/connection.ts'
import type { Catalogue } from '../item/catalogue.ts'
import type { DirectoryKind, Item, ItemOf } from '../item/item.ts'
import { sortOrder } from '../item/sort.ts'
import { conversionIn } from './conversion.ts'
import { type Ranked, rank, rankByStars, rankedOrder, type ScoredItem } from './ranking.ts'
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
): readonly ScoredItem[] {
  if (query.length > MAX_QUERY_CHARACTERS && [...query].length > MAX_QUERY_CHARACTERS) {
    throw badInput(argument, `at most ${MAX_QUERY_CHARACTERS} characters`, query)
  }
  const conversion = conversionIn(query)
  return search(query, words, (record) => accepts(items[record] as Item)).map(({ record, score }) => {
    const item = items[record] as Item
    return { item, score: conversion === null ? score : score + conversion(item) }
  })
}

/**
 * A page of the items of a kind that `accepts` lets through, in the order of their list; with a
 * query those that match it, in the order of `matchingOrder`. Also all of them, for facets.
 */
export function listPage<Kind extends DirectoryKind>(
  catalogue: Catalogue,
  kind: Kind,
  { order, query, sort, accepts }: ListQuery<Kind>,
  page: PageArguments,
): ListPage<ItemOf<Kind>> & { readonly facets: readonly ItemOf<Kind>[] } {
  if (sort != null && sort !== 'RELEVANCE') {
    const isMatch = query == null ? null : matchesOf(query, catalogue)
    const found = catalogue.sorted(kind, sort).filter((item) => accepts(item) && (isMatch === null || isMatch.has(item)))
    return { ...pageOf(found, sortOrder(order.list, sort), page), facets: found }
  }
  if (query == null) {
    const found = catalogue.list(kind).filter(accepts)
    return { ...pageOf(found, order, page), facets: found }
  }
  const isOfKind = (item: Item): item is ItemOf<Kind> => item.kind === kind
  const ranked = matching(query, catalogue, { argument: 'filter.query', accepts: (item) => isOfKind(item) && accepts(item) })
    .map(kind === 'MCP_SERVER' ? rankByStars : rank)
    .sort((one, other) => comparePositions(one.position, other.position))
  const { edges, ...rest } = pageOf(ranked, { ...rankedOrder, list: `${order.list} matching` }, page)
  // Only items of this kind were accepted above.
  const itemOf = ({ item }: Ranked) => item as ItemOf<Kind>
  return { ...rest, edges: edges.map(({ node, cursor }) => ({ node: itemOf(node), cursor })), facets: ranked.map(itemOf) }
}

const matchesOf = (query: string, catalogue: Catalogue): ReadonlySet<Item> =>
  new Set(matching(query, catalogue, { argument: 'filter.query', accepts: () => true }).map(({ item }) => item))

type ListQuery<Kind extends DirectoryKind> = {
  readonly order: ListOrder<ItemOf<Kind>>
  readonly query: string | null | undefined
  readonly sort: DirectorySort | null | undefined
  readonly accepts: (item: ItemOf<Kind>) => boolean
}
