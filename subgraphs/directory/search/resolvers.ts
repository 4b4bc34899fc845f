import type { DirectorySort, Resolvers } from '#generated/directory/resolvers.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { checkPageSize, comparePositions, type ListOrder, pageOf } from '../../toolkit/connection.ts'
import { facet } from '../item/facets.ts'
import type { DirectoryKind, Item } from '../item/item.ts'
import { groupSimilar as groupMatches } from '../item/similar.ts'
import { sortOrder } from '../item/sort.ts'
import { accepts } from './filter.ts'
import { matching } from './matching.ts'
import { type Ranked, rank, rankedOrder, type ScoredItem, scoreOf } from './ranking.ts'
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
      const order = sort == null || sort === 'RELEVANCE' ? rankedOrder : orderBy(sort)
      const ranked = matching(query, catalogue, { argument: 'query', accepts: isWanted })
        .map((found) => (order === rankedOrder ? rank(found) : placed(found, order)))
        .sort((one, other) => comparePositions(one.position, other.position))
      const found = groupSimilar ? groupMatches(ranked, catalogue.similar) : ranked
      const bounded =
        firstOfEachKind == null ? found : ofEachKind(found, checkPageSize('firstOfEachKind', firstOfEachKind, MAX_PER_KIND))
      const page = pageOf(bounded, order, { first, after })
      return { ...page, edges: page.edges.map(edgeOf), facets: found.map(({ item }) => item) }
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

type Result = Ranked & { readonly similarCount?: number }

const edgeOf = ({ node, cursor }: { readonly node: Result; readonly cursor: string }) => ({
  node: node.item,
  cursor,
  score: scoreOf(node),
  similarCount: node.similarCount ?? 0,
})

/** The order of results that are not sorted by relevance. */
function orderBy(sort: Exclude<DirectorySort, 'RELEVANCE'>): ListOrder<Ranked> {
  const { list, parts, positionOf } = sortOrder('search', sort)
  return { list, parts, positionOf: ({ item }) => positionOf(item) }
}

/** A match where an order places it. */
function placed(found: ScoredItem, { positionOf }: ListOrder<Ranked>): Ranked {
  const result = { ...found, position: [] }
  return { ...result, position: positionOf(result) }
}

/** The first `most` of each kind, in the same order. */
function ofEachKind(ranked: readonly Result[], max: number): readonly Result[] {
  const seen: Record<DirectoryKind, number> = { MCP_SERVER: 0, PLUGIN: 0, SKILL: 0 }
  return ranked.filter(({ item }) => {
    seen[item.kind] += 1
    return seen[item.kind] <= max
  })
}
