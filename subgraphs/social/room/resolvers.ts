import type { Resolvers } from '#generated/social/resolvers.ts'
import { badInput, forbidden, notFound, unauthenticated } from '../../../platform/graphql/errors.ts'
import { decodeId, encodeId } from '../../toolkit/ids.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { notFoundError, problem, problemsIn, textProblem, validationError } from '../../toolkit/validation.ts'
import type { Context } from '../context.ts'
import { loadReferenced } from '../load-referenced.ts'
import { MAX_PENDING_INVITATIONS } from '../room-invitation/room-invitation.ts'
import type { Viewer } from '../session/viewer.ts'
import type { MembershipChange } from './repository.ts'
import { creationCost, INVITATION_COST, type Room, type RoomMember, type RoomMemberPage } from './room.ts'

/** Users whom one room may invite at its creation. */
const MAX_INITIAL_INVITATIONS = 100

const FREE_TO_INVITE = `the id of a user with less than ${MAX_PENDING_INVITATIONS} invitations to answer`

const ROOMS: KeysetList<Room & { readonly joinedAt: Date }> = {
  name: 'rooms',
  parts: ['time', 'row'],
  positionOf: ({ joinedAt, id }) => [joinedAt.toISOString(), id],
}

const MEMBERS: KeysetList<RoomMember> = {
  name: 'members',
  parts: ['time', 'row'],
  positionOf: ({ joinedAt, userId }) => [joinedAt.toISOString(), userId],
}

/** Error for callers who are no members of an existing room. */
export const FOR_MEMBERS = 'Only members of this room may do that: ask its owner to invite you.'
const FOR_THE_OWNER = 'Only the owner of this room adds and removes members.'

export const roomResolvers = {
  Query: {
    room: async (_, { id }, context) => {
      const viewer = await context.requireViewer()
      return roomForMember(id, viewer, context)
    },
    rooms: async (_, page, { requireViewer, rooms }) => {
      const { user } = await requireViewer()
      const range = keysetRange(ROOMS, page)
      return keysetPage(ROOMS, range, await rooms.ofUser(user.id, range), () => rooms.countOfUser(user.id))
    },
  },
  Mutation: {
    createRoom: async (_, { name, memberIds }, { requireViewer, rooms, quota }) => {
      const { user } = await requireViewer()
      const inviteeIds = memberIds ?? []
      const rows = inviteeIds.map((id) => decodeId(id, 'User'))
      const malformed = inviteeIds.find((_id, index) => rows[index] === null)
      const problems = problemsIn([
        textProblem('name', name, 100),
        inviteeIds.length > MAX_INITIAL_INVITATIONS
          ? problem('memberIds', `at most ${MAX_INITIAL_INVITATIONS} ids`, inviteeIds.length)
          : null,
        malformed === undefined ? null : problem('memberIds', 'ids of users', malformed),
      ])
      if (problems.length > 0) return validationError(problems)
      const invitees = rows.filter((row) => row !== null)
      const made = await rooms.create(name.trim(), user.id, invitees)
      if (made === null) return quota.refusal(user.id, creationCost(name.trim(), new Set(invitees).size))
      if ('room' in made) return { __typename: 'CreateRoomSuccess', room: made.room }
      if (made.unknown.includes(user.id)) throw unauthenticated('Expected a user who has not been deleted.')
      return validationError([
        ...made.unknown.map((row) => problem('memberIds', 'ids of users', encodeId('User', row))),
        ...made.crowded.map((row) => problem('memberIds', FREE_TO_INVITE, encodeId('User', row))),
      ])
    },
    addRoomMember: async (_, { roomId, userId }, { requireViewer, rooms, quota }) => {
      const { user } = await requireViewer()
      const [room, invitee] = [decodeId(roomId, 'Room'), decodeId(userId, 'User')]
      if (room === null) return notFoundError('room', roomId)
      // The id 0 does not exist: other callers than the owner get FORBIDDEN first.
      const invited = await rooms.invite(room, user.id, invitee ?? '0')
      if (invited === 'over quota') return quota.refusal(user.id, INVITATION_COST)
      if (invited === 'too many invitations') return validationError([problem('userId', FREE_TO_INVITE, userId)])
      return membership(invited, roomId, userId)
    },
    removeRoomMember: async (_, { roomId, userId }, { requireViewer, rooms }) => {
      const { user } = await requireViewer()
      const [room, member] = [decodeId(roomId, 'Room'), decodeId(userId, 'User')]
      if (room === null) return notFoundError('room', roomId)
      if (member === user.id) throw badInput('userId', 'the id of another member (leaveRoom ends your own membership)', userId)
      return membership(await rooms.removeMember(room, user.id, member ?? '0'), roomId, userId)
    },
    leaveRoom: async (_, { roomId }, { requireViewer, rooms, load }) => {
      const { user } = await requireViewer()
      const row = decodeId(roomId, 'Room')
      if (row === null || !(await load.roomById.load(row))) return notFoundError('room', roomId)
      if (!(await rooms.leave(row, user.id))) throw forbidden(FOR_MEMBERS)
      return { __typename: 'LeaveRoomSuccess', roomId }
    },
  },
  Room: {
    id: ({ id }) => encodeId('Room', id),
    owner: ({ ownerId }, _, { load }) => loadReferenced('User', ownerId, load.userById),
    members: async ({ id }, page, context): Promise<RoomMemberPage> => {
      await requireMember(id, await context.requireViewer(), context)
      const range = keysetRange(MEMBERS, page)
      const { load } = context
      const rows = await load.membersOfRoom(range).load(id)
      return keysetPage(MEMBERS, range, rows, async () => Number((await load.memberCount.load(id))?.count ?? 0))
    },
  },
  RoomConnection: connectionFields,
  RoomMemberConnection: connectionFields,
  RoomMemberEdge: {
    node: ({ node: { userId } }, _, { load }) => loadReferenced('User', userId, load.userById),
    joinedAt: ({ node }) => node.joinedAt,
  },
} satisfies Resolvers

/**
 * The room with this opaque id, for a member. Throws NOT_FOUND when there is none, and FORBIDDEN
 * for other callers.
 */
export async function roomForMember(id: string, viewer: Viewer, context: Context): Promise<Room> {
  const row = decodeId(id, 'Room')
  const room = row === null ? null : await context.load.roomById.load(row)
  if (!room) throw notFound('room', id)
  await requireMember(room.id, viewer, context)
  return room
}

/** Throws FORBIDDEN for callers who are no members of the room with this row id. */
export async function requireMember(roomId: string, { user }: Viewer, { load }: Context): Promise<void> {
  if (!(await load.membershipOf(user.id).load(roomId))) throw forbidden(FOR_MEMBERS)
}

function membership(change: MembershipChange, roomId: string, userId: string) {
  switch (change) {
    case 'no such room':
      return notFoundError('room', roomId)
    case 'no such user':
      return notFoundError('user', userId)
    case 'not the owner':
      throw forbidden(FOR_THE_OWNER)
    default:
      return { __typename: 'RoomMemberSuccess' as const, room: change }
  }
}
