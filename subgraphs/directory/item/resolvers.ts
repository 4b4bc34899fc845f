import type { Resolvers } from '#generated/directory/resolvers.ts'
import { keysOf } from '../../../platform/collections/keys-of.ts'
import { badInput, notFound } from '../../../platform/graphql/errors.ts'
import { checkPageSize } from '../../toolkit/connection.ts'
import type { Context } from '../context.ts'
import type { Catalogue } from './catalogue.ts'
import { idOf, rowIdIn } from './id.ts'
import type { Item } from './item.ts'
import { licenseFamilyOf } from './license.ts'
import { relatedTo } from './related.ts'
import { urlOf } from './url.ts'

/** Most items that are said to be related, and most of the newest. */
const MAX_RELATED = 25
const MAX_NEWEST = 100
/** Most items by their ids at once: a page compares four. */
const MAX_ITEMS = 10

/** The fields that every kind of item answers in the same way. */
export const itemFields = {
  id: (item: Item) => idOf(item),
  provenance: async ({ id }: Item, _: unknown, { load }: Context) => [
    ...((await load.provenanceByItem.load(id))?.provenance ?? []),
  ],
  licenseFamily: ({ license }: Item) => licenseFamilyOf(license),
  url: (item: Item, _: unknown, { publicUrl }: Context) => urlOf(publicUrl, item),
  related: (item: Item, { first }: { readonly first?: number | null }, { catalogue }: Context) => [
    ...relatedTo(item, checkPageSize('first', first ?? 6, MAX_RELATED), catalogue),
  ],
}

const TYPES = { MCP_SERVER: 'McpServer', PLUGIN: 'Plugin', SKILL: 'Skill' } as const

const KINDS = keysOf(TYPES)

export const itemResolvers = {
  Query: {
    directoryItem: (_, { id }, { catalogue }) => itemWith(id, catalogue),
    directoryItems: (_, { ids }, { catalogue }) => itemsWith(ids, catalogue),
    newestItems: (_, { first }, { catalogue }) => catalogue.newest().slice(0, checkPageSize('first', first ?? 20, MAX_NEWEST)),
  },
  DirectoryItem: {
    __resolveType: ({ kind }) => TYPES[kind],
    // Others know an item by its id alone. Who asks is told of one that is not there any more: a
    // null alone would not fit the schema, and say nothing.
    __resolveReference: async ({ id }, { catalogue }) => itemWith(id, catalogue) ?? missing(id),
  },
} satisfies Resolvers

/** The item with this opaque id, of whichever kind; null when there is none. */
function itemWith(id: string, catalogue: Catalogue): Item | null {
  for (const kind of KINDS) {
    const row = rowIdIn(id, kind)
    if (row !== null) return catalogue.byId(kind, row)
  }
  return null
}

/** Items in the order of their ids, null for one that there is none of. Throws BAD_USER_INPUT. */
function itemsWith(ids: readonly string[], catalogue: Catalogue): (Item | null)[] {
  if (ids.length === 0 || ids.length > MAX_ITEMS) throw badInput('ids', `1 to ${MAX_ITEMS} ids`, `${ids.length} ids`)
  const twice = ids.find((id, at) => ids.indexOf(id) !== at)
  if (twice !== undefined) throw badInput('ids', 'different ids', twice)
  return ids.map((id) => itemWith(id, catalogue))
}

function missing(id: string): never {
  throw notFound('item of the directory', id)
}
