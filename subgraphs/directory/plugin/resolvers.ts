import type { Resolvers } from '#generated/directory/resolvers.ts'
import { installConfigsOf } from '../install-config/install-config.ts'
import { facet, MAX_FACET_TAGS } from '../item/facets.ts'
import { rowIdIn } from '../item/id.ts'
import type { ItemOf } from '../item/item.ts'
import { pluginOrder } from '../item/order.ts'
import { itemFields } from '../item/resolvers.ts'
import { itemTrust } from '../item-trust/resolvers.ts'
import { hasConditions, listPage } from '../search/matching.ts'

/** Marketplaces that a facet lists. */
const MAX_MARKETPLACES = 20

// Facets of whole lists are counted once per reader.
const categoriesOf = ({ category }: ItemOf<'PLUGIN'>) => [category]
const ecosystemsOf = ({ ecosystems }: ItemOf<'PLUGIN'>) => ecosystems
const marketplacesOf = ({ marketplaceSlug }: ItemOf<'PLUGIN'>) => [marketplaceSlug]
const tagsOf = ({ tags }: ItemOf<'PLUGIN'>) => tags

export const pluginResolvers = {
  Query: {
    plugin: (_, { marketplaceSlug, slug }, { catalogue }) => catalogue.byKey('PLUGIN', `${marketplaceSlug}/${slug}`),
    plugins: (_, { filter, sort, ...page }, { catalogue }) => {
      const { query, category, ecosystem, marketplaceSlug, tag } = filter ?? {}
      const accepts = (plugin: ItemOf<'PLUGIN'>): boolean =>
        (category == null || plugin.category === category) &&
        (ecosystem == null || plugin.ecosystems.some((listed) => listed === ecosystem)) &&
        (marketplaceSlug == null || plugin.marketplaceSlug === marketplaceSlug) &&
        (tag == null || plugin.tags.includes(tag))
      return listPage(
        catalogue,
        'PLUGIN',
        { order: pluginOrder, query, sort, accepts: hasConditions(filter) ? accepts : null },
        page,
      )
    },
  },
  Plugin: {
    ...itemFields,
    installConfigs: installConfigsOf,
    itemTrust,
    __resolveReference: ({ id }, { catalogue }) => {
      const row = rowIdIn(id, 'PLUGIN')
      return row === null ? null : catalogue.byId('PLUGIN', row)
    },
    stars: ({ popularity }) => popularity,
  },
  PluginFacets: {
    categories: ({ items }) => facet(items(), categoriesOf),
    ecosystems: ({ items }) => facet(items(), ecosystemsOf),
    marketplaces: ({ items }) => facet(items(), marketplacesOf, MAX_MARKETPLACES),
    tags: ({ items }) => facet(items(), tagsOf, MAX_FACET_TAGS),
  },
} satisfies Resolvers
