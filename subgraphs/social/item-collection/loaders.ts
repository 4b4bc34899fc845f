import type { KeysetRange } from '../../toolkit/keyset.ts'
import { loaderByKey, loaderOfLists, loaderPerArguments } from '../../toolkit/loader.ts'
import type { ItemCollectionRepository } from './repository.ts'

/** Collections for one operation. */
export const itemCollectionLoaders = (collections: ItemCollectionRepository) => ({
  collectionById: loaderByKey(collections.findByIds, ({ id }) => id),
  /** Per number of entries: the first ones in the order of the author, by the id of the collection. */
  entriesOfCollection: loaderPerArguments(({ first }: { readonly first: number }) =>
    loaderOfLists(
      (collectionIds) => collections.entriesOf(collectionIds, first),
      ({ collectionId }) => collectionId,
    ),
  ),
  entryCountOfCollection: loaderByKey(collections.countEntries, ({ collectionId }) => collectionId),
  /** Per reader: collections of an author, by the author's id. */
  collectionsOfAuthor: loaderPerArguments((which: { readonly reader: string | null }) =>
    loaderOfLists(
      (authorIds) => collections.ofAuthors(authorIds, which.reader),
      ({ authorId }) => authorId,
    ),
  ),
  /** Per range: public collections with an item, by its id. */
  collectionsWithItem: loaderPerArguments((range: KeysetRange) =>
    loaderOfLists(
      (itemIds) => collections.withItems(itemIds, range),
      ({ itemId }) => itemId,
    ),
  ),
  collectionCountWithItem: loaderByKey(collections.countWithItems, ({ itemId }) => itemId),
})
