import type { JWTVerifyGetKey } from 'jose'
import { unauthenticated } from '../../platform/graphql/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { userTokenIn } from '../../platform/http/user-token.ts'
import { rememberVerified } from '../../platform/http/verified-credentials.ts'
import { encodeId } from './ids.ts'
import { type SessionCheck, userTenant, verifyUserToken } from './user-token.ts'

/**
 * A user of the social graph: the opaque id, and when the password was given; null: before the
 * token was last refreshed.
 */
export type AuthenticatedUser = { readonly id: string; readonly signedInAt: Date | null }

/**
 * Identifies the user of a caller; null: none. Rejects with UNAUTHENTICATED for a token that is not
 * valid now.
 */
export type AuthenticateUser = (caller: Caller) => Promise<AuthenticatedUser | null>

/**
 * Verifies tokens of users by the published keys, and checks that their session is
 * still open: a signed-out token is rejected. Open connections have no longer lifetime. Rejects
 * when the sessions cannot be read.
 */
export const userAuthenticator =
  (keys: JWTVerifyGetKey, isSessionOpen: SessionCheck, now: () => Date): AuthenticateUser =>
  async (caller) => {
    const token = userTokenIn(caller)
    if (token === null) return null
    const subject = await verifyUserToken(token, keys, now())
    if (!subject || !(await isSessionOpen(token)))
      throw unauthenticated('Expected a token that is valid now: sign in again, or use refreshSession.')
    rememberVerified(caller.credentials.authorization, userTenant(subject.userId))
    return { id: encodeId('User', subject.userId), signedInAt: subject.signedInAt }
  }
