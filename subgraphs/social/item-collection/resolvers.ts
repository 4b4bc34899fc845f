import type { Resolvers } from '#generated/social/resolvers.ts'
import { forbidden } from '../../../platform/graphql/errors.ts'
import { checkPageSize } from '../../toolkit/connection.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import {
  isText,
  notFoundError,
  type Problem,
  problem,
  problemsIn,
  textProblem,
  validationError,
} from '../../toolkit/validation.ts'
import type { Context } from '../context.ts'
import { itemIdProblem } from '../directory-item/item-id.ts'
import { loadReferenced } from '../load-referenced.ts'
import { costOf } from '../quota/quota.ts'
import { type ItemCollection, isReadable, MAX_COLLECTIONS, MAX_ENTRIES } from './item-collection.ts'

const MAX_NAME_CHARACTERS = 100
const MAX_DESCRIPTION_CHARACTERS = 10_000
const MAX_NOTE_CHARACTERS = 1_000

const LISTED: KeysetList<ItemCollection> = {
  name: 'itemCollections',
  parts: ['time', 'text'],
  positionOf: ({ updatedAt, id }) => [updatedAt.toISOString(), id],
}
const WITH_ITEM: KeysetList<ItemCollection> = { ...LISTED, name: 'itemCollectionsWith' }

export const itemCollectionResolvers = {
  Query: {
    itemCollection: (_, { id }, context) => readableCollection(id, context),
    itemCollections: async (_, page, { itemCollections }) => {
      const range = keysetRange(LISTED, page)
      return keysetPage(LISTED, range, await itemCollections.listed(range), itemCollections.countListed)
    },
  },
  Mutation: {
    createItemCollection: async (_, { input }, { requireViewer, itemCollections, quota }) => {
      const { user } = await requireViewer()
      const { name, itemId = null } = input
      const [description, visibility] = [input.description ?? '', input.visibility ?? 'PRIVATE']
      const problems = problemsIn([nameProblem(name), descriptionProblem(description), itemIdProblem('itemId', itemId)])
      if (problems.length > 0) return validationError(problems)
      const written = { name: name.trim(), description, visibility, itemId }
      const collection = await itemCollections.create({ ...written, authorId: user.id })
      if (collection === 'quota') return quota.refusal(user.id, costOf(written.name, description))
      if (collection === 'limit') return limitReached(MAX_COLLECTIONS, 'collections')
      return { __typename: 'CreateItemCollectionSuccess', collection }
    },
    updateItemCollection: async (_, { id, input }, context) => {
      const own = await ownCollection(id, context)
      if (!own) return notFoundError('collection', id)
      const { name, description, visibility } = input
      const problems = problemsIn([
        name === undefined ? null : name === null ? problem('name', 'a name, or absent', name) : nameProblem(name),
        description === undefined
          ? null
          : description === null
            ? problem('description', 'text, or absent', description)
            : descriptionProblem(description),
        visibility === null ? problem('visibility', 'PUBLIC, UNLISTED or PRIVATE, or absent', visibility) : null,
      ])
      if (problems.length > 0) return validationError(problems)
      const collection = await context.itemCollections.update(own, {
        ...(name != null && { name: name.trim() }),
        ...(description != null && { description }),
        ...(visibility != null && { visibility }),
      })
      if (collection === 'quota') return context.quota.refusal(own.authorId, costOf(name?.trim(), description))
      return collection ? { __typename: 'UpdateItemCollectionSuccess', collection } : notFoundError('collection', id)
    },
    deleteItemCollection: async (_, { id }, context) => {
      const { user } = await context.requireViewer()
      const collection = await readableCollection(id, context)
      if (collection && collection.authorId !== user.id && user.role === 'USER')
        throw forbidden('Only its author, moderators and administrators may delete a collection.')
      if (!collection || !(await context.itemCollections.delete(collection.id))) return notFoundError('collection', id)
      return { __typename: 'DeleteItemCollectionSuccess', id }
    },
    addToItemCollection: async (_, { id, itemId, note = null }, context) => {
      const own = await ownCollection(id, context)
      if (!own) return notFoundError('collection', id)
      const problems = problemsIn([itemIdProblem('itemId', itemId), optionalTextProblem('note', note ?? '', MAX_NOTE_CHARACTERS)])
      if (problems.length > 0) return validationError(problems)
      const collection = await context.itemCollections.add(own, { itemId, note })
      if (collection === 'quota') return context.quota.refusal(own.authorId, costOf(note))
      if (collection === 'limit') return limitReached(MAX_ENTRIES, 'items')
      return collection ? { __typename: 'AddToItemCollectionSuccess', collection } : notFoundError('collection', id)
    },
    removeFromItemCollection: async (_, { id, itemId }, context) => {
      const own = await ownCollection(id, context)
      // What cannot be an id is in no collection, and PostgreSQL refuses texts with NUL.
      const isId = itemIdProblem('itemId', itemId) === null
      const collection = own && isId ? await context.itemCollections.remove(own.id, itemId) : own
      return collection ? { __typename: 'RemoveFromItemCollectionSuccess', collection } : notFoundError('collection', id)
    },
    moveInItemCollection: async (_, { id, itemId, position }, context) => {
      const own = await ownCollection(id, context)
      if (!own) return notFoundError('collection', id)
      if (position < 1) return validationError([problem('position', '1 or more', position)])
      const collection = await context.itemCollections.move(own, itemId, position)
      if (collection === 'quota') return context.quota.refusal(own.authorId, costOf())
      return collection
        ? { __typename: 'MoveInItemCollectionSuccess', collection }
        : notFoundError('item of this collection', itemId)
    },
  },
  ItemCollection: {
    author: ({ authorId }, _, { load }) => loadReferenced('User', authorId, load.userById),
    entries: ({ id }, { first }, { load }) =>
      load.entriesOfCollection({ max: checkPageSize('first', first ?? MAX_ENTRIES, MAX_ENTRIES) }).load(id),
    entryCount: async ({ id }, _, { load }) => Number((await load.entryCountOfCollection.load(id))?.count ?? 0),
  },
  ItemCollectionEntry: {
    item: ({ itemId }) => ({ __typename: 'DirectoryItem', id: itemId }),
  },
  ItemCollectionConnection: connectionFields,
  User: {
    itemCollections: async ({ id }, _, { viewer, load }) =>
      load.collectionsOfAuthor({ reader: (await viewer())?.user.id ?? null }).load(id),
  },
  DirectoryItem: {
    itemCollections: async ({ id }, page, { load }) => {
      const range = keysetRange(WITH_ITEM, page, { usual: 10 })
      const rows = await load.collectionsWithItem(range).load(id)
      return keysetPage(WITH_ITEM, range, rows, async () => Number((await load.collectionCountWithItem.load(id))?.count ?? 0))
    },
  },
} satisfies Resolvers

/** The collection with this opaque id, if the caller may read it; null otherwise. */
async function readableCollection(id: string, { load, viewer }: Context): Promise<ItemCollection | null> {
  const collection = IDS.test(id) ? await load.collectionById.load(id) : null
  return collection && isReadable(collection, (await viewer())?.user.id ?? null) ? collection : null
}

/** As PostgreSQL writes random ones (RFC 9562 §4). */
const IDS = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The collection with this opaque id, for its author; null when there is none. Throws FORBIDDEN for other readers. */
async function ownCollection(id: string, context: Context): Promise<ItemCollection | null> {
  const { user } = await context.requireViewer()
  const collection = await readableCollection(id, context)
  if (collection && collection.authorId !== user.id) throw forbidden('Only its author may change a collection.')
  return collection
}

const limitReached = (limit: number, what: string) => ({
  __typename: 'ItemCollectionLimitReached' as const,
  message: `Expected at most ${limit} ${what}: remove one first.`,
  limit,
})

const nameProblem = (name: string): Problem | null => textProblem('name', name, MAX_NAME_CHARACTERS)
const descriptionProblem = (description: string): Problem | null =>
  optionalTextProblem('description', description, MAX_DESCRIPTION_CHARACTERS)

/** The problem of a text that may be empty; null when it is valid. */
function optionalTextProblem(field: string, text: string, max: number): Problem | null {
  if (text.length > max) return problem(field, `at most ${max} characters`, text)
  return isText(text) ? null : problem(field, 'text without NUL characters and unpaired surrogates', text)
}
