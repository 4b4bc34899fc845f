import type { Position } from '../../runtime/connection.ts'
import type { Item, McpServer, Plugin, Skill } from './item.ts'

/** Servers: most stars first, then owner and repo without regard to case. */
export const mcpServerPosition = ({ popularity, owner, repo }: McpServer): Position => [
  -popularity,
  owner.toLowerCase(),
  repo.toLowerCase(),
]

/** Plugins: most stars first, then marketplace and slug without regard to case. */
export const pluginPosition = ({ popularity, marketplaceSlug, slug }: Plugin): Position => [
  -popularity,
  marketplaceSlug.toLowerCase(),
  slug.toLowerCase(),
]

/** Skills: by name, then slug, without regard to case. */
export const skillPosition = ({ name, slug }: Skill): Position => [name.toLowerCase(), slug.toLowerCase()]

/** Where an item stands in the list of its kind. */
export function listPosition(item: Item): Position {
  switch (item.kind) {
    case 'MCP_SERVER':
      return mcpServerPosition(item)
    case 'PLUGIN':
      return pluginPosition(item)
    case 'SKILL':
      return skillPosition(item)
  }
}
