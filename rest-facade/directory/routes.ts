import type { GetRevisionQuery } from '#generated/operations.ts'
import type { Route } from '../http/route.ts'
import { categoryRoutes } from './category/routes.ts'
import { mcpServerRoutes } from './mcp-server/routes.ts'
import { pluginRoutes } from './plugin/routes.ts'
import { registryRoutes } from './registry/routes.ts'
import { searchRoutes } from './search/routes.ts'
import { skillRoutes } from './skill/routes.ts'
import { statsRoutes } from './stats/routes.ts'

/**
 * Every operation of the directory's REST API. Each document also selects the revision: entity tags
 * are made from it.
 */
export const directoryRoutes: readonly Route<GetRevisionQuery>[] = [
  ...searchRoutes,
  ...mcpServerRoutes,
  ...pluginRoutes,
  ...skillRoutes,
  ...categoryRoutes,
  ...statsRoutes,
  ...registryRoutes,
]
