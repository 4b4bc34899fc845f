import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { Comment } from './comment.ts'

const COLUMNS = ['id', 'post_id as postId', 'author_id as authorId', 'content', 'created_at as createdAt'] as const

/** Comments in the database. */
export const commentRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (ids: readonly string[]): Promise<Comment[]> =>
    database.selectFrom('comment').select(COLUMNS).where('id', 'in', ids).execute(),
})

export type CommentRepository = ReturnType<typeof commentRepository>
