import type { ListOrder } from '../../toolkit/connection.ts'
import type { Position } from '../../toolkit/cursor.ts'
import type { Item, McpServer, Plugin, Skill } from './item.ts'

/** Servers: most stars first, then owner and repo without regard to case. */
export const mcpServerOrder: ListOrder<McpServer> = {
  list: 'mcpServers',
  parts: ['number', 'text', 'text'],
  positionOf: ({ popularity, owner, repo }) => [-popularity, owner.toLowerCase(), repo.toLowerCase()],
}

/** Plugins: most stars first, then marketplace and slug without regard to case. */
export const pluginOrder: ListOrder<Plugin> = {
  list: 'plugins',
  parts: ['number', 'text', 'text'],
  positionOf: ({ popularity, marketplaceSlug, slug }) => [-popularity, marketplaceSlug.toLowerCase(), slug.toLowerCase()],
}

/** Skills: by name, then slug, without regard to case. */
export const skillOrder: ListOrder<Skill> = {
  list: 'skills',
  parts: ['text', 'text'],
  positionOf: ({ name, slug }) => [name.toLowerCase(), slug.toLowerCase()],
}

/** Where an item stands in the list of its kind. */
export function listPosition(item: Item): Position {
  switch (item.kind) {
    case 'MCP_SERVER':
      return mcpServerOrder.positionOf(item)
    case 'PLUGIN':
      return pluginOrder.positionOf(item)
    case 'SKILL':
      return skillOrder.positionOf(item)
  }
}
