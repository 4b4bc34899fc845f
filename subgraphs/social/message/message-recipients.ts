import { forbidden } from '../../../platform/graphql/errors.ts'
import { FOR_MEMBERS } from '../room/resolvers.ts'
import { roomIn } from '../room/room.ts'
import { createRecipientFilter, type RecipientFilter } from '../session/recipient-filter.ts'
import type { SessionRepository } from '../session/repository.ts'
import { signedOut } from '../session/viewer.ts'
import type { MessageRepository } from './repository.ts'

/**
 * Delivers messages of a room to members with a living session; others get UNAUTHENTICATED or
 * FORBIDDEN.
 */
export const messageRecipients = (messages: MessageRepository, sessions: SessionRepository, now: () => Date): RecipientFilter =>
  createRecipientFilter(
    ({ topic, payload }, sessionIds) => messages.recipients(roomIn(topic), String(payload.id), sessionIds, now()),
    async (sessionId) => ((await sessions.userOfLiving(sessionId, now())) ? forbidden(FOR_MEMBERS) : signedOut()),
  )
