import type { Resolvers } from '#generated/directory/resolvers.ts'
import { installConfigsOf } from '../install-config/install-config.ts'
import { MAX_FACET_TAGS } from '../item/facets.ts'
import { rowIdIn } from '../item/id.ts'
import type { ItemOf } from '../item/item.ts'
import { licensesOf, licenseValue } from '../item/license.ts'
import { mcpServerOrder } from '../item/order.ts'
import { ownersOf, ownerValue } from '../item/owner.ts'
import { itemFields } from '../item/resolvers.ts'
import { itemTrust } from '../item-trust/resolvers.ts'
import { observedRepositoryOf } from '../observation/resolvers.ts'
import { publishedPackagesOf } from '../published-package/resolvers.ts'
import { registryEntryOf, serverNamed } from '../registry-entry/registry-entry.ts'
import { hasTool, sharedConditions } from '../search/filter.ts'
import { listPage } from '../search/matching.ts'
import { featuresOfServer } from '../server-features/resolvers.ts'

// Facets of whole lists are counted once per reader.
const categoriesOf = ({ category }: ItemOf<'MCP_SERVER'>) => [category]
const transportsOf = ({ transport }: ItemOf<'MCP_SERVER'>) => [transport]
const officialOf = ({ official }: ItemOf<'MCP_SERVER'>) => [String(official)]
const tagsOf = ({ tags }: ItemOf<'MCP_SERVER'>) => tags

export const mcpServerResolvers = {
  Query: {
    mcpServer: (_, { owner, repo }, { catalogue }) => catalogue.byKey('MCP_SERVER', `${owner}/${repo}`),
    mcpServerByRegistryName: (_, { name }, { catalogue }) => serverNamed(name, catalogue),
    mcpServers: (_, { filter, sort, ...page }, { catalogue }) => {
      const { query, category, tag, owner, license, updatedSince, official, transport, tool, ...others } = filter ?? {}
      const lists = tool == null ? null : hasTool(tool)
      const accepts = (server: ItemOf<'MCP_SERVER'>): boolean =>
        (updatedSince == null || server.updatedAt >= updatedSince) && (lists?.(server) ?? true)
      const conditions = [
        { valuesOf: categoriesOf, value: category },
        { valuesOf: tagsOf, value: tag },
        { valuesOf: ownersOf, value: ownerValue(owner) },
        { valuesOf: licensesOf, value: licenseValue(license) },
        { valuesOf: officialOf, value: official == null ? null : String(official) },
        { valuesOf: transportsOf, value: transport },
        ...sharedConditions(others),
      ]
      const rest = updatedSince == null && tool == null ? null : accepts
      return listPage(catalogue, 'MCP_SERVER', { order: mcpServerOrder, query, sort, conditions, accepts: rest }, page)
    },
  },
  McpServer: {
    ...itemFields,
    installConfigs: installConfigsOf,
    itemTrust,
    registryEntry: (server, _, { catalogue }) => registryEntryOf(server, catalogue),
    __resolveReference: ({ id }, { catalogue }) => {
      const row = rowIdIn(id, 'MCP_SERVER')
      return row === null ? null : catalogue.byId('MCP_SERVER', row)
    },
    observedRepository: observedRepositoryOf,
    publishedPackages: publishedPackagesOf,
    toolNames: ({ toolNames }) => [...(toolNames ?? [])],
    features: featuresOfServer,
    title: ({ name }) => name,
    stars: ({ popularity }) => popularity,
  },
  McpServerFacets: {
    categories: ({ count }) => count(categoriesOf),
    transports: ({ count }) => count(transportsOf),
    official: ({ count }) => count(officialOf),
    tags: ({ count }) => count(tagsOf, MAX_FACET_TAGS),
  },
} satisfies Resolvers
