import type { Resolvers } from '#generated/directory/resolvers.ts'
import { installConfigsOf } from '../install-config/install-config.ts'
import { MAX_FACET_TAGS } from '../item/facets.ts'
import { rowIdIn } from '../item/id.ts'
import type { ItemOf } from '../item/item.ts'
import { licensesOf, licenseValue } from '../item/license.ts'
import { skillOrder } from '../item/order.ts'
import { ownersOf, ownerValue } from '../item/owner.ts'
import { itemFields } from '../item/resolvers.ts'
import { itemTrust } from '../item-trust/resolvers.ts'
import { listPage } from '../search/matching.ts'

// Facets of whole lists are counted once per reader.
const categoriesOf = ({ category }: ItemOf<'SKILL'>) => [category]
const sourcesOf = ({ source }: ItemOf<'SKILL'>) => [source]
const tagsOf = ({ tags }: ItemOf<'SKILL'>) => tags

export const skillResolvers = {
  Query: {
    skill: (_, { slug }, { catalogue }) => catalogue.byKey('SKILL', slug),
    skills: (_, { filter, sort, ...page }, { catalogue }) => {
      const { query, category, source, tag, owner, license } = filter ?? {}
      const conditions = [
        { valuesOf: categoriesOf, value: category },
        { valuesOf: sourcesOf, value: source },
        { valuesOf: tagsOf, value: tag },
        { valuesOf: ownersOf, value: ownerValue(owner) },
        { valuesOf: licensesOf, value: licenseValue(license) },
      ]
      return listPage(catalogue, 'SKILL', { order: skillOrder, query, sort, conditions, accepts: null }, page)
    },
  },
  Skill: {
    ...itemFields,
    installConfigs: installConfigsOf,
    itemTrust,
    __resolveReference: ({ id }, { catalogue }) => {
      const row = rowIdIn(id, 'SKILL')
      return row === null ? null : catalogue.byId('SKILL', row)
    },
  },
  SkillFacets: {
    categories: ({ count }) => count(categoriesOf),
    sources: ({ count }) => count(sourcesOf),
    tags: ({ count }) => count(tagsOf, MAX_FACET_TAGS),
  },
} satisfies Resolvers
