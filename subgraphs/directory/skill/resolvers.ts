import type { Resolvers } from '#generated/directory/resolvers.ts'
import { installConfigsOf } from '../install-config/install-config.ts'
import { facet, MAX_FACET_TAGS } from '../item/facets.ts'
import { rowIdIn } from '../item/id.ts'
import type { ItemOf } from '../item/item.ts'
import { skillOrder } from '../item/order.ts'
import { itemFields } from '../item/resolvers.ts'
import { itemTrust } from '../item-trust/resolvers.ts'
import { hasConditions, listPage } from '../search/matching.ts'

// Facets of whole lists are counted once per reader.
const categoriesOf = ({ category }: ItemOf<'SKILL'>) => [category]
const sourcesOf = ({ source }: ItemOf<'SKILL'>) => [source]
const tagsOf = ({ tags }: ItemOf<'SKILL'>) => tags

export const skillResolvers = {
  Query: {
    skill: (_, { slug }, { catalogue }) => catalogue.byKey('SKILL', slug),
    skills: (_, { filter, sort, ...page }, { catalogue }) => {
      const { query, category, source, tag } = filter ?? {}
      const accepts = (skill: ItemOf<'SKILL'>): boolean =>
        (category == null || skill.category === category) &&
        (source == null || skill.source === source) &&
        (tag == null || skill.tags.includes(tag))
      return listPage(
        catalogue,
        'SKILL',
        { order: skillOrder, query, sort, accepts: hasConditions(filter) ? accepts : null },
        page,
      )
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
    categories: ({ items }) => facet(items(), categoriesOf),
    sources: ({ items }) => facet(items(), sourcesOf),
    tags: ({ items }) => facet(items(), tagsOf, MAX_FACET_TAGS),
  },
} satisfies Resolvers
