import type { Resolvers } from '#generated/directory/resolvers.ts'
import { once } from '../../../platform/collections/once.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { checkPageSize, type PageArguments, pageOfUnsorted } from '../../toolkit/connection.ts'
import { firstOf } from '../../toolkit/first-of.ts'
import type { Catalogue } from '../item/catalogue.ts'
import { facet } from '../item/facets.ts'
import type { Item } from '../item/item.ts'
import { scoreOf } from '../item/quality.ts'
import { groupSimilar as groupMatches } from '../item/similar.ts'
import { KIND_ORDER, sortOrder } from '../item/sort.ts'
import { accepts } from './filter.ts'
import { matching, placesIn } from './matching.ts'
import { type Ranking, ranking, rankingBy } from './ranking.ts'
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
      const accepted = kinds == null && category == null && filter == null ? null : isWanted
      const found = matching(query, catalogue, { argument: 'query', accepts: accepted })
      const ranked =
        sort == null || sort === 'RELEVANCE' ? ranking(found, catalogue) : rankingBy(found, catalogue, sortOrder('search', sort))
      return searchPage(ranked, catalogue, { groupSimilar: groupSimilar ?? false, firstOfEachKind, first, after })
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
    kinds: ({ items }) => facet(items(), ({ kind }) => [kind]),
    categories: ({ items }) => facet(items(), ({ category }) => [category]),
  },
} satisfies Resolvers

type PageShape = PageArguments & {
  readonly groupSimilar: boolean
  readonly firstOfEachKind: number | null | undefined
}

/** A page of matches, and all of them for facets. */
function searchPage(ranked: Ranking, catalogue: Catalogue, { groupSimilar, firstOfEachKind, ...page }: PageShape) {
  const { records, scores, order, compare } = ranked
  const { items, quality } = catalogue
  const all = placesIn(ranked)
  const { places, copies } = groupSimilar ? groupMatches(all, ranked, catalogue) : { places: all, copies: NO_COPIES }
  const kindAt = (place: number): number => quality.kind[records[place] as number] as number
  const itemAt = (place: number): Item => items[records[place] as number] as Item
  const bounded =
    firstOfEachKind == null
      ? places
      : ofEachKind(places, checkPageSize('firstOfEachKind', firstOfEachKind, MAX_PER_KIND), { kindAt, compare })
  const { edges, ...rest } = pageOfUnsorted(bounded, order, page, compare)
  return {
    ...rest,
    edges: edges.map(({ node: place, cursor }) => ({
      node: itemAt(place),
      cursor,
      score: scoreOf({ item: itemAt(place), score: scores[place] as number }),
      similarCount: copies.get(place) ?? 0,
    })),
    facets: { items: once(() => places.map(itemAt)) },
  }
}

const NO_COPIES: ReadonlyMap<number, number> = new Map()

/** The first `max` of each kind. */
const ofEachKind = (
  places: readonly number[],
  max: number,
  { kindAt, compare }: { readonly kindAt: (place: number) => number; readonly compare: Ranking['compare'] },
): readonly number[] =>
  Object.values(KIND_ORDER).flatMap((kind) =>
    firstOf(
      places.filter((place) => kindAt(place) === kind),
      max,
      compare,
    ),
  )
