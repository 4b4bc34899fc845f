import type { KeysetRange } from '../../toolkit/keyset.ts'
import { loaderByKey, loaderOfLists, loaderPerArguments } from '../../toolkit/loader.ts'
import type { CommentRepository } from './repository.ts'

/** Comments that `Post.comments` has at most. */
const MAX_COMMENTS = 100

export const commentLoaders = (comments: CommentRepository) => ({
  commentById: loaderByKey(comments.findByIds, ({ id }) => id),
  /** The newest comments of a post, by its id. */
  newestComments: loaderOfLists(
    (postIds) => comments.newest(postIds, MAX_COMMENTS),
    ({ postId }) => postId,
  ),
  /** Per range: comments of a post, by its id. */
  commentsOfPost: loaderPerArguments((range: KeysetRange) =>
    loaderOfLists(
      (postIds) => comments.ofPosts(postIds, range),
      ({ postId }) => postId,
    ),
  ),
  commentCount: loaderByKey(comments.countOfPosts, ({ postId }) => postId),
})
