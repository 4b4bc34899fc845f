import type { Resolvers } from '#generated/directory/resolvers.ts'
import { once } from '../../../platform/collections/once.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { checkPageSize, type PageArguments } from '../../toolkit/connection.ts'
import type { Catalogue } from '../item/catalogue.ts'
import { facet } from '../item/facets.ts'
import type { Item } from '../item/item.ts'
import { kindIn, scoreOf } from '../item/quality.ts'
import { groupSimilar as groupMatches, type SimilarGroups } from '../item/similar.ts'
import { KIND_ORDER, sortOrder } from '../item/sort.ts'
import { conditionOf } from './filter.ts'
import { matching, placesIn } from './matching.ts'
import { firstPlaces, type Ranking, rankedPage, ranking, rankingBy } from './ranking.ts'
import type { Matches } from './search.ts'
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
      const meetsFilter = conditionOf(filter)
      const isWanted = (item: Item) =>
        (kinds == null || kinds.includes(item.kind)) && (category == null || item.category === category) && meetsFilter(item)
      const accepted = kinds == null && category == null && filter == null ? null : isWanted
      const found = matching(query, catalogue, { argument: 'query', accepts: accepted })
      const ranked =
        sort == null || sort === 'RELEVANCE'
          ? relevanceOf(found, catalogue)
          : rankingBy(found, catalogue, sortOrder('search', sort))
      return searchPage(ranked, catalogue, { groupSimilar: groupSimilar ?? false, firstOfEachKind, first, after })
    },
    itemsForTask: (_, { task, kinds, filter, maxItems }, { catalogue }) => {
      if ([...task].length > MAX_TASK_CHARACTERS) throw badInput('task', `at most ${MAX_TASK_CHARACTERS} characters`, task)
      const meetsFilter = conditionOf(filter)
      const isWanted = (item: Item) => (kinds == null || kinds.includes(item.kind)) && meetsFilter(item)
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

/** Of matches that are remembered, and as long as they are. */
const RANKINGS = new WeakMap<Matches, Ranking>()
const GROUPS = new WeakMap<Ranking, SimilarGroups>()

function relevanceOf(matches: Matches, catalogue: Catalogue): Ranking {
  const ranked = RANKINGS.get(matches) ?? ranking(matches, catalogue)
  RANKINGS.set(matches, ranked)
  return ranked
}

function groupsOf(ranked: Ranking, catalogue: Catalogue): SimilarGroups {
  const groups = GROUPS.get(ranked) ?? groupMatches(placesIn(ranked), ranked, catalogue)
  GROUPS.set(ranked, groups)
  return groups
}

/** A page of matches, and all of them for facets. */
function searchPage(ranked: Ranking, catalogue: Catalogue, { groupSimilar, firstOfEachKind, ...page }: PageShape) {
  const { records, scores } = ranked
  const { items, quality } = catalogue
  const { places, copies } = groupSimilar ? groupsOf(ranked, catalogue) : { places: placesIn(ranked), copies: NO_COPIES }
  const itemAt = (place: number): Item => items[records[place] as number] as Item
  const bounded =
    firstOfEachKind == null
      ? places
      : ofEachKind(places, checkPageSize('firstOfEachKind', firstOfEachKind, MAX_PER_KIND), ranked, quality.parts)
  const { edges, ...rest } = rankedPage(bounded, ranked, page)
  return {
    ...rest,
    edges: edges.map(({ node: place, cursor }) => ({
      node: itemAt(place),
      cursor,
      score: scoreOf({ item: itemAt(place), score: scores[place] as number }),
      similarCount: copies[place] ?? 0,
    })),
    facets: { items: once(() => Array.from(places, itemAt)) },
  }
}

const NO_COPIES = new Uint32Array(0)

/** The first `max` of each kind; `parts`: those of quality, by record. */
function ofEachKind(places: Uint32Array, max: number, ranked: Ranking, parts: Uint16Array): Uint32Array {
  const { records } = ranked
  const first = Object.values(KIND_ORDER).flatMap((kind) => {
    const ofKind = new Uint32Array(places.length)
    let count = 0
    for (let at = 0; at < places.length; at += 1) {
      const place = places[at] as number
      if (kindIn(parts[records[place] as number] as number) !== kind) continue
      ofKind[count] = place
      count += 1
    }
    return firstPlaces(ofKind.subarray(0, count), max, ranked)
  })
  return Uint32Array.from(first)
}
