import type { SearchFilter } from '#generated/directory/resolvers.ts'
import type { Item, McpServer } from '../item/item.ts'

/** The conditions that tell servers apart; absent and null ones let everything through. */
type ServerConditions = Pick<SearchFilter, 'official' | 'keyless' | 'location' | 'transport'>

/** Whether a client reaches the server at an address, or starts it. */
const isRemote = ({ command }: McpServer['installations'][number]): boolean => command.startsWith('claude mcp add ')

/**
 * Whether a server meets the conditions. One without a known installation is neither local nor
 * remote, and nobody knows whether it wants a key.
 */
export function meets(
  { official, transport, installations, envVars }: McpServer,
  { official: isOfficial, keyless, location, transport: wanted }: ServerConditions,
): boolean {
  if (isOfficial != null && official !== isOfficial) return false
  if (wanted != null && transport !== wanted) return false
  if (keyless != null && (installations.length > 0 && envVars.every(({ secret }) => !secret)) !== keyless) return false
  return location == null || installations.some((one) => isRemote(one) === (location === 'REMOTE'))
}

/** Whether an item meets a filter of the search. Plugins and skills meet no condition of servers. */
export function accepts(item: Item, { tag, ...conditions }: SearchFilter): boolean {
  if (tag != null && !item.tags.includes(tag)) return false
  if (item.kind === 'MCP_SERVER') return meets(item, conditions)
  return Object.values(conditions).every((condition) => condition == null)
}
