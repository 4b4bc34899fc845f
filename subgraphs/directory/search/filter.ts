import type { SearchFilter } from '#generated/directory/resolvers.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import type { Item, McpServer } from '../item/item.ts'

/** The conditions that tell servers apart; absent and null ones let everything through. */
type ServerConditions = Pick<SearchFilter, 'official' | 'keyless' | 'location' | 'transport' | 'tool'>

/** Longest name of a tool that is looked for. */
const MAX_TOOL_LENGTH = 128

/** Whether a server lists a tool, by its name without regard to case. */
function hasTool(tool: string): (server: McpServer) => boolean {
  if (tool.length > MAX_TOOL_LENGTH) throw badInput('filter.tool', `at most ${MAX_TOOL_LENGTH} characters`, tool)
  const wanted = tool.toLowerCase()
  return ({ toolNames }) => toolNames?.some((name) => name.toLowerCase() === wanted) ?? false
}

/** Whether a client reaches the server at an address, or starts it. */
const isRemote = ({ command }: McpServer['installations'][number]): boolean => command.startsWith('claude mcp add ')

/**
 * Whether a server meets the conditions. One without a known installation is neither local nor
 * remote, and nobody knows whether it wants a key.
 */
export function meets(
  server: McpServer,
  { official: isOfficial, keyless, location, transport: wanted, tool }: ServerConditions,
): boolean {
  const { official, transport, installations, envVars } = server
  if (isOfficial != null && official !== isOfficial) return false
  if (wanted != null && transport !== wanted) return false
  if (keyless != null && (installations.length > 0 && envVars.every(({ secret }) => !secret)) !== keyless) return false
  if (tool != null && !hasTool(tool)(server)) return false
  return location == null || installations.some((one) => isRemote(one) === (location === 'REMOTE'))
}

/** Whether an item meets a filter of the search. Plugins and skills meet no condition of servers. */
export function accepts(item: Item, { tag, ...conditions }: SearchFilter): boolean {
  if (tag != null && !item.tags.includes(tag)) return false
  if (item.kind === 'MCP_SERVER') return meets(item, conditions)
  return Object.values(conditions).every((condition) => condition == null)
}
