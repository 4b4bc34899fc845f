import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { Message } from './message.ts'

const COLUMNS = ['id', 'room_id as roomId', 'author_id as authorId', 'text', 'created_at as createdAt'] as const

/** Messages in the database. */
export const messageRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (ids: readonly string[]): Promise<Message[]> =>
    database.selectFrom('message').select(COLUMNS).where('id', 'in', ids).execute(),
})

export type MessageRepository = ReturnType<typeof messageRepository>
