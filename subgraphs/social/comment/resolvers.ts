import type { Resolvers } from '#generated/social/resolvers.ts'
import { forbidden } from '../../../platform/graphql/errors.ts'
import { decodeId, encodeId } from '../../toolkit/ids.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { notFoundError, textProblem, validationError } from '../../toolkit/validation.ts'
import { loadReferenced } from '../load-referenced.ts'
import { isVisible } from '../post/post.ts'
import { visiblePost } from '../post/resolvers.ts'
import { costOf } from '../quota/quota.ts'
import type { Comment } from './comment.ts'

const COMMENTS: KeysetList<Comment> = { name: 'comments', parts: ['row'], positionOf: ({ id }) => [id] }

export const commentResolvers = {
  Mutation: {
    addComment: async (_, { postId, content }, context) => {
      const { user } = await context.requireViewer()
      const wrong = textProblem('content', content, 10_000)
      if (wrong) return validationError([wrong])
      const post = await visiblePost(postId, context)
      const comment = post && (await context.comments.create({ postId: post.id, authorId: user.id, content }))
      if (post && comment === null) return context.quota.refusal(user.id, costOf(content))
      return comment ? { __typename: 'AddCommentSuccess', comment } : notFoundError('post', postId)
    },
    deleteComment: async (_, { id }, { requireViewer, load, comments }) => {
      const { user } = await requireViewer()
      const row = decodeId(id, 'Comment')
      const comment = row === null ? null : await load.commentById.load(row)
      const post = comment && (await load.postById.load(comment.postId))
      if (!comment || !post || !isVisible(post, user.id)) return notFoundError('comment', id)
      if (comment.authorId !== user.id && post.authorId !== user.id && user.role === 'USER') {
        throw forbidden('Only its author, the author of the post, moderators and administrators may delete a comment.')
      }
      return (await comments.delete(comment.id)) ? { __typename: 'DeleteCommentSuccess', id } : notFoundError('comment', id)
    },
  },
  Comment: {
    id: ({ id }) => encodeId('Comment', id),
    author: ({ authorId }, _, { load }) => loadReferenced('User', authorId, load.userById),
    post: ({ postId }, _, { load }) => loadReferenced('Post', postId, load.postById),
  },
  CommentConnection: connectionFields,
  Post: {
    comments: ({ id }, _, { load }) => load.newestComments.load(id),
    commentPage: async ({ id }, page, { load }) => {
      const range = keysetRange(COMMENTS, page)
      const rows = await load.commentsOfPost(range).load(id)
      return keysetPage(COMMENTS, range, rows, async () => Number((await load.commentCount.load(id))?.count ?? 0))
    },
  },
} satisfies Resolvers
