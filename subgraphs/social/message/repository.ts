import { type Kysely, sql } from 'kysely'
import type { KeyedMutex } from '../../../platform/collections/keyed-mutex.ts'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import { transaction } from '../../../platform/database/transaction.ts'
import { retryAfterDeadlock } from '../../../platform/database/transaction-retry.ts'
import { append } from '../../../platform/events/outbox.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { QuotaRepository } from '../quota/repository.ts'
import { lockRoom } from '../room/repository.ts'
import { topicOf } from '../room/room.ts'
import type { Tables } from '../tables.ts'
import type { Message } from './message.ts'

const COLUMNS = ['id', 'room_id as roomId', 'author_id as authorId', 'text', 'created_at as createdAt'] as const

/** Messages in the database. Writers into one room take turns by `inRoom`. */
export const messageRepository = (database: Kysely<Tables>, inRoom: KeyedMutex, quota: QuotaRepository) => {
  const insertAsMember = insertingAsMember(quota)
  return {
    /** In any order, without those that do not exist. */
    findByIds: (ids: readonly string[]): Promise<Message[]> => SELECT_BY_IDS(database, ids),

    /** Messages of several rooms, newest first, of each room one more than requested. */
    async ofRooms(roomIds: readonly string[], { size, after }: KeysetRange): Promise<Message[]> {
      const behind = after ? sql`AND id < ${after[0]}::bigint` : sql``
      const { rows } = await sql<Message>`
      SELECT found.id, found.room_id AS "roomId", found.author_id AS "authorId", found.text, found.created_at AS "createdAt"
      FROM unnest(${roomIds}::bigint[]) AS requested (id)
      CROSS JOIN LATERAL (SELECT * FROM message WHERE room_id = requested.id ${behind} ORDER BY id DESC LIMIT ${size + 1}) AS found
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

    /**
     * Writes a message of a member, and notifies subscribers; null beyond the quota of its author.
     */
    send: (roomId: string, authorId: string, text: string): Promise<Message | 'no such room' | 'not a member' | null> =>
      inRoom(roomId, () =>
        retryAfterDeadlock(() =>
          transaction(database, async (query) => {
            const bytes = Buffer.byteLength(text)
            const [room, [written]] = await Promise.all([
              lockRoom(query, roomId),
              insertAsMember(query, roomId, authorId, text, bytes),
            ])
            if (!written) return room ? 'not a member' : 'no such room'
            const { isWritten, ...message } = written
            if (!isWritten) return null
            await append(query, topicOf(roomId), { id: message.id })
            return message
          }),
        ),
      ),

    /**
     * Those of these sessions that are alive and whose user is a member of the room; `isThere` is
     * whether the message exists.
     */
    recipients: (
      roomId: string,
      messageId: string,
      sessionIds: readonly string[],
      at: Date,
    ): Promise<{ readonly sessionId: string; readonly isThere: boolean }[]> =>
      SELECT_RECIPIENTS(database, roomId, messageId, sessionIds, at),
  }
}

const SELECT_BY_IDS = prepared((database: Kysely<Tables>, ids: readonly string[]) =>
  database.selectFrom('message').select(COLUMNS).where('id', '=', sql<string>`any(${ids}::bigint[])`).compile(),
)

/**
 * After `lockRoom`, so that users who left before are no members any more. No row: the author is no
 * member. A row without a message: the quota of the author is used up, or the author is being
 * deleted.
 */
const insertingAsMember = (quota: QuotaRepository) =>
  prepared((database: Kysely<Tables>, roomId: string, authorId: string, text: string, bytes: number) =>
    sql<Message & { readonly isWritten: boolean }>`
      WITH member AS (SELECT room_id, user_id FROM room_member WHERE room_id = ${roomId} AND user_id = ${authorId}),
      taken AS (${quota.taking(authorId, { writes: 1, bytes }, sql`member`)}),
      written AS (
        INSERT INTO message (room_id, author_id, text) SELECT room_id, user_id, ${text}::text FROM member, taken
        RETURNING id, room_id, author_id, text, created_at
      )
      SELECT written.id, written.room_id AS "roomId", written.author_id AS "authorId", written.text,
        written.created_at AS "createdAt", written.id IS NOT NULL AS "isWritten"
      FROM member LEFT JOIN written ON true`.compile(database),
  )

const SELECT_RECIPIENTS = prepared(
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
