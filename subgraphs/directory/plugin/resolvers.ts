import type { Resolvers } from '#generated/directory/resolvers.ts'
import { installConfigsOf } from '../install-config/install-config.ts'
import { MAX_FACET_TAGS } from '../item/facets.ts'
import { rowIdIn } from '../item/id.ts'
import type { ItemOf } from '../item/item.ts'
import { licensesOf, licenseValue } from '../item/license.ts'
import { pluginOrder } from '../item/order.ts'
import { ownersOf, ownerValue } from '../item/owner.ts'
import { itemFields } from '../item/resolvers.ts'
import { itemTrust } from '../item-trust/resolvers.ts'
import { listPage } from '../search/matching.ts'

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
      const { query, category, ecosystem, marketplaceSlug, tag, owner, license } = filter ?? {}
      const conditions = [
        { valuesOf: categoriesOf, value: category },
        { valuesOf: ecosystemsOf, value: ecosystem },
        { valuesOf: marketplacesOf, value: marketplaceSlug },
        { valuesOf: tagsOf, value: tag },
        { valuesOf: ownersOf, value: ownerValue(owner) },
        { valuesOf: licensesOf, value: licenseValue(license) },
      ]
      return listPage(catalogue, 'PLUGIN', { order: pluginOrder, query, sort, conditions, accepts: null }, page)
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
    categories: ({ count }) => count(categoriesOf),
    ecosystems: ({ count }) => count(ecosystemsOf),
    marketplaces: ({ count }) => count(marketplacesOf, MAX_MARKETPLACES),
    tags: ({ count }) => count(tagsOf, MAX_FACET_TAGS),
  },
} satisfies Resolvers
