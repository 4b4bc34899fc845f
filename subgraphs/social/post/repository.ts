import { type Kysely, sql } from 'kysely'
import { retryAfterDeadlock } from '../../../platform/database/transaction-retry.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import { costOf } from '../quota/quota.ts'
import type { QuotaRepository } from '../quota/repository.ts'
import type { Tables } from '../tables.ts'
import type { Post } from './post.ts'

const COLUMNS = [
  'id',
  'author_id as authorId',
  'title',
  'content',
  'about_id as aboutId',
  'published_at as publishedAt',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'like_count as likeCount',
  'comment_count as commentCount',
] as const

/** The same columns of a row `found`. */
const FOUND = sql`found.id, found.author_id AS "authorId", found.title, found.content, found.about_id AS "aboutId",
  found.published_at AS "publishedAt", found.created_at AS "createdAt", found.updated_at AS "updatedAt",
  found.like_count AS "likeCount", found.comment_count AS "commentCount"`

/** Columns that lists of posts start their order with; null: none, last published first. */
const ORDERED_COUNTS = { NEWEST: null, BY_LIKES: 'like_count', BY_COMMENTS: 'comment_count' } as const

/** Order of a list of posts, as in the schema. */
export type PostOrder = keyof typeof ORDERED_COUNTS

/** Fields to write of a post. */
export type NewPost = Pick<Post, 'authorId' | 'title' | 'content' | 'aboutId'> & { readonly isPublished: boolean }

/** Posts in the database. */
export const postRepository = (database: Kysely<Tables>, quota: QuotaRepository) => ({
  /** In any order, without those that do not exist. */
  findByIds: (ids: readonly string[]): Promise<Post[]> =>
    database.selectFrom('post').select(COLUMNS).where('id', 'in', ids).execute(),

  /** The newest posts of several authors, at most `limit` of each; drafts only of `reader`. */
  async ofAuthors(
    authorIds: readonly string[],
    { limit, reader }: { readonly limit: number; readonly reader: string | null },
  ): Promise<Post[]> {
    const { rows } = await sql<Post>`
      SELECT ${FOUND}
      FROM unnest(${authorIds}::bigint[]) AS requested (id)
      CROSS JOIN LATERAL (
        SELECT * FROM post WHERE author_id = requested.id AND (published_at IS NOT NULL OR author_id = ${reader}::bigint)
        ORDER BY ordered_at DESC, id DESC LIMIT ${limit}
      ) AS found
      ORDER BY found.author_id, found.ordered_at DESC, found.id DESC`.execute(database)
    return rows
  },

  /**
   * Published posts in this order, one more than requested; of one author, or of all for null.
   */
  feed(authorId: string | null, order: PostOrder, { size, after }: KeysetRange): Promise<Post[]> {
    const count = ORDERED_COUNTS[order]
    let query = database.selectFrom('post').select(COLUMNS).where('published_at', 'is not', null)
    if (authorId !== null) query = query.where('author_id', '=', authorId)
    if (after && count === null)
      query = query.where(sql<boolean>`(ordered_at, id) < (${after[0]}::timestamptz, ${after[1]}::bigint)`)
    if (after && count !== null)
      query = query.where(
        sql<boolean>`(${sql.ref(count)}, ordered_at, id) < (${after[0]}::integer, ${after[1]}::timestamptz, ${after[2]}::bigint)`,
      )
    if (count !== null) query = query.orderBy(count, 'desc')
    return query
      .orderBy('ordered_at', 'desc')
      .orderBy('id', 'desc')
      .limit(size + 1)
      .execute()
  },

  countFeed(authorId: string | null): Promise<number> {
    let query = database
      .selectFrom('post')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('published_at', 'is not', null)
    if (authorId !== null) query = query.where('author_id', '=', authorId)
    return query.executeTakeFirstOrThrow().then(({ count }) => Number(count))
  },

  /**
   * Published posts about several items, last published first, of each item one more than
   * requested.
   */
  async about(itemIds: readonly string[], { size, after }: KeysetRange): Promise<Post[]> {
    const behind = after ? sql`AND (ordered_at, id) < (${after[0]}::timestamptz, ${after[1]}::bigint)` : sql``
    const { rows } = await sql<Post>`
      SELECT ${FOUND}
      FROM unnest(${itemIds}::text[]) AS requested (id)
      CROSS JOIN LATERAL (
        SELECT * FROM post WHERE about_id = requested.id AND published_at IS NOT NULL ${behind}
        ORDER BY ordered_at DESC, id DESC LIMIT ${size + 1}
      ) AS found
      ORDER BY found.about_id, found.ordered_at DESC, found.id DESC`.execute(database)
    return rows
  },

  countAbout: (itemIds: readonly string[]): Promise<{ readonly itemId: string | null; readonly count: string }[]> =>
    database
      .selectFrom('post')
      .select(({ fn }) => ['about_id as itemId', fn.countAll<string>().as('count')])
      .where('about_id', 'in', itemIds)
      .where('published_at', 'is not', null)
      .groupBy('about_id')
      .execute(),

  /** Writes a post; null when that is beyond the quota of its author. */
  async create({ authorId, title, content, aboutId, isPublished }: NewPost): Promise<Post | null> {
    const { rows } = await sql<Post>`
      WITH taken AS (${quota.taking(authorId, costOf(title, content))})
      INSERT INTO post AS found (author_id, title, content, about_id, published_at)
      SELECT ${authorId}::bigint, ${title}, ${content}, ${aboutId}, ${isPublished ? sql`now()` : sql`NULL::timestamptz`} FROM taken
      RETURNING ${FOUND}`.execute(database)
    return rows[0] ?? null
  },

  /**
   * Changes the given fields; undefined when the post is gone, null beyond the quota of its author.
   */
  update: (
    { id, authorId }: Pick<Post, 'id' | 'authorId'>,
    { title, content, aboutId }: Partial<Pick<Post, 'title' | 'content' | 'aboutId'>>,
  ): Promise<Post | undefined | null> =>
    retryAfterDeadlock(() =>
      database.transaction().execute(async (transaction) => {
        if (!(await quota.take(transaction, authorId, costOf(title, content)))) return null
        return transaction
          .updateTable('post')
          .set({
            ...(title !== undefined && { title }),
            ...(content !== undefined && { content }),
            ...(aboutId !== undefined && { about_id: aboutId }),
            updated_at: sql`now()`,
          })
          .where('id', '=', id)
          .returning(COLUMNS)
          .executeTakeFirst()
      }),
    ),

  /** Publishes a draft, and leaves a published post as it is; undefined when it is gone. */
  publish: (id: string): Promise<Post | undefined> =>
    database
      .updateTable('post')
      .set({ published_at: sql`coalesce(published_at, now())` })
      .where('id', '=', id)
      .returning(COLUMNS)
      .executeTakeFirst(),

  /** Deletes a post with its comments; false when it is gone already. */
  delete: (id: string): Promise<boolean> =>
    retryAfterDeadlock(() => database.deleteFrom('post').where('id', '=', id).executeTakeFirst()).then(
      ({ numDeletedRows }) => numDeletedRows > 0n,
    ),
})

export type PostRepository = ReturnType<typeof postRepository>
