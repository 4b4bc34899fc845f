import { type Audience, audience } from '../session/audience.ts'
import type { SessionRepository } from '../session/repository.ts'
import { signedOut } from '../session/viewer.ts'
import type { RoomInvitationRepository } from './repository.ts'
import { invitedUserIn } from './room-invitation.ts'

/**
 * Tells of invitations that are still pending, as long as the session lives; then UNAUTHENTICATED.
 */
export const invitationAudience = (
  invitations: RoomInvitationRepository,
  sessions: SessionRepository,
  now: () => Date,
): Audience =>
  audience(
    async ({ topic, payload }, sessionIds) => {
      const [living, invitation] = await Promise.all([
        sessions.living(sessionIds, now()),
        invitations.find(String(payload.roomId), invitedUserIn(topic) ?? '0'),
      ])
      return living.map((sessionId) => ({ sessionId, isThere: invitation !== undefined }))
    },
    async () => signedOut(),
  )
