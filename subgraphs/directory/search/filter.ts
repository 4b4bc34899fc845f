import type { SearchFilter } from '#generated/directory/resolvers.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import type { Item, McpServer } from '../item/item.ts'
import { licensesOf, licenseValue } from '../item/license.ts'
import { ownersOf, ownerValue } from '../item/owner.ts'
import type { ValueReader } from '../item/value-column.ts'

/** The conditions that tell servers apart; absent and null ones let everything through. */
type ServerConditions = Pick<SearchFilter, 'official' | 'keyless' | 'verified' | 'location' | 'transport' | 'tool'>

/** Longest name of a tool that is looked for. */
const MAX_TOOL_LENGTH = 128

/** A condition of a list: items have this value. `valuesOf` is a constant. */
export type ValueCondition<Node> = { readonly valuesOf: ValueReader<Node>; readonly value: string | null | undefined }

/** Whether a server lists a tool, by its name without regard to case. */
export function hasTool(tool: string): (server: McpServer) => boolean {
  if (tool.length > MAX_TOOL_LENGTH) throw badInput('filter.tool', `at most ${MAX_TOOL_LENGTH} characters`, tool)
  const wanted = tool.toLowerCase()
  return ({ toolNames }) => toolNames?.some((name) => name.toLowerCase() === wanted) ?? false
}

/** Whether a client reaches the server at an address, or starts it. */
const isRemote = ({ command }: McpServer['installations'][number]): boolean => command.startsWith('claude mcp add ')

/** Nobody knows whether a server without a known installation wants a key. */
const isKeyless = ({ installations, envVars }: McpServer): boolean =>
  installations.length > 0 && envVars.every(({ secret }) => !secret)

/** Whether the trust of the item finds its publisher good. */
const isVerified = ({ registered, official }: McpServer): boolean => registered !== undefined || official

const keylessOf = (server: McpServer) => [String(isKeyless(server))]
const verifiedOf = (server: McpServer) => [String(isVerified(server))]
const locationsOf = ({ installations }: McpServer) => [
  ...new Set(installations.map((one) => (isRemote(one) ? 'REMOTE' : 'LOCAL'))),
]

/** What `meets` asks for of values that many servers share; null: lets everything through. */
export const sharedConditions = ({
  keyless,
  verified,
  location,
}: Pick<ServerConditions, 'keyless' | 'verified' | 'location'>): readonly ValueCondition<McpServer>[] => [
  { valuesOf: keylessOf, value: keyless == null ? null : String(keyless) },
  { valuesOf: verifiedOf, value: verified == null ? null : String(verified) },
  { valuesOf: locationsOf, value: location },
]

/**
 * Whether a server meets the conditions. One without a known installation is neither local nor
 * remote, and nobody knows whether it wants a key.
 */
export function meets(
  server: McpServer,
  { official: isOfficial, keyless, verified, location, transport: wanted, tool }: ServerConditions,
): boolean {
  const { official, transport, installations } = server
  if (isOfficial != null && official !== isOfficial) return false
  if (wanted != null && transport !== wanted) return false
  if (keyless != null && isKeyless(server) !== keyless) return false
  if (verified != null && isVerified(server) !== verified) return false
  if (tool != null && !hasTool(tool)(server)) return false
  return location == null || installations.some((one) => isRemote(one) === (location === 'REMOTE'))
}

/**
 * Whether items meet a filter of the search; all do where there is none. Plugins and skills meet no condition of
 * servers. Throws BAD_USER_INPUT.
 */
export function conditionOf(filter: SearchFilter | null | undefined): (item: Item) => boolean {
  const { tag, owner, license, ...conditions } = filter ?? {}
  const [wanted, wantedOwner] = [licenseValue(license), ownerValue(owner)]
  const isOfAnyKind = Object.values(conditions).every((condition) => condition == null)
  return (item) =>
    (tag == null || item.tags.includes(tag)) &&
    (wanted === null || licensesOf(item).includes(wanted)) &&
    (wantedOwner === null || ownersOf(item).includes(wantedOwner)) &&
    (item.kind === 'MCP_SERVER' ? meets(item, conditions) : isOfAnyKind)
}
