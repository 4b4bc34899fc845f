import type { Resolvers } from '#generated/social/resolvers.ts'
import type { OutboxEvent } from '../../../platform/events/outbox.ts'
import { forbidden } from '../../../platform/graphql/errors.ts'
import { decodeId, encodeId } from '../../toolkit/ids.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { notFoundError, textProblem, validationError } from '../../toolkit/validation.ts'
import type { Context } from '../context.ts'
import { loadReferenced } from '../load-referenced.ts'
import { costOf } from '../quota/quota.ts'
import { FOR_MEMBERS, requireMember, roomForMember } from '../room/resolvers.ts'
import { topicOf } from '../room/room.ts'
import type { Message } from './message.ts'

const MESSAGES: KeysetList<Message> = { name: 'messages', parts: ['row'], positionOf: ({ id }) => [id] }

export const messageResolvers = {
  Mutation: {
    sendMessage: async (_, { roomId, text }, { requireViewer, messages, quota }) => {
      const { user } = await requireViewer()
      const row = decodeId(roomId, 'Room')
      if (row === null) return notFoundError('room', roomId)
      const wrong = textProblem('text', text, 10_000)
      if (wrong) return validationError([wrong])
      const message = await messages.send(row, user.id, text)
      if (message === 'no such room') return notFoundError('room', roomId)
      if (message === 'not a member') throw forbidden(FOR_MEMBERS)
      if (message === null) return quota.refusal(user.id, costOf(text))
      return { __typename: 'SendMessageSuccess', message }
    },
  },
  Subscription: {
    messageReceived: {
      subscribe: async (_, { roomId }, context) => {
        const viewer = await context.requireViewer()
        const room = await roomForMember(roomId, viewer, context)
        const events = await context.events.listen(topicOf(room.id), viewer.sessionId)
        return context.recipients.room(events, viewer.sessionId)
      },
      resolve: ({ payload: { id } }: OutboxEvent, _: unknown, { load }: Context) =>
        loadReferenced('Message', String(id), load.messageById),
    },
  },
  Message: {
    id: ({ id }) => encodeId('Message', id),
    author: ({ authorId }, _, { load }) => loadReferenced('User', authorId, load.userById),
    room: ({ roomId }, _, { load }) => loadReferenced('Room', roomId, load.roomById),
    roomId: ({ roomId }) => encodeId('Room', roomId),
  },
  Room: {
    messages: async ({ id }, page, context) => {
      await requireMember(id, await context.requireViewer(), context)
      const range = keysetRange(MESSAGES, page)
      const { load } = context
      const rows = await load.messagesOfRoom(range).load(id)
      return keysetPage(MESSAGES, range, rows, async () => Number((await load.messageCount.load(id))?.count ?? 0))
    },
  },
  MessageConnection: connectionFields,
} satisfies Resolvers
