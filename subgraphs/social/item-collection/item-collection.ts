import type { ItemCollectionVisibility } from '#generated/social/resolvers.ts'

/** List of directory items that a user makes and shares. */
export type ItemCollection = {
  readonly id: string
  readonly authorId: string
  readonly name: string
  /** Empty for none. */
  readonly description: string
  readonly visibility: ItemCollectionVisibility
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Item of a collection. */
export type ItemCollectionEntry = {
  readonly collectionId: string
  /** Id of a directory item, as the directory spells it. */
  readonly itemId: string
  /** Empty for none. */
  readonly note: string
  readonly addedAt: Date
}

/** Most collections of a user, and most items of a collection: more are no list that people read. */
export const MAX_COLLECTIONS = 100
export const MAX_ENTRIES = 100

/** Whether a user, null for an anonymous caller, can read the collection by its id. */
export const isReadable = ({ visibility, authorId }: ItemCollection, userId: string | null): boolean =>
  visibility !== 'PRIVATE' || authorId === userId

/** The ids in a new order: `id` at a place from 1, or last for a larger one. Null where it is not among them. */
export function movedTo(ids: readonly string[], id: string, place: number): readonly string[] | null {
  if (!ids.includes(id)) return null
  return ids.filter((other) => other !== id).toSpliced(place - 1, 0, id)
}
