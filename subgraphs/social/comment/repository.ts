import { type Kysely, sql } from 'kysely'
import { retryAfterDeadlock } from '../../../platform/database/transaction-retry.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import { costOf } from '../quota/quota.ts'
import type { QuotaRepository } from '../quota/repository.ts'
import type { Tables } from '../tables.ts'
import type { Comment } from './comment.ts'

const COLUMNS = ['id', 'post_id as postId', 'author_id as authorId', 'content', 'created_at as createdAt'] as const

/** The same columns of a row `found`. */
const FOUND = sql`found.id, found.post_id AS "postId", found.author_id AS "authorId", found.content, found.created_at AS "createdAt"`

/** Comments in the database. */
export const commentRepository = (database: Kysely<Tables>, quota: QuotaRepository) => ({
  /** In any order, without those that do not exist. */
  findByIds: (ids: readonly string[]): Promise<Comment[]> =>
    database.selectFrom('comment').select(COLUMNS).where('id', 'in', ids).execute(),

  /** The newest comments of several posts, at most `limit` of each, oldest of them first. */
  async newest(postIds: readonly string[], limit: number): Promise<Comment[]> {
    const { rows } = await sql<Comment>`
      SELECT ${FOUND}
      FROM unnest(${postIds}::bigint[]) AS requested (id)
      CROSS JOIN LATERAL (SELECT * FROM comment WHERE post_id = requested.id ORDER BY id DESC LIMIT ${limit}) AS found
      ORDER BY found.post_id, found.id`.execute(database)
    return rows
  },

  /** Comments of several posts, oldest first, of each post one more than requested. */
  async ofPosts(postIds: readonly string[], { size, after }: KeysetRange): Promise<Comment[]> {
    const behind = after ? sql`AND id > ${after[0]}::bigint` : sql``
    const { rows } = await sql<Comment>`
      SELECT ${FOUND}
      FROM unnest(${postIds}::bigint[]) AS requested (id)
      CROSS JOIN LATERAL (SELECT * FROM comment WHERE post_id = requested.id ${behind} ORDER BY id LIMIT ${size + 1}) AS found
      ORDER BY found.post_id, found.id`.execute(database)
    return rows
  },

  countOfPosts: (postIds: readonly string[]): Promise<{ readonly postId: string; readonly count: string }[]> =>
    database
      .selectFrom('comment')
      .select(({ fn }) => ['post_id as postId', fn.countAll<string>().as('count')])
      .where('post_id', 'in', postIds)
      .groupBy('post_id')
      .execute(),

  /**
   * Writes a comment; undefined when its post is gone, null when that is beyond the quota of its
   * author.
   */
  async create(comment: Pick<Comment, 'postId' | 'authorId' | 'content'>): Promise<Comment | undefined | null> {
    const { postId, authorId, content } = comment
    // A trigger counts the comment at its post: locked first, so that two comments do not deadlock.
    const written = sql<Comment & { readonly isThere: true }>`
      WITH about AS (SELECT id FROM post WHERE id = ${postId} FOR NO KEY UPDATE),
      taken AS (${quota.taking(authorId, costOf(content), sql`about`)}),
      written AS (
        INSERT INTO comment AS found (post_id, author_id, content)
        SELECT id, ${authorId}::bigint, ${content} FROM about, taken
        RETURNING ${FOUND}
      )
      SELECT written.*, true AS "isThere" FROM about LEFT JOIN written ON true`
    // Its author, or that of the post, may be about to be deleted.
    const { rows } = await retryAfterDeadlock(() => written.execute(database))
    const [row] = rows
    return row === undefined ? undefined : row.id === null ? null : row
  },

  /** False when it is gone already. */
  delete: (id: string): Promise<boolean> =>
    // Its post, which counts it, may be about to be deleted.
    retryAfterDeadlock(() => database.deleteFrom('comment').where('id', '=', id).executeTakeFirst()).then(
      ({ numDeletedRows }) => numDeletedRows > 0n,
    ),
})

export type CommentRepository = ReturnType<typeof commentRepository>
