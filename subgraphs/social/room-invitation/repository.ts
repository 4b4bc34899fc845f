import { type Kysely, sql, type Transaction } from 'kysely'
import type { KeyedMutex } from '../../../platform/collections/keyed-mutex.ts'
import { append } from '../../../platform/events/outbox.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { Room } from '../room/room.ts'
import type { Tables } from '../tables.ts'
import { INVITATION_DAYS, invitationTopic, MAX_PENDING_INVITATIONS, type RoomInvitation } from './room-invitation.ts'

const COLUMNS = ['room_id as roomId', 'user_id as userId', 'inviter_id as inviterId', 'invited_at as invitedAt'] as const

const SINCE = sql<Date>`now() - ${sql.lit(INVITATION_DAYS)} * interval '1 day'`

/** Invitations in the database. Every change of members locks the room first. */
export const roomInvitationRepository = (
  database: Kysely<Tables>,
  inRoom: KeyedMutex,
  lockRoom: (transaction: Transaction<Tables>, roomId: string) => Promise<Room | undefined>,
) => {
  const pending = () => database.selectFrom('room_invitation').where('declined_at', 'is', null).where('invited_at', '>', SINCE)
  const count = (column: 'user_id' | 'room_id', id: string): Promise<number> =>
    pending()
      .where(column, '=', id)
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow()
      .then((found) => Number(found.count))

  return {
    /** Pending ones of a user, newest first, one more than the page. */
    ofUser(userId: string, { size, after }: KeysetRange): Promise<RoomInvitation[]> {
      let query = pending().where('user_id', '=', userId).select(COLUMNS)
      if (after) query = query.where(sql<boolean>`(invited_at, room_id) < (${after[0]}::timestamptz, ${after[1]}::bigint)`)
      return query
        .orderBy('invited_at', 'desc')
        .orderBy('room_id', 'desc')
        .limit(size + 1)
        .execute()
    },

    countOfUser: (userId: string) => count('user_id', userId),

    /** Pending ones into a room, newest first, one more than the page. */
    ofRoom(roomId: string, { size, after }: KeysetRange): Promise<RoomInvitation[]> {
      let query = pending().where('room_id', '=', roomId).select(COLUMNS)
      if (after) query = query.where(sql<boolean>`(invited_at, user_id) < (${after[0]}::timestamptz, ${after[1]}::bigint)`)
      return query
        .orderBy('invited_at', 'desc')
        .orderBy('user_id', 'desc')
        .limit(size + 1)
        .execute()
    },

    countOfRoom: (roomId: string) => count('room_id', roomId),

    /** The pending invitation of a user into a room; undefined when there is none. */
    find: (roomId: string, userId: string): Promise<RoomInvitation | undefined> =>
      pending().where('room_id', '=', roomId).where('user_id', '=', userId).select(COLUMNS).executeTakeFirst(),

    /** Makes the invited user a member; null without an invitation. */
    accept: (roomId: string, userId: string): Promise<Room | null> =>
      inRoom(roomId, () =>
        database.transaction().execute(async (transaction) => {
          const room = await lockRoom(transaction, roomId)
          if (!room || !(await end(transaction, roomId, userId))) return null
          await transaction
            .insertInto('room_member')
            .values({ room_id: roomId, user_id: userId })
            .onConflict((conflict) => conflict.doNothing())
            .execute()
          return room
        }),
      ),

    /** Declines an invitation, which keeps the room from inviting again; false without one. */
    decline: async (roomId: string, userId: string): Promise<boolean> => {
      const { numUpdatedRows } = await database
        .updateTable('room_invitation')
        .set({ declined_at: sql`now()` })
        .where('room_id', '=', roomId)
        .where('user_id', '=', userId)
        .where('declined_at', 'is', null)
        .where('invited_at', '>', SINCE)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
  }
}

export type RoomInvitationRepository = ReturnType<typeof roomInvitationRepository>

/** Deletes the pending invitation of a user into a room; false when there was none. */
async function end(transaction: Transaction<Tables>, roomId: string, userId: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('room_invitation')
    .where('room_id', '=', roomId)
    .where('user_id', '=', userId)
    .where('declined_at', 'is', null)
    .where('invited_at', '>', SINCE)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Withdraws pending invitations; a decline stays. */
export const withdraw = async (transaction: Transaction<Tables>, roomId: string, userId: string): Promise<void> => {
  await end(transaction, roomId, userId)
}

/**
 * Invites users, and notifies them; they exist, are no members and are locked. Users with an
 * invitation, or who declined one, are skipped. Deletes expired invitations.
 */
export async function invite(
  transaction: Transaction<Tables>,
  roomId: string,
  inviterId: string,
  userIds: readonly string[],
): Promise<void> {
  await transaction.deleteFrom('room_invitation').where('invited_at', '<=', SINCE).execute()
  if (userIds.length === 0) return
  const invited = await transaction
    .insertInto('room_invitation')
    .values(userIds.map((id) => ({ room_id: roomId, user_id: id, inviter_id: inviterId, declined_at: null })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id as id')
    .execute()
  // Topics stay locked until the commit: in one order, to avoid deadlocks.
  const ids = invited.map(({ id }) => id).sort((one, other) => Number(BigInt(one) - BigInt(other)))
  for (const id of ids) await append(transaction, invitationTopic(id), { roomId })
}

/**
 * Those of these users whose number of pending invitations is at the limit. Concurrent invitations
 * may exceed it by one.
 */
export async function withFullInbox(transaction: Transaction<Tables>, userIds: readonly string[]): Promise<readonly string[]> {
  if (userIds.length === 0) return []
  const { rows } = await sql<{ readonly id: string }>`
    SELECT user_id AS id FROM room_invitation
    WHERE user_id = ANY (${userIds}::bigint[]) AND declined_at IS NULL AND invited_at > ${SINCE}
    GROUP BY user_id HAVING count(*) >= ${MAX_PENDING_INVITATIONS}`.execute(transaction)
  return rows.map(({ id }) => id)
}

/** Whether a user has an invitation into a room, pending or declined. */
export async function isInvited(transaction: Transaction<Tables>, roomId: string, userId: string): Promise<boolean> {
  const found = transaction.selectFrom('room_invitation').select('user_id').where('room_id', '=', roomId)
  return (await found.where('user_id', '=', userId).where('invited_at', '>', SINCE).executeTakeFirst()) !== undefined
}
