import { forbidden } from '../../../platform/graphql/errors.ts'
import { FOR_MEMBERS } from '../room/resolvers.ts'
import { type Audience, audience } from '../session/audience.ts'
import type { SessionRepository } from '../session/repository.ts'
import { signedOut } from '../session/viewer.ts'
import { roomIn } from './message.ts'
import type { MessageRepository } from './repository.ts'

/** Tells of a room only members with a session that is alive; others get UNAUTHENTICATED or FORBIDDEN. */
export const roomAudience = (messages: MessageRepository, sessions: SessionRepository, now: () => Date): Audience =>
  audience(
    ({ topic, payload }, sessionIds) => messages.audience(roomIn(topic), String(payload.id), sessionIds, now()),
    async (sessionId) => ((await sessions.userOfLiving(sessionId, now())) ? forbidden(FOR_MEMBERS) : signedOut()),
  )
