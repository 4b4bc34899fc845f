import { type Kysely, sql } from 'kysely'
import type { KeysetRange } from '../../runtime/keyset.ts'
import { append } from '../../runtime/outbox.ts'
import { lockRoom } from '../room/repository.ts'
import type { Tables } from '../tables.ts'
import { type Message, topicOf } from './message.ts'

const COLUMNS = ['id', 'room_id as roomId', 'author_id as authorId', 'text', 'created_at as createdAt'] as const

/** Messages in the database. */
export const messageRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (ids: readonly string[]): Promise<Message[]> =>
    database.selectFrom('message').select(COLUMNS).where('id', 'in', ids).execute(),

  /** Messages of several rooms, newest first, of each room one more than asked for. */
  async ofRooms(roomIds: readonly string[], { size, after }: KeysetRange): Promise<Message[]> {
    const behind = after ? sql`AND id < ${after[0]}::bigint` : sql``
    const { rows } = await sql<Message>`
      SELECT found.id, found.room_id AS "roomId", found.author_id AS "authorId", found.text, found.created_at AS "createdAt"
      FROM unnest(${roomIds}::bigint[]) AS asked (id)
      CROSS JOIN LATERAL (SELECT * FROM message WHERE room_id = asked.id ${behind} ORDER BY id DESC LIMIT ${size + 1}) AS found
      ORDER BY found.room_id, found.id DESC`.execute(database)
    return rows
  },

  countOfRooms: (roomIds: readonly string[]): Promise<{ readonly roomId: string; readonly count: string }[]> =>
    database
      .selectFrom('message')
      .select(({ fn }) => ['room_id as roomId', fn.countAll<string>().as('count')])
      .where('room_id', 'in', roomIds)
      .groupBy('room_id')
      .execute(),

  /** Writes a message as a member, and tells who listens. */
  send: (roomId: string, authorId: string, text: string): Promise<Message | 'no such room' | 'not a member'> =>
    database.transaction().execute(async (transaction) => {
      if (!(await lockRoom(transaction, roomId))) return 'no such room'
      const membership = await transaction
        .selectFrom('room_member')
        .select('user_id')
        .where('room_id', '=', roomId)
        .where('user_id', '=', authorId)
        .executeTakeFirst()
      if (!membership) return 'not a member'
      const message = await transaction
        .insertInto('message')
        .values({ room_id: roomId, author_id: authorId, text })
        .returning(COLUMNS)
        .executeTakeFirstOrThrow()
      await append(transaction, topicOf(roomId), { id: message.id })
      return message
    }),

  /** Those of these sessions that are alive and whose user is a member of the room; `isThere` says whether the message still is. */
  audience: (
    roomId: string,
    messageId: string,
    sessionIds: readonly string[],
    at: Date,
  ): Promise<{ readonly sessionId: string; readonly isThere: boolean }[]> =>
    database
      .selectFrom('session')
      .innerJoin('room_member', 'room_member.user_id', 'session.user_id')
      .select(({ exists, selectFrom }) => [
        'session.id as sessionId',
        exists(selectFrom('message').select('id').where('id', '=', messageId))
          .$castTo<boolean>()
          .as('isThere'),
      ])
      .where('room_id', '=', roomId)
      .where('session.id', 'in', sessionIds)
      .where('session.ended_at', 'is', null)
      .where('session.expires_at', '>', at)
      .execute(),
})

export type MessageRepository = ReturnType<typeof messageRepository>
