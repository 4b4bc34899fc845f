import type { Kysely } from 'kysely'
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
] as const

/** Posts in the database. */
export const postRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (ids: readonly string[]): Promise<Post[]> =>
    database.selectFrom('post').select(COLUMNS).where('id', 'in', ids).execute(),
})

export type PostRepository = ReturnType<typeof postRepository>
