import type { Resolvers } from '#generated/directory/resolvers.ts'
import { checkPageSize, comparePositions, pageOf } from '../../toolkit/connection.ts'
import { facet } from '../item/facets.ts'
import type { DirectoryKind, Item } from '../item/item.ts'
import { matching } from './matching.ts'
import { type Ranked, rank, rankedOrder } from './ranking.ts'

/** Most results of each kind that `firstOfEachKind` may ask for: the limit of `/api/search`. */
const MAX_PER_KIND = 25

export const searchResolvers = {
  Query: {
    search: (_, { query, kinds, category, firstOfEachKind, first, after }, { catalogue }) => {
      const accepts = ({ kind, category: own }: Item) =>
        (kinds == null || kinds.includes(kind)) && (category == null || own === category)
      const found = matching(query, catalogue, { argument: 'query', accepts })
        .map(rank)
        .sort((one, other) => comparePositions(one.position, other.position))
      const bounded =
        firstOfEachKind == null ? found : ofEachKind(found, checkPageSize('firstOfEachKind', firstOfEachKind, MAX_PER_KIND))
      const page = pageOf(bounded, rankedOrder, { first, after })
      return {
        ...page,
        edges: page.edges.map(({ node, cursor }) => ({ node: node.item, cursor })),
        facets: found.map(({ item }) => item),
      }
    },
  },
  SearchFacets: {
    kinds: (items) => facet(items, ({ kind }) => [kind]),
    categories: (items) => facet(items, ({ category }) => [category]),
  },
} satisfies Resolvers

/** The first `most` of each kind, in the same order. */
function ofEachKind(ranked: readonly Ranked[], max: number): readonly Ranked[] {
  const seen: Record<DirectoryKind, number> = { MCP_SERVER: 0, PLUGIN: 0, SKILL: 0 }
  return ranked.filter(({ item }) => {
    seen[item.kind] += 1
    return seen[item.kind] <= max
  })
}
