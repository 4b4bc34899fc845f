import { unauthenticated } from '../../../platform/graphql/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { userTokenIn } from '../../../platform/http/user-token.ts'
import { rememberVerified } from '../../../platform/http/verified-credentials.ts'
import { userTenant, verifyUserToken } from '../../toolkit/user-token.ts'
import type { User } from '../user/user.ts'
import type { KeyRing } from './key-ring.ts'
import type { SessionRepository } from './repository.ts'
import { verificationKey } from './token.ts'

/** A signed-in caller. */
export type Viewer = { readonly user: User; readonly sessionId: string }

/** Ends what goes on for as long as its session does. */
export const signedOut = (): Error => unauthenticated('Expected a session that has not ended: sign in again.')

/**
 * The viewer; null when the caller presents no token of ours. Throws UNAUTHENTICATED when the token
 * is not valid or its session has ended: a program that believes to be signed in should hear that
 * it is not.
 */
export async function viewerOf(
  caller: Caller,
  { keys, sessions, now }: { readonly keys: KeyRing; readonly sessions: SessionRepository; readonly now: () => Date },
): Promise<Viewer | null> {
  const token = userTokenIn(caller)
  if (token === null) return null
  const subject = await verifyUserToken(token, verificationKey(keys), caller.connectedAt ?? now())
  const user = subject && (await sessions.userOfLiving(subject.sessionId, now()))
  if (!subject || !user) throw unauthenticated('Expected a token that is valid now: sign in again, or use refreshSession.')
  rememberVerified(caller.credentials.authorization, userTenant(subject.userId))
  return { user, sessionId: subject.sessionId }
}
