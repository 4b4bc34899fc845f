import type { JWTVerifyGetKey } from 'jose'
import { unauthenticated } from '../../../platform/graphql/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { userTokenIn } from '../../../platform/http/user-token.ts'
import { encodeId } from '../../toolkit/ids.ts'
import { type SessionCheck, verifyUserToken } from '../../toolkit/user-token.ts'

/**
 * A user of the social graph: the opaque id, and when the password was given; null: before the
 * token was last refreshed.
 */
export type Presented = { readonly id: string; readonly signedInAt: Date | null }

/**
 * Tells which user a caller is; null: none. Rejects with UNAUTHENTICATED for a token that is not
 * valid now.
 */
export type UserJudge = (caller: Caller) => Promise<Presented | null>

/**
 * A judge that knows users by the published keys of their tokens, and asks who has the sessions
 * whether this one goes on: a token that was signed out is none here either. A connection that
 * stays open has no more time than others. Rejects when sessions cannot be asked: nobody is
 * believed unchecked.
 */
export const userJudge =
  (keys: JWTVerifyGetKey, isSessionOpen: SessionCheck, now: () => Date): UserJudge =>
  async (caller) => {
    const token = userTokenIn(caller)
    if (token === null) return null
    const subject = await verifyUserToken(token, keys, now())
    if (!subject || !(await isSessionOpen(token)))
      throw unauthenticated('Expected a token that is valid now: sign in again, or use refreshSession.')
    return { id: encodeId('User', subject.userId), signedInAt: subject.signedInAt }
  }
