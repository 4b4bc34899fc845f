import type { JWTVerifyGetKey } from 'jose'
import type { Caller } from '../../runtime/caller.ts'
import { unauthenticated } from '../../runtime/errors.ts'
import { opaqueId } from '../../runtime/id.ts'
import { subjectOf, userTokenIn } from '../../runtime/user-token.ts'

/** A user of the social graph: the opaque id, and when the password was given; null: before the token was last refreshed. */
export type Presented = { readonly id: string; readonly signedInAt: Date | null }

/** Tells which user a caller is; null: none. Rejects with UNAUTHENTICATED for a token that is not valid now. */
export type UserJudge = (caller: Caller) => Promise<Presented | null>

/**
 * A judge that knows users by the published keys of their tokens. A session that has ended goes on until its token does, at most 15 minutes later; a
 * connection that stays open has no more time than others, because nobody here could say that its session has ended.
 */
export const userJudge =
  (keys: JWTVerifyGetKey, now: () => Date): UserJudge =>
  async (caller) => {
    const token = userTokenIn(caller)
    if (token === null) return null
    const subject = await subjectOf(token, keys, now())
    if (!subject) throw unauthenticated('Expected a token that is valid now: sign in again, or use refreshSession.')
    return { id: opaqueId('User', subject.userId), signedInAt: subject.signedInAt }
  }
