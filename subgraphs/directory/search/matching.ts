import type { DirectorySort } from '#generated/directory/resolvers.ts'
import { once } from '../../../platform/collections/once.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { type ListOrder, type ListPage, type PageArguments, pageOf, pageOfUnsorted } from '../../toolkit/connection.ts'
import type { Catalogue } from '../item/catalogue.ts'
import type { DirectoryKind, Item, ItemOf } from '../item/item.ts'
import { sortOrder } from '../item/sort.ts'
import { conversionIn } from './conversion.ts'
import { ranking } from './ranking.ts'
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
  // Records with words are there.
  const found = search(query, words, accepts && ((record) => accepts(items[record] as Item)))
  const conversion = conversionIn(query)
  if (conversion === null) return found
  const { records, scores } = found
  return { records, scores: scores.map((score, at) => score + conversion(items[records[at] as number] as Item)) }
}

/** Places of matches, as a list that a page can be taken of. */
export function placesIn({ records }: Matches): readonly number[] {
  const places = new Array<number>(records.length)
  for (let at = 0; at < places.length; at += 1) places[at] = at
  return places
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
): Promise<ListPage<ItemOf<Kind>> & { readonly facets: FacetItems<ItemOf<Kind>> }> {
  const { items } = catalogue
  if (sort != null && sort !== 'RELEVANCE') {
    const isMatch = query == null ? null : matchesOf(query, catalogue)
    const sorted = await catalogue.sorted(kind, sort)
    const found =
      accepts === null && isMatch === null
        ? sorted
        : sorted.filter((item) => (accepts?.(item) ?? true) && (isMatch === null || isMatch.has(item)))
    return { ...pageOf(found, sortOrder(order.list, sort), page), facets: { items: () => found } }
  }
  if (query == null) {
    const found = accepts === null ? catalogue.list(kind) : catalogue.list(kind).filter(accepts)
    return { ...pageOf(found, order, page), facets: { items: () => found } }
  }
  const isWanted = (item: Item): boolean =>
    // Only items of this kind are compared with its conditions.
    item.kind === kind && (accepts?.(item as ItemOf<Kind>) ?? true)
  const matches = matching(query, catalogue, { argument: 'filter.query', accepts: isWanted })
  const ranked = ranking(matches, catalogue, { list: `${order.list} matching`, byStars: kind === 'MCP_SERVER' })
  const places = placesIn(matches)
  const { edges, ...rest } = pageOfUnsorted(places, ranked.order, page, ranked.compare)
  // Only items of this kind were accepted above.
  const itemAt = (place: number) => items[matches.records[place] as number] as ItemOf<Kind>
  return {
    ...rest,
    edges: edges.map(({ node, cursor }) => ({ node: itemAt(node), cursor })),
    facets: { items: once(() => places.map(itemAt)) },
  }
}

/** Items that facets are counted of, when somebody asks for them. */
export type FacetItems<Node> = { readonly items: () => readonly Node[] }

function matchesOf(query: string, catalogue: Catalogue): ReadonlySet<Item> {
  const { records } = matching(query, catalogue, { argument: 'filter.query', accepts: null })
  return new Set(Array.from(records, (record) => catalogue.items[record] as Item))
}

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
