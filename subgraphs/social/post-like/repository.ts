import { type Kysely, sql } from 'kysely'
import { retryAfterDeadlock } from '../../../platform/database/transaction-retry.ts'
import { costOf } from '../quota/quota.ts'
import type { QuotaRepository } from '../quota/repository.ts'
import type { Tables } from '../tables.ts'

/** Result of a like: `gone` without a published post, `quota` beyond the quota of the user. */
export type LikeResult = 'liked' | 'gone' | 'quota'

/** Likes of posts in the database. Triggers keep the counts of the posts. */
export const postLikeRepository = (database: Kysely<Tables>, quota: QuotaRepository) => ({
  /** Ids of those of these posts that the user likes, in any order. */
  likedBy: (userId: string, postIds: readonly string[]): Promise<{ readonly postId: string }[]> =>
    database
      .selectFrom('post_like')
      .select('post_id as postId')
      .where('author_id', '=', userId)
      .where('post_id', 'in', postIds)
      .execute(),

  /** Likes a post. A like that exists stays as it is and costs nothing. */
  async like(postId: string, userId: string): Promise<LikeResult> {
    // The post is locked before the quota, as by comments.
    const written = sql<{ readonly isNew: boolean; readonly isWritten: boolean }>`
      WITH about AS (SELECT id FROM post WHERE id = ${postId} AND published_at IS NOT NULL FOR NO KEY UPDATE),
      fresh AS (
        SELECT id FROM about WHERE NOT EXISTS (SELECT FROM post_like WHERE post_id = about.id AND author_id = ${userId}::bigint)
      ),
      taken AS (${quota.taking(userId, costOf(), sql`fresh`)}),
      written AS (
        INSERT INTO post_like (post_id, author_id) SELECT id, ${userId}::bigint FROM fresh, taken
        ON CONFLICT DO NOTHING RETURNING true
      )
      SELECT EXISTS (SELECT FROM fresh) AS "isNew", EXISTS (SELECT FROM taken) AS "isWritten" FROM about`
    const { rows } = await retryAfterDeadlock(() => written.execute(database))
    const [row] = rows
    if (row === undefined) return 'gone'
    return row.isNew && !row.isWritten ? 'quota' : 'liked'
  },

  /** Takes a like back, if there is one. */
  async unlike(postId: string, userId: string): Promise<void> {
    await retryAfterDeadlock(() =>
      database.deleteFrom('post_like').where('post_id', '=', postId).where('author_id', '=', userId).execute(),
    )
  },
})

export type PostLikeRepository = ReturnType<typeof postLikeRepository>
