import type { Caller } from '../../runtime/caller.ts'
import { unauthenticated } from '../../runtime/errors.ts'
import type { User } from '../user/user.ts'
import type { KeyRing } from './key-ring.ts'
import type { SessionRepository } from './repository.ts'
import { subjectOf } from './token.ts'

/** A signed-in caller. */
export type Viewer = { readonly user: User; readonly sessionId: string }

/** A JWT: three parts in base64url. Tokens of other subgraphs look otherwise, and do not concern this one. */
const JWT = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i

/**
 * Who asks; null when the caller presents no token of ours. Throws UNAUTHENTICATED when the token is not valid or its session has ended:
 * a program that believes to be signed in should hear that it is not.
 */
export async function viewerOf(
  { credentials: { authorization = '' }, connectedAt }: Caller,
  { keys, sessions, now }: { readonly keys: KeyRing; readonly sessions: SessionRepository; readonly now: () => Date },
): Promise<Viewer | null> {
  const token = JWT.exec(authorization.trim())?.[1]
  if (token === undefined) return null
  const subject = await subjectOf(token, keys, connectedAt ?? now())
  const user = subject && (await sessions.userOfLiving(subject.sessionId, now()))
  if (!subject || !user) throw unauthenticated('Expected a token that is valid now: sign in again, or use refreshSession.')
  return { user, sessionId: subject.sessionId }
}
