import type { Resolvers } from '#generated/social/resolvers.ts'
import type { OutboxEvent } from '../../../platform/events/outbox.ts'
import { forbidden, missing } from '../../../platform/graphql/errors.ts'
import { decodeId } from '../../toolkit/ids.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { notFoundError } from '../../toolkit/validation.ts'
import type { Context } from '../context.ts'
import { loadReferenced } from '../load-referenced.ts'
import { invitationTopic, invitedUserIn, type RoomInvitation } from './room-invitation.ts'

const OF_USER: KeysetList<RoomInvitation> = {
  name: 'roomInvitations',
  parts: ['time', 'row'],
  positionOf: ({ invitedAt, roomId }) => [invitedAt.toISOString(), roomId],
}
const OF_ROOM: KeysetList<RoomInvitation> = {
  name: 'invitations',
  parts: ['time', 'row'],
  positionOf: ({ invitedAt, userId }) => [invitedAt.toISOString(), userId],
}

export const roomInvitationResolvers = {
  Query: {
    roomInvitations: async (_, page, { requireViewer, roomInvitations }) => {
      const { user } = await requireViewer()
      const range = keysetRange(OF_USER, page)
      return keysetPage(OF_USER, range, await roomInvitations.ofUser(user.id, range), () => roomInvitations.countOfUser(user.id))
    },
  },
  Mutation: {
    acceptRoomInvitation: async (_, { roomId }, { requireViewer, roomInvitations }) => {
      const { user } = await requireViewer()
      const row = decodeId(roomId, 'Room')
      const room = row === null ? null : await roomInvitations.accept(row, user.id)
      return room ? { __typename: 'AcceptRoomInvitationSuccess', room } : notFoundError('invitation into a room', roomId)
    },
    declineRoomInvitation: async (_, { roomId }, { requireViewer, roomInvitations }) => {
      const { user } = await requireViewer()
      const row = decodeId(roomId, 'Room')
      const isDeclined = row !== null && (await roomInvitations.decline(row, user.id))
      return isDeclined ? { __typename: 'DeclineRoomInvitationSuccess', roomId } : notFoundError('invitation into a room', roomId)
    },
  },
  Subscription: {
    roomInvitationReceived: {
      subscribe: async (_, __, { requireViewer, events, recipients }) => {
        const { user, sessionId } = await requireViewer()
        return recipients.invitations(await events.listen(invitationTopic(user.id), sessionId), sessionId)
      },
      resolve: async ({ topic, payload }: OutboxEvent, _: unknown, { roomInvitations }: Context) => {
        const invitation = await roomInvitations.find(String(payload.roomId), invitedUserIn(topic) ?? '0')
        if (!invitation) throw missing('The invitation was answered or withdrawn.')
        return invitation
      },
    },
  },
  RoomInvitation: {
    room: ({ roomId }, _, { load }) => loadReferenced('Room', roomId, load.roomById),
    user: ({ userId }, _, { load }) => loadReferenced('User', userId, load.userById),
    inviter: ({ inviterId }, _, { load }) => loadReferenced('User', inviterId, load.userById),
  },
  RoomInvitationConnection: connectionFields,
  Room: {
    invitations: async ({ id, ownerId }, page, { requireViewer, roomInvitations }) => {
      const { user } = await requireViewer()
      if (user.id !== ownerId) throw forbidden('Only the owner of this room sees who is invited.')
      const range = keysetRange(OF_ROOM, page)
      return keysetPage(OF_ROOM, range, await roomInvitations.ofRoom(id, range), () => roomInvitations.countOfRoom(id))
    },
  },
} satisfies Resolvers
