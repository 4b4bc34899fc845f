import type { KeysetRange } from '../../toolkit/keyset.ts'
import { loaderByKey, loaderOfLists, loaderPerArguments } from '../../toolkit/loader.ts'
import type { PostRepository } from './repository.ts'

export const postLoaders = (posts: PostRepository) => ({
  postById: loaderByKey(posts.findByIds, ({ id }) => id),
  /** Per limit and reader: posts of an author, by the author's id. */
  postsOfAuthor: loaderPerArguments((which: { readonly limit: number; readonly reader: string | null }) =>
    loaderOfLists(
      (authorIds) => posts.ofAuthors(authorIds, which),
      ({ authorId }) => authorId,
    ),
  ),
  /** Per range: published posts about an item, by its id. */
  postsAbout: loaderPerArguments((range: KeysetRange) =>
    loaderOfLists(
      (itemIds) => posts.about(itemIds, range),
      ({ aboutId }) => aboutId ?? '',
    ),
  ),
  postCountAbout: loaderByKey(posts.countAbout, ({ itemId }) => itemId ?? ''),
})
