import { createRecipientFilter, type RecipientFilter } from '../session/recipient-filter.ts'
import type { SessionRepository } from '../session/repository.ts'
import { signedOut } from '../session/viewer.ts'
import type { RoomInvitationRepository } from './repository.ts'
import { invitedUserIn } from './room-invitation.ts'

/** Delivers pending invitations as long as the session lives; then UNAUTHENTICATED. */
export const invitationRecipients = (
  invitations: RoomInvitationRepository,
  sessions: SessionRepository,
  now: () => Date,
): RecipientFilter =>
  createRecipientFilter(
    async ({ topic, payload }, sessionIds) => {
      const [living, invitation] = await Promise.all([
        sessions.living(sessionIds, now()),
        invitations.find(String(payload.roomId), invitedUserIn(topic) ?? '0'),
      ])
      return living.map((sessionId) => ({ sessionId, isThere: invitation !== undefined }))
    },
    async () => signedOut(),
  )
