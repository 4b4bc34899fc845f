import { type Kysely, sql } from 'kysely'
import type { KeysetRange } from '../../runtime/keyset.ts'
import type { OneByOne } from '../../runtime/one-by-one.ts'
import { append } from '../../runtime/outbox.ts'
import { prepared } from '../../runtime/prepared.ts'
import { transaction } from '../../runtime/transaction.ts'
import { lockRoom } from '../room/repository.ts'
import type { Tables } from '../tables.ts'
import { type Message, topicOf } from './message.ts'

const COLUMNS = ['id', 'room_id as roomId', 'author_id as authorId', 'text', 'created_at as createdAt'] as const

/** Messages in the database. Who writes into a room waits for others `inRoom`. */
export const messageRepository = (database: Kysely<Tables>, inRoom: OneByOne) => ({
  /** In any order, without those that do not exist. */
  findByIds: (ids: readonly string[]): Promise<Message[]> => BY_IDS(database, ids),

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
    inRoom(roomId, () =>
      transaction(database, async (query) => {
        const [room, [message]] = await Promise.all([lockRoom(query, roomId), INSERT_AS_MEMBER(query, roomId, authorId, text)])
        if (!message) return room ? 'not a member' : 'no such room'
        await append(query, topicOf(roomId), { id: message.id })
        return message
      }),
    ),

  /** Those of these sessions that are alive and whose user is a member of the room; `isThere` says whether the message still is. */
  audience: (
    roomId: string,
    messageId: string,
    sessionIds: readonly string[],
    at: Date,
  ): Promise<{ readonly sessionId: string; readonly isThere: boolean }[]> =>
    AUDIENCE(database, roomId, messageId, sessionIds, at),
})

const BY_IDS = prepared((database: Kysely<Tables>, ids: readonly string[]) =>
  database.selectFrom('message').select(COLUMNS).where('id', '=', sql<string>`any(${ids}::bigint[])`).compile(),
)

/** Behind `lockRoom`, so that whoever left before that is no member any more. */
const INSERT_AS_MEMBER = prepared((database: Kysely<Tables>, roomId: string, authorId: string, text: string) =>
  database
    .insertInto('message')
    .columns(['room_id', 'author_id', 'text'])
    .expression(({ selectFrom }) =>
      selectFrom('room_member')
        .select(['room_id', 'user_id', sql<string>`${text}::text`.as('text')])
        .where('room_id', '=', roomId)
        .where('user_id', '=', authorId),
    )
    .returning(COLUMNS)
    .compile(),
)

const AUDIENCE = prepared(
  (database: Kysely<Tables>, roomId: string, messageId: string, sessionIds: readonly string[], at: Date) =>
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
      .where('session.id', '=', sql<string>`any(${sessionIds}::uuid[])`)
      .where('session.ended_at', 'is', null)
      .where('session.expires_at', '>', at)
      .compile(),
)

export type MessageRepository = ReturnType<typeof messageRepository>
