import type { Resolvers } from '#generated/directory/resolvers.ts'
import { DateTime, Url } from '../toolkit/scalars.ts'
import { categoryResolvers } from './category/resolvers.ts'
import { changeResolvers } from './change/resolvers.ts'
import { itemResolvers } from './item/resolvers.ts'
import { mcpServerResolvers } from './mcp-server/resolvers.ts'
import { pluginResolvers } from './plugin/resolvers.ts'
import { searchResolvers } from './search/resolvers.ts'
import { serverFeaturesResolvers } from './server-features/resolvers.ts'
import { skillResolvers } from './skill/resolvers.ts'
import { sourceResolvers } from './source/resolvers.ts'
import { statsResolvers } from './stats/resolvers.ts'

const nouns = [
  itemResolvers,
  mcpServerResolvers,
  serverFeaturesResolvers,
  pluginResolvers,
  skillResolvers,
  searchResolvers,
  categoryResolvers,
  statsResolvers,
  changeResolvers,
  sourceResolvers,
]

/** The resolvers of every noun, side by side. */
export const resolvers: Resolvers = {
  DateTime,
  Url,
  ...Object.assign({}, ...nouns),
  Query: Object.assign({}, ...nouns.map((noun) => ('Query' in noun ? noun.Query : {}))),
}
