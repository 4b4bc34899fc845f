import type { Item } from './item.ts'

/** Address of the item's page under `publicUrl`. */
export function urlOf(publicUrl: string, item: Item): string {
  switch (item.kind) {
    case 'MCP_SERVER':
      return `${publicUrl}/mcp/${encodeURIComponent(item.owner)}/${encodeURIComponent(item.repo)}`
    case 'PLUGIN':
      return `${publicUrl}/plugins/${encodeURIComponent(item.marketplaceSlug)}/${encodeURIComponent(item.slug)}`
    case 'SKILL':
      return `${publicUrl}/skills/${encodeURIComponent(item.slug)}`
  }
}
