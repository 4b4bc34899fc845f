/** Invitation of a user into a room: row ids. */
export type RoomInvitation = {
  readonly roomId: string
  readonly userId: string
  readonly inviterId: string
  readonly invitedAt: Date
}

/**
 * How long an invitation waits for an answer, and how long after one was made a decline keeps
 * further ones of the room away.
 */
export const INVITATION_DAYS = 30

/**
 * Invitations that one user may have to answer. Strangers send them, so their number is bounded.
 */
export const MAX_PENDING_INVITATIONS = 500

/** The topic of invitations of a user in the outbox. Payload: `roomId`, a row id. */
export const invitationTopic = (userId: string): string => `invitation:${userId}`

/** Whose invitations a topic is about; null for another topic. */
export const invitedUserIn = (topic: string): string | null => /^invitation:(\d+)$/.exec(topic)?.[1] ?? null
