import type { Resolvers } from '#generated/social/resolvers.ts'
import { badInput, forbidden } from '../../../platform/graphql/errors.ts'
import { checkPageSize } from '../../toolkit/connection.ts'
import { decodeId, encodeId } from '../../toolkit/ids.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { notFoundError, type Problem, problem, problemsIn, textProblem, validationError } from '../../toolkit/validation.ts'
import type { Context } from '../context.ts'
import { itemIdProblem } from '../directory-item/item-id.ts'
import { loadReferenced } from '../load-referenced.ts'
import { costOf } from '../quota/quota.ts'
import { isVisible, orderedAt, type Post } from './post.ts'
import type { PostOrder } from './repository.ts'

const MAX_TITLE_CHARACTERS = 200
const MAX_CONTENT_CHARACTERS = 50_000

const FEED: KeysetList<Post> = {
  name: 'feed',
  parts: ['time', 'row'],
  positionOf: (post) => [orderedAt(post).toISOString(), post.id],
}
const BY_LIKES: KeysetList<Post> = {
  name: 'feed by likes',
  parts: ['number', 'time', 'row'],
  positionOf: (post) => [post.likeCount, ...FEED.positionOf(post)],
}
const BY_COMMENTS: KeysetList<Post> = {
  name: 'feed by comments',
  parts: ['number', 'time', 'row'],
  positionOf: (post) => [post.commentCount, ...FEED.positionOf(post)],
}
const FEEDS: Readonly<Record<PostOrder, KeysetList<Post>>> = { NEWEST: FEED, BY_LIKES, BY_COMMENTS }
const ABOUT: KeysetList<Post> = { ...FEED, name: 'about' }

const FOR_ITS_AUTHOR = 'Only its author may change or publish a post.'

export const postResolvers = {
  Query: {
    post: (_, { id }, context) => visiblePost(id, context),
    feed: async (_, { authorId, orderBy, ...page }, { posts }) => {
      const order = orderBy ?? 'NEWEST'
      const list = FEEDS[order]
      const range = keysetRange(list, page)
      const author = authorId == null ? null : decodeId(authorId, 'User')
      if (authorId != null && author === null) throw badInput('authorId', 'the id of a user', authorId)
      return keysetPage(list, range, await posts.feed(author, order, range), () => posts.countFeed(author))
    },
  },
  Mutation: {
    createPost: async (_, { input }, { requireViewer, posts, quota }) => {
      const { user } = await requireViewer()
      const { title, content, published, aboutId } = input
      const problems = problemsIn([titleProblem(title), contentProblem(content), itemIdProblem('aboutId', aboutId)])
      if (problems.length > 0) return validationError(problems)
      const written = { title: title.trim(), content, aboutId: aboutId ?? null, isPublished: published ?? false }
      const post = await posts.create({ ...written, authorId: user.id })
      return post ? { __typename: 'CreatePostSuccess', post } : quota.refusal(user.id, costOf(written.title, written.content))
    },
    updatePost: async (_, { id, input }, context) => {
      const own = await ownPost(id, context)
      if (!own) return notFoundError('post', id)
      const { title, content, aboutId } = input
      const problems = problemsIn([
        title === null ? problem('title', 'a title, or absent', title) : title === undefined ? null : titleProblem(title),
        content === null
          ? problem('content', 'text, or absent', content)
          : content === undefined
            ? null
            : contentProblem(content),
        itemIdProblem('aboutId', aboutId),
      ])
      if (problems.length > 0) return validationError(problems)
      const post = await context.posts.update(own, {
        ...(title != null && { title: title.trim() }),
        ...(content != null && { content }),
        ...(aboutId !== undefined && { aboutId }),
      })
      if (post === null) return context.quota.refusal(own.authorId, costOf(title?.trim(), content))
      return post ? { __typename: 'UpdatePostSuccess', post } : notFoundError('post', id)
    },
    publishPost: async (_, { id }, context) => {
      const own = await ownPost(id, context)
      const post = own && (await context.posts.publish(own.id))
      return post ? { __typename: 'PublishPostSuccess', post } : notFoundError('post', id)
    },
    deletePost: async (_, { id }, context) => {
      const { user } = await context.requireViewer()
      const post = await visiblePost(id, context)
      if (post && post.authorId !== user.id && user.role === 'USER') {
        throw forbidden('Only its author, moderators and administrators may delete a post.')
      }
      if (!post || !(await context.posts.delete(post.id))) return notFoundError('post', id)
      return { __typename: 'DeletePostSuccess', id }
    },
  },
  Post: {
    id: ({ id }) => encodeId('Post', id),
    author: ({ authorId }, _, { load }) => loadReferenced('User', authorId, load.userById),
    published: ({ publishedAt }) => publishedAt !== null,
    about: ({ aboutId }) => (aboutId === null ? null : { __typename: 'DirectoryItem', id: aboutId }),
  },
  PostConnection: connectionFields,
  User: {
    posts: async ({ id }, { limit }, { viewer, load }) => {
      const size = checkPageSize('limit', limit ?? 10, 100)
      return load.postsOfAuthor({ limit: size, reader: (await viewer())?.user.id ?? null }).load(id)
    },
  },
  DirectoryItem: {
    posts: async ({ id }, page, { load }) => {
      const range = keysetRange(ABOUT, page, { usual: 10 })
      const rows = await load.postsAbout(range).load(id)
      return keysetPage(ABOUT, range, rows, async () => Number((await load.postCountAbout.load(id))?.count ?? 0))
    },
  },
} satisfies Resolvers

/** The post with this opaque id, if the caller sees it; null otherwise. */
export async function visiblePost(id: string, { load, viewer }: Context): Promise<Post | null> {
  const row = decodeId(id, 'Post')
  const post = row === null ? null : await load.postById.load(row)
  return post && isVisible(post, (await viewer())?.user.id ?? null) ? post : null
}

/**
 * The post with this opaque id, for its author; null when there is none. Throws FORBIDDEN for other
 * readers.
 */
async function ownPost(id: string, context: Context): Promise<Post | null> {
  const { user } = await context.requireViewer()
  const post = await visiblePost(id, context)
  if (post && post.authorId !== user.id) throw forbidden(FOR_ITS_AUTHOR)
  return post
}

const titleProblem = (title: string): Problem | null => textProblem('title', title, MAX_TITLE_CHARACTERS)
const contentProblem = (content: string): Problem | null => textProblem('content', content, MAX_CONTENT_CHARACTERS)
