import { type Kysely, sql, type Transaction } from 'kysely'
import type { KeyedMutex } from '../../../platform/collections/keyed-mutex.ts'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import { retryAfterDeadlock } from '../../../platform/database/transaction-retry.ts'
import { append } from '../../../platform/events/outbox.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { QuotaRepository } from '../quota/repository.ts'
import { invite, isInvited, withdraw, withFullInbox } from '../room-invitation/repository.ts'
import type { Tables } from '../tables.ts'
import { creationCost, INVITATION_COST, NO_MESSAGE, type Room, type RoomMember, topicOf } from './room.ts'

const COLUMNS = ['room.id', 'room.name', 'room.owner_id as ownerId', 'room.created_at as createdAt'] as const
const MEMBER_COLUMNS = ['room_id as roomId', 'user_id as userId', 'joined_at as joinedAt'] as const

/** Result of a change of the members of a room. */
export type MembershipChange = Room | 'no such room' | 'no such user' | 'not the owner'

/**
 * Rooms and their members in the database. Changes of members, and new messages, lock the row of
 * the room, and take turns in this process before that: writers that wait for one room must not
 * hold all connections.
 */
export const roomRepository = (database: Kysely<Tables>, inRoom: KeyedMutex, quota: QuotaRepository) => ({
  /** In any order, without those that do not exist. */
  findByIds: (ids: readonly string[]): Promise<Room[]> => SELECT_BY_IDS(database, ids),

  /** Memberships of one user in some rooms. */
  membershipsIn: (roomIds: readonly string[], userId: string): Promise<RoomMember[]> =>
    database
      .selectFrom('room_member')
      .select(MEMBER_COLUMNS)
      .where('room_id', 'in', roomIds)
      .where('user_id', '=', userId)
      .execute(),

  /** Rooms of a user, last joined first, one more than requested. */
  async ofUser(userId: string, { size, after }: KeysetRange): Promise<(Room & { readonly joinedAt: Date })[]> {
    let query = database
      .selectFrom('room_member')
      .innerJoin('room', 'room.id', 'room_member.room_id')
      .select([...COLUMNS, 'room_member.joined_at as joinedAt'])
      .where('user_id', '=', userId)
    if (after) query = query.where(sql<boolean>`(joined_at, room_id) < (${after[0]}::timestamptz, ${after[1]}::bigint)`)
    return query
      .orderBy('joined_at', 'desc')
      .orderBy('room_id', 'desc')
      .limit(size + 1)
      .execute()
  },

  countOfUser: (userId: string): Promise<number> =>
    database
      .selectFrom('room_member')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow()
      .then(({ count }) => Number(count)),

  /** Members of several rooms, longest first, of each room one more than requested. */
  async members(roomIds: readonly string[], { size, after }: KeysetRange): Promise<RoomMember[]> {
    const behind = after ? sql`AND (joined_at, user_id) > (${after[0]}::timestamptz, ${after[1]}::bigint)` : sql``
    const { rows } = await sql<RoomMember>`
      SELECT found.room_id AS "roomId", found.user_id AS "userId", found.joined_at AS "joinedAt"
      FROM unnest(${roomIds}::bigint[]) AS requested (id)
      CROSS JOIN LATERAL (
        SELECT * FROM room_member WHERE room_id = requested.id ${behind} ORDER BY joined_at, user_id LIMIT ${size + 1}
      ) AS found
      ORDER BY found.room_id, found.joined_at, found.user_id`.execute(database)
    return rows
  },

  countMembers: (roomIds: readonly string[]): Promise<{ readonly roomId: string; readonly count: string }[]> =>
    database
      .selectFrom('room_member')
      .select(({ fn }) => ['room_id as roomId', fn.countAll<string>().as('count')])
      .where('room_id', 'in', roomIds)
      .groupBy('room_id')
      .execute(),

  /**
   * Creates a room with its owner and invites others; nothing is created when one of them cannot be
   * invited, or for null, beyond the quota of the owner.
   */
  create: (name: string, ownerId: string, inviteeIds: readonly string[]): Promise<RoomCreation | null> =>
    unlessRefused(() =>
      retryAfterDeadlock(() =>
        database.transaction().execute(async (transaction) => {
          const invitees = [...new Set(inviteeIds)].filter((id) => id !== ownerId)
          if (!(await quota.take(transaction, ownerId, creationCost(name, invitees.length)))) return null
          const wanted = [ownerId, ...invitees]
          const found = await transaction.selectFrom('user').select('id').where('id', 'in', wanted).forKeyShare().execute()
          const foundIds = new Set(found.map(({ id }) => id))
          const unknown = wanted.filter((id) => !foundIds.has(id))
          const full = unknown.length > 0 ? [] : await withFullInbox(transaction, invitees)
          if (unknown.length > 0 || full.length > 0) throw new RollbackSignal({ unknown, crowded: full })
          const room = await transaction
            .insertInto('room')
            .values({ name, owner_id: ownerId })
            .returning(['id', 'name', 'owner_id as ownerId', 'created_at as createdAt'])
            .executeTakeFirstOrThrow()
          await transaction
            .insertInto('room_member')
            .values({ room_id: room.id, user_id: ownerId, joined_at: room.createdAt })
            .execute()
          await invite(transaction, room.id, ownerId, invitees)
          return { room }
        }),
      ),
    ),

  /** Lets the owner invite a user; a member or invited user stays unchanged, and costs nothing. */
  invite: (roomId: string, actorId: string, userId: string): Promise<MembershipChange | 'too many invitations' | 'over quota'> =>
    inRoom(roomId, () =>
      retryAfterDeadlock(() =>
        database.transaction().execute(async (transaction) => {
          const room = await lockRoom(transaction, roomId)
          if (!room) return 'no such room'
          if (room.ownerId !== actorId) return 'not the owner'
          const user = await transaction.selectFrom('user').select('id').where('id', '=', userId).forKeyShare().executeTakeFirst()
          if (!user) return 'no such user'
          const members = transaction.selectFrom('room_member').select('user_id').where('room_id', '=', roomId)
          const isMember = (await members.where('user_id', '=', userId).executeTakeFirst()) !== undefined
          if (isMember || (await isInvited(transaction, roomId, userId))) return room
          if ((await withFullInbox(transaction, [userId])).length > 0) return 'too many invitations'
          if (!(await quota.take(transaction, actorId, INVITATION_COST))) return 'over quota'
          await invite(transaction, roomId, actorId, [userId])
          return room
        }),
      ),
    ),

  /**
   * Lets the owner remove another member, or withdraw an invitation; other users stay unchanged.
   */
  removeMember: (roomId: string, actorId: string, userId: string): Promise<MembershipChange> =>
    inRoom(roomId, () =>
      database.transaction().execute(async (transaction) => {
        const room = await lockRoom(transaction, roomId)
        if (!room) return 'no such room'
        if (room.ownerId !== actorId) return 'not the owner'
        await transaction.deleteFrom('room_member').where('room_id', '=', roomId).where('user_id', '=', userId).execute()
        await withdraw(transaction, roomId, userId)
        return room
      }),
    ),

  /** Ends a membership; false when there was none. */
  leave: (roomId: string, userId: string): Promise<boolean> =>
    inRoom(roomId, () =>
      database.transaction().execute((transaction) => leaveRooms(transaction, userId, roomId).then((count) => count > 0)),
    ),
})

/** A created room, or the users who do not exist or have too many pending invitations. */
export type RoomCreation = { readonly room: Room } | Uninvitable
type Uninvitable = { readonly unknown: readonly string[]; readonly crowded: readonly string[] }

/** Rolls the transaction back, with its use of a quota. */
class RollbackSignal {
  readonly why: Uninvitable
  constructor(why: Uninvitable) {
    this.why = why
  }
}

async function unlessRefused<Result>(write: () => Promise<Result>): Promise<Result | Uninvitable> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof RollbackSignal) return error.why
    throw error
  }
}

export type RoomRepository = ReturnType<typeof roomRepository>

/** Locks the room until the transaction ends; undefined when there is none. */
export const lockRoom = async (transaction: Transaction<Tables>, roomId: string): Promise<Room | undefined> =>
  (await SELECT_FOR_UPDATE(transaction, roomId))[0]

const SELECT_BY_IDS = prepared((database: Kysely<Tables>, ids: readonly string[]) =>
  database.selectFrom('room').select(COLUMNS).where('id', '=', sql<string>`any(${ids}::bigint[])`).compile(),
)

const SELECT_FOR_UPDATE = prepared((database: Kysely<Tables>, roomId: string) =>
  database.selectFrom('room').select(COLUMNS).where('id', '=', roomId).forNoKeyUpdate().compile(),
)

/**
 * Ends every membership of a user before the deletion: the longest member becomes the owner, and a
 * room without members ends.
 */
export const leaveEveryRoom = async (transaction: Transaction<Tables>, userId: string): Promise<void> => {
  await leaveRooms(transaction, userId, null)
}

/** Ends memberships of a user in one room, or in all; how many there were. */
async function leaveRooms(transaction: Transaction<Tables>, userId: string, roomId: string | null): Promise<number> {
  let memberships = transaction
    .selectFrom('room')
    .innerJoin('room_member', 'room_member.room_id', 'room.id')
    .select('room.id')
    .where('user_id', '=', userId)
  if (roomId !== null) memberships = memberships.where('room.id', '=', roomId)
  // In the order of ids, to avoid deadlocks.
  const rooms = await memberships.orderBy('room.id').forNoKeyUpdate('room').execute()
  const ids = rooms.map(({ id }) => id)
  if (ids.length === 0) return 0

  const deleted = await transaction.deleteFrom('room_member').where('user_id', '=', userId).where('room_id', 'in', ids).execute()
  await sql`
    UPDATE room SET owner_id = heir.user_id
    FROM (SELECT DISTINCT ON (room_id) room_id, user_id FROM room_member ORDER BY room_id, joined_at, user_id) AS heir
    WHERE heir.room_id = room.id AND room.owner_id = ${userId} AND room.id = ANY (${ids}::bigint[])`.execute(transaction)
  const ended = await transaction
    .deleteFrom('room')
    .where('owner_id', '=', userId)
    .where('id', 'in', ids)
    .returning('id')
    .execute()
  // Ends the subscriptions of members who were removed.
  for (const { id } of ended) await append(transaction, topicOf(id), { id: NO_MESSAGE })
  return deleted.reduce((sum, { numDeletedRows }) => sum + Number(numDeletedRows), 0)
}
