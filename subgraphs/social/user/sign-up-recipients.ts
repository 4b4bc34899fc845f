import { createRecipientFilter, type RecipientFilter } from '../session/recipient-filter.ts'
import type { SessionRepository } from '../session/repository.ts'
import { signedOut } from '../session/viewer.ts'

/**
 * Tells of sign-ups, for those who are signed in, as long as they are: others get UNAUTHENTICATED.
 */
export const signUpRecipients = (sessions: SessionRepository, now: () => Date): RecipientFilter =>
  createRecipientFilter(
    async (_, sessionIds) => (await sessions.living(sessionIds, now())).map((sessionId) => ({ sessionId, isThere: true })),
    async () => signedOut(),
  )
