import type { Resolvers } from '#generated/directory/resolvers.ts'
import type { Context } from '../context.ts'
import { idOf } from './id.ts'
import type { Item } from './item.ts'
import { urlOf } from './url.ts'

/** The fields that every kind of item answers in the same way. */
export const itemFields = {
  id: (item: Item) => idOf(item),
  url: (item: Item, _: unknown, { publicUrl }: Context) => urlOf(publicUrl, item),
}

const TYPES = { MCP_SERVER: 'McpServer', PLUGIN: 'Plugin', SKILL: 'Skill' } as const

export const itemResolvers = {
  DirectoryItem: { __resolveType: ({ kind }) => TYPES[kind] },
} satisfies Resolvers
