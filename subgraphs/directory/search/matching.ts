import type { DirectorySort } from '#generated/directory/resolvers.ts'
import { once } from '../../../platform/collections/once.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { type ListOrder, type ListPage, type PageArguments, pageOf } from '../../toolkit/connection.ts'
import type { Catalogue } from '../item/catalogue.ts'
import { type FacetValue, facet, facetAt } from '../item/facets.ts'
import type { DirectoryKind, Item, ItemOf } from '../item/item.ts'
import { sortOrder } from '../item/sort.ts'
import { placesWith, type ValueReader, valueColumn } from '../item/value-column.ts'
import { conversionIn } from './conversion.ts'
import type { ValueCondition } from './filter.ts'
import { rankedPage, ranking } from './ranking.ts'
import { recentMatches } from './recent-matches.ts'
import { type Matches, search } from './search.ts'

/** Longest query, in characters: longer texts are not names and would cost without finding more. */
const MAX_QUERY_CHARACTERS = 200

/**
 * What matches `query` among the items that `accepts` lets through, in no order; null: all. Throws
 * BAD_USER_INPUT, naming `argument`, when it is too long.
 */
export function matching(
  query: string,
  { words, items }: Catalogue,
  { argument, accepts }: { readonly argument: string; readonly accepts: ((item: Item) => boolean) | null },
): Matches {
  if (query.length > MAX_QUERY_CHARACTERS && [...query].length > MAX_QUERY_CHARACTERS) {
    throw badInput(argument, `at most ${MAX_QUERY_CHARACTERS} characters`, query)
  }
  const found =
    accepts === null
      ? recentMatches(query, words, () => search(query, words))
      : // Records with words are there.
        search(query, words, (record) => accepts(items[record] as Item))
  const conversion = conversionIn(query)
  if (conversion === null) return found
  const { records, scores } = found
  return { records, scores: scores.map((score, at) => score + conversion(items[records[at] as number] as Item)) }
}

/** Places of matches, in no order. */
export function placesIn({ records }: Matches): Uint32Array {
  const places = new Uint32Array(records.length)
  for (let at = 0; at < places.length; at += 1) places[at] = at
  return places
}

/**
 * A page of the items of a kind that meet the conditions, in the order of their list; with a query
 * those that match it, in the order of `matchingOrder`. Also all of them, for facets.
 */
export async function listPage<Kind extends DirectoryKind>(
  catalogue: Catalogue,
  kind: Kind,
  { order, query, sort, conditions, accepts }: ListQuery<Kind>,
  page: PageArguments,
): Promise<ListPage<ItemOf<Kind>> & { readonly facets: FacetItems<ItemOf<Kind>> }> {
  const { items } = catalogue
  const wanted = conditions.flatMap(({ valuesOf, value }) => (value == null ? [] : [{ valuesOf, value }]))
  if (query == null || (sort != null && sort !== 'RELEVANCE')) {
    const isSorted = sort != null && sort !== 'RELEVANCE'
    const list = isSorted ? await catalogue.sorted(kind, sort) : catalogue.list(kind)
    const listOrder = isSorted ? sortOrder(order.list, sort) : order
    const isMatch = query == null ? null : matchesOf(query, catalogue)
    const isLeft = (item: ItemOf<Kind>) => (isMatch === null || isMatch.has(item)) && (accepts?.(item) ?? true)
    if (wanted.length === 0 && isMatch === null && accepts === null)
      return { ...pageOf(list, listOrder, page), facets: facetsOf(() => list) }
    let places = await placesOf(list, wanted)
    if (isMatch !== null || accepts !== null) places = places.filter((place) => isLeft(list[place] as ItemOf<Kind>))
    return placesPage(list, places, listOrder, page)
  }
  const isWanted = (item: Item): boolean => {
    if (item.kind !== kind) return false
    // Only items of this kind are compared with its conditions.
    const own = item as ItemOf<Kind>
    return wanted.every(({ valuesOf, value }) => valuesOf(own).includes(value)) && (accepts?.(own) ?? true)
  }
  const matches = matching(query, catalogue, { argument: 'filter.query', accepts: isWanted })
  const ranked = ranking(matches, catalogue, { list: `${order.list} matching`, byStars: kind === 'MCP_SERVER' })
  const { edges, ...rest } = rankedPage(placesIn(matches), ranked, page)
  // Only items of this kind were accepted above.
  const itemOf = (record: number) => items[record] as ItemOf<Kind>
  return {
    ...rest,
    edges: edges.map(({ node, cursor }) => ({ node: itemOf(matches.records[node] as number), cursor })),
    facets: facetsOf(once(() => Array.from(matches.records, itemOf))),
  }
}

/** The places in a list of items that meet all conditions, by columns. */
async function placesOf<Node>(
  list: readonly Node[],
  conditions: readonly { readonly valuesOf: ValueReader<Node>; readonly value: string }[],
): Promise<Uint32Array> {
  let places: Uint32Array | null = null
  for (const { valuesOf, value } of conditions) places = placesWith(await valueColumn(list, valuesOf), value, places)
  return places ?? Uint32Array.from(list, (_, place) => place)
}

/** A page of the items at some places of a sorted list. */
function placesPage<Node>(
  list: readonly Node[],
  places: Uint32Array,
  { positionOf, ...order }: ListOrder<Node>,
  page: PageArguments,
): ListPage<Node> & { readonly facets: FacetItems<Node> } {
  const nodeAt = (place: number): Node => list[place] as Node
  const { edges, ...rest } = pageOf(places, { ...order, positionOf: (place) => positionOf(nodeAt(place)) }, page)
  return {
    ...rest,
    edges: edges.map(({ node, cursor }) => ({ node: nodeAt(node), cursor })),
    facets: { count: (valuesOf, max) => facetAt(list, places, valuesOf, max) },
  }
}

/** Counts values of all items of a list, when somebody asks for them. */
export type FacetItems<Node> = { readonly count: (valuesOf: ValueReader<Node>, max?: number) => Promise<FacetValue[]> }

const facetsOf = <Node>(items: () => readonly Node[]): FacetItems<Node> => ({
  count: (valuesOf, max) => facet(items(), valuesOf, max),
})

function matchesOf(query: string, catalogue: Catalogue): ReadonlySet<Item> {
  const { records } = matching(query, catalogue, { argument: 'filter.query', accepts: null })
  return new Set(Array.from(records, (record) => catalogue.items[record] as Item))
}

type ListQuery<Kind extends DirectoryKind> = {
  readonly order: ListOrder<ItemOf<Kind>>
  readonly query: string | null | undefined
  readonly sort: DirectorySort | null | undefined
  /** All are met; a null value lets everything through. */
  readonly conditions: readonly ValueCondition<ItemOf<Kind>>[]
  /** What else an item must meet; null: nothing. */
  readonly accepts: ((item: ItemOf<Kind>) => boolean) | null
}
