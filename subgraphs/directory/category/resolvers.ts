import type { Resolvers } from '#generated/directory/resolvers.ts'
import { facet } from '../item/facets.ts'
import type { Item } from '../item/item.ts'

const categoryOf = ({ category }: Item) => [category]

const counted = async (items: readonly Item[]) =>
  (await facet(items, categoryOf)).map(({ value, count }) => ({ name: value, count }))

export const categoryResolvers = {
  Query: {
    categories: async (_, __, { catalogue }) => ({
      mcp: await counted(catalogue.list('MCP_SERVER')),
      plugins: await counted(catalogue.list('PLUGIN')),
      skills: await counted(catalogue.list('SKILL')),
    }),
  },
} satisfies Resolvers
