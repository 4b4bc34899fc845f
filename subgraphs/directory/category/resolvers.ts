import type { Resolvers } from '#generated/directory/resolvers.ts'
import { facet } from '../item/facets.ts'
import type { Item } from '../item/item.ts'

const categoryOf = ({ category }: Item) => [category]

const counted = (items: readonly Item[]) => facet(items, categoryOf).map(({ value, count }) => ({ name: value, count }))

export const categoryResolvers = {
  Query: {
    categories: (_, __, { catalogue }) => ({
      mcp: counted(catalogue.list('MCP_SERVER')),
      plugins: counted(catalogue.list('PLUGIN')),
      skills: counted(catalogue.list('SKILL')),
    }),
  },
} satisfies Resolvers
