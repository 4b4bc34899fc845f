import type { KeysetRange } from '../../toolkit/keyset.ts'
import { loaderByKey, loaderOfLists, loaderPerArguments } from '../../toolkit/loader.ts'
import type { ItemCollectionRepository } from './repository.ts'

/** Collections for one operation. */
export const itemCollectionLoaders = (collections: ItemCollectionRepository) => ({
  collectionById: loaderByKey(collections.findByIds, ({ id }) => id),
  /** Per maximum: the first entries in the order of the author, by the id of the collection. */
  entriesOfCollection: loaderPerArguments(({ max }: { readonly max: number }) =>
    loaderOfLists(
      (collectionIds) => collections.entriesOf(collectionIds, max),
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
