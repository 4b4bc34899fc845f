import { createRecipientFilter, type RecipientFilter } from '../session/recipient-filter.ts'
import type { SessionRepository } from '../session/repository.ts'
import { signedOut } from '../session/viewer.ts'

/** Delivers sign-ups to signed-in users as long as their session lives; then UNAUTHENTICATED. */
export const signUpRecipients = (sessions: SessionRepository, now: () => Date): RecipientFilter =>
  createRecipientFilter(
    async (_, sessionIds) => (await sessions.living(sessionIds, now())).map((sessionId) => ({ sessionId, isThere: true })),
    async () => signedOut(),
  )
