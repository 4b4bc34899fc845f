import { loaderByKey, loaderPerArguments } from '../../toolkit/loader.ts'
import type { PostLikeRepository } from './repository.ts'

export const postLikeLoaders = (postLikes: PostLikeRepository) => ({
  /** Per user: the like of a post, by its id; null when there is none. */
  postLike: loaderPerArguments((userId: string) =>
    loaderByKey(
      (postIds) => postLikes.likedBy(userId, postIds),
      ({ postId }) => postId,
    ),
  ),
})
