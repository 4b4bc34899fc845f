import type { DirectorySort, Resolvers } from '#generated/directory/resolvers.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { checkPageSize, comparePositions, type ListOrder, type PageArguments, pageOfUnsorted } from '../../toolkit/connection.ts'
import type { Position } from '../../toolkit/cursor.ts'
import { firstOf } from '../../toolkit/first-of.ts'
import { facet } from '../item/facets.ts'
import type { DirectoryKind, Item } from '../item/item.ts'
import { groupSimilar as groupMatches } from '../item/similar.ts'
import { sortOrder } from '../item/sort.ts'
import { accepts } from './filter.ts'
import { matching } from './matching.ts'
import { compareRanked, type Found, rank, rankedOrder, scoreOf } from './ranking.ts'
import { taskItems } from './task-items.ts'

/** Most results of each kind that `firstOfEachKind` may ask for: the limit of `/api/search`. */
const MAX_PER_KIND = 25
/** Longest task: a paragraph. */
const MAX_TASK_CHARACTERS = 1_000
/** Most items of a set for a task. */
const MAX_TASK_ITEMS = 8

export const searchResolvers = {
  Query: {
    search: (_, { query, kinds, category, filter, sort, groupSimilar, firstOfEachKind, first, after }, { catalogue }) => {
      const isWanted = (item: Item) =>
        (kinds == null || kinds.includes(item.kind)) &&
        (category == null || item.category === category) &&
        (filter == null || accepts(item, filter))
      const found = matching(query, catalogue, { argument: 'query', accepts: isWanted })
      const shape = { hashes: groupSimilar ? catalogue.descriptionHashes : null, firstOfEachKind, first, after }
      return sort == null || sort === 'RELEVANCE'
        ? searchPage(found.map(rank), { order: rankedOrder, compare: compareRanked }, shape)
        : searchPage(...sortedBy(sort, found), shape)
    },
    itemsForTask: (_, { task, kinds, filter, maxItems }, { catalogue }) => {
      if ([...task].length > MAX_TASK_CHARACTERS) throw badInput('task', `at most ${MAX_TASK_CHARACTERS} characters`, task)
      const isWanted = (item: Item) => (kinds == null || kinds.includes(item.kind)) && (filter == null || accepts(item, filter))
      return taskItems(task, catalogue, { accepts: isWanted, max: checkPageSize('maxItems', maxItems ?? 4, MAX_TASK_ITEMS) })
    },
  },
  TaskPick: {
    reason: ({ covers }) => covers.map(({ word, field }) => `${word} (${field.toLowerCase()})`).join(', '),
  },
  SearchFacets: {
    kinds: (items) => facet(items, ({ kind }) => [kind]),
    categories: (items) => facet(items, ({ category }) => [category]),
  },
} satisfies Resolvers

type Result = Found & { readonly similarCount?: number }
type Order<Node> = { readonly order: ListOrder<Node>; readonly compare: (one: Node, other: Node) => number }

type PageShape = PageArguments & {
  /** Groups copies by these; null: they are not grouped. */
  readonly hashes: Uint32Array | null
  readonly firstOfEachKind: number | null | undefined
}

/** A page of matches that are in no order, and all of them for facets. */
function searchPage<Match extends Result>(
  found: readonly Match[],
  { order, compare }: Order<Match>,
  { hashes, firstOfEachKind, ...page }: PageShape,
) {
  const results = hashes ? groupMatches(found.toSorted(compare), hashes) : found
  const bounded =
    firstOfEachKind == null
      ? results
      : ofEachKind(results, checkPageSize('firstOfEachKind', firstOfEachKind, MAX_PER_KIND), compare)
  const { edges, ...rest } = pageOfUnsorted(bounded, order, page, compare)
  return { ...rest, edges: edges.map(edgeOf), facets: results.map(({ item }) => item) }
}

const edgeOf = ({ node, cursor }: { readonly node: Result; readonly cursor: string }) => ({
  node: node.item,
  cursor,
  score: scoreOf(node),
  similarCount: node.similarCount ?? 0,
})

type Placed = Result & { readonly position: Position }

/** Matches where an order that is not that of relevance places them. */
function sortedBy(sort: Exclude<DirectorySort, 'RELEVANCE'>, found: readonly Found[]): [readonly Placed[], Order<Placed>] {
  const { list, parts, positionOf } = sortOrder('search', sort)
  return [
    found.map((one) => ({ ...one, position: positionOf(one.item) })),
    {
      order: { list, parts, positionOf: ({ position }) => position },
      compare: (one, other) => comparePositions(one.position, other.position),
    },
  ]
}

/** The first `max` of each kind. */
const ofEachKind = <Match extends Result>(
  found: readonly Match[],
  max: number,
  compare: (one: Match, other: Match) => number,
): readonly Match[] =>
  KINDS.flatMap((kind) =>
    firstOf(
      found.filter(({ item }) => item.kind === kind),
      max,
      compare,
    ),
  )

const KINDS: readonly DirectoryKind[] = ['MCP_SERVER', 'PLUGIN', 'SKILL']
