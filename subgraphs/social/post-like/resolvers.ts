import type { Resolvers } from '#generated/social/resolvers.ts'
import { notFoundError } from '../../toolkit/validation.ts'
import type { Context } from '../context.ts'
import type { Post } from '../post/post.ts'
import { visiblePost } from '../post/resolvers.ts'
import { costOf } from '../quota/quota.ts'

export const postLikeResolvers = {
  Mutation: {
    likePost: async (_, { id }, context) => {
      const { user } = await context.requireViewer()
      const post = await publishedPost(id, context)
      const result = post ? await context.postLikes.like(post.id, user.id) : 'gone'
      if (result === 'quota') return context.quota.refusal(user.id, costOf())
      const liked = result === 'liked' ? await postAfterChange(post, context) : null
      return liked ? { __typename: 'LikePostSuccess', post: liked } : notFoundError('post', id)
    },
    unlikePost: async (_, { id }, context) => {
      const { user } = await context.requireViewer()
      const post = await publishedPost(id, context)
      if (post) await context.postLikes.unlike(post.id, user.id)
      const unliked = await postAfterChange(post, context)
      return unliked ? { __typename: 'UnlikePostSuccess', post: unliked } : notFoundError('post', id)
    },
  },
  Post: {
    viewerHasLiked: async ({ id }, _, { viewer, load }) => {
      const reader = await viewer()
      return reader !== null && (await load.postLike(reader.user.id).load(id)) !== null
    },
  },
} satisfies Resolvers

/** A draft has no likes, also for its author. */
async function publishedPost(id: string, context: Context): Promise<Post | null> {
  const post = await visiblePost(id, context)
  return post?.publishedAt ? post : null
}

/** The post with its new counts; null when it is gone. */
async function postAfterChange(post: Post | null, context: Context): Promise<Post | null> {
  if (post === null) return null
  const [changed] = await context.posts.findByIds([post.id])
  return changed ?? null
}
