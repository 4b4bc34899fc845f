import type { Resolvers } from '#generated/directory/resolvers.ts'
import { installConfigsOf } from '../install-config/install-config.ts'
import { facet, MAX_FACET_TAGS } from '../item/facets.ts'
import { rowIdIn } from '../item/id.ts'
import type { ItemOf } from '../item/item.ts'
import { mcpServerOrder } from '../item/order.ts'
import { itemFields } from '../item/resolvers.ts'
import { itemTrust } from '../item-trust/resolvers.ts'
import { observedRepositoryOf } from '../observation/resolvers.ts'
import { registryEntryOf, serverNamed } from '../registry-entry/registry-entry.ts'
import { meets } from '../search/filter.ts'
import { hasConditions, listPage } from '../search/matching.ts'
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
      const { query, category, tag, updatedSince, ...conditions } = filter ?? {}
      const accepts = (server: ItemOf<'MCP_SERVER'>): boolean =>
        (category == null || server.category === category) &&
        (updatedSince == null || server.updatedAt >= updatedSince) &&
        (tag == null || server.tags.includes(tag)) &&
        meets(server, conditions)
      return listPage(
        catalogue,
        'MCP_SERVER',
        { order: mcpServerOrder, query, sort, accepts: hasConditions(filter) ? accepts : null },
        page,
      )
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
    toolNames: ({ toolNames }) => [...(toolNames ?? [])],
    features: featuresOfServer,
    title: ({ name }) => name,
    stars: ({ popularity }) => popularity,
  },
  McpServerFacets: {
    categories: ({ items }) => facet(items(), categoriesOf),
    transports: ({ items }) => facet(items(), transportsOf),
    official: ({ items }) => facet(items(), officialOf),
    tags: ({ items }) => facet(items(), tagsOf, MAX_FACET_TAGS),
  },
} satisfies Resolvers
