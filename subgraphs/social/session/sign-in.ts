import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { networkOf } from '../../../platform/rate-limit/address-rate-limit.ts'
import { verifyPassword } from '../../toolkit/password.ts'
import type { TokenContent, TokenSubject } from '../../toolkit/user-token.ts'
import type { Context, SocialParts } from '../context.ts'
import { addressHash, emailKey } from '../user/user.ts'
import type { LockTable } from './attempt-repository.ts'
import type { PasswordCredentials } from './repository.ts'
import { signToken } from './token.ts'

/** How long a session lives after its last refresh. */
const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000

/** When a session was begun or last refreshed: it lives for as long from then. */
export const refreshedAt = ({ expiresAt }: { readonly expiresAt: Date }): Date =>
  new Date(expiresAt.getTime() - SESSION_LIFETIME_MS)

const FIRST_LOCK_MS = 10_000

/**
 * `failures` in a row lock for `FIRST_LOCK_MS`; each further one doubles that, up to `longestMs`.
 */
const lockTable = (failures: number, maxMs: number): LockTable => [
  ...Array<null>(failures - 1).fill(null),
  ...Array.from({ length: Math.ceil(Math.log2(maxMs / FIRST_LOCK_MS)) }, (_, times) => FIRST_LOCK_MS * 2 ** times),
  maxMs,
]

/**
 * Failures lock an e-mail address for the client's network; more of them, from several networks,
 * lock the address as a whole, for an hour at most: that leaves 24 guesses a day, and the owner a
 * sign-in within the hour. A known network is exempt from the second lock.
 */
const LOCKS = { network: lockTable(5, 24 * 60 * 60 * 1000), address: lockTable(30, 60 * 60 * 1000) }

/** Result of a password check. */
export type PasswordCheck =
  | { readonly kind: 'right'; readonly credentials: PasswordCredentials }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'locked'; readonly unlockAt: Date }

/** What a session is used with. */
export type Tokens = { readonly token: string; readonly expiresAt: Date; readonly refreshToken: string }

type Needed = Pick<SocialParts, 'sessions' | 'keys' | 'now'>
type CheckContext = Pick<Context, 'sessions' | 'attempts' | 'now' | 'signInMutex' | 'caller'>

/** Row id that does not exist: read for unknown addresses, so that they take as long. */
const NOBODY = '0'

/**
 * Checks the password of an e-mail address. Neither the answer nor its time reveals whether the
 * address has a user. Sign-ins with one address from one network take turns: each counts as a
 * failure while it runs, and right ones must not lock each other out.
 */
export function checkPassword(email: string, password: string, context: CheckContext): Promise<PasswordCheck> {
  const { sessions, attempts, now, signInMutex } = context
  const key = emailKey(email)
  const network = networkOf(context.caller.address)
  const networkHash = hashed(`${key}\0${network}`)
  return signInMutex(networkHash.toString('base64'), async () => {
    // PostgreSQL has no text with NUL, so no user has such an address.
    const credentials = key.includes('\0') ? null : await sessions.credentialsOf(key)
    const userId = credentials?.userId ?? NOBODY
    const networkOfUser = hashed(`${userId}\0${network}`)
    const isRecentNetwork = await attempts.isRecentNetwork(userId, networkOfUser, now())
    const attempt = { emailHash: addressHash(key), networkHash, isRecentNetwork }
    const { isLocked, unlockAt } = await attempts.countAttempt(attempt, now(), LOCKS)
    if (isLocked && unlockAt) return { kind: 'locked', unlockAt }
    const isRight = await verifyPassword(password, credentials?.passwordHash ?? null)
    if (isRight && credentials) {
      await attempts.forgetAttempts(attempt, now())
      await attempts.rememberNetwork(userId, networkOfUser, now())
      return { kind: 'right', credentials }
    }
    return unlockAt ? { kind: 'locked', unlockAt } : { kind: 'wrong' }
  })
}

/**
 * Begins a session; null when the password is another by now, or its user has been signed out
 * everywhere since it was checked.
 */
export async function openSession(checked: PasswordCredentials, parts: Needed): Promise<Tokens | null> {
  const createdAt = parts.now()
  const { userId } = checked
  const sessionId = randomUUID()
  const refreshToken = newRefreshToken()
  const expiresAt = new Date(createdAt.getTime() + SESSION_LIFETIME_MS)
  const isOpen = await parts.sessions.open({ id: sessionId, userId, createdAt, expiresAt }, hashed(refreshToken), checked)
  return isOpen ? tokensOf({ userId, sessionId, signedInAt: createdAt }, refreshToken, parts) : null
}

/** Goes on with a session; null when the refresh token is not good. */
export async function refreshSession(currentToken: string, parts: Needed): Promise<(Tokens & TokenSubject) | null> {
  const refreshToken = newRefreshToken()
  const at = parts.now()
  const expiresAt = new Date(at.getTime() + SESSION_LIFETIME_MS)
  const subject = await parts.sessions.rotate(hashed(currentToken), { hash: hashed(refreshToken), at, expiresAt })
  return subject && { ...subject, ...(await tokensOf({ ...subject, signedInAt: null }, refreshToken, parts)) }
}

const tokensOf = async (subject: TokenContent, refreshToken: string, { keys, now }: Needed): Promise<Tokens> => ({
  ...(await signToken(subject, keys, now())),
  refreshToken,
})

const newRefreshToken = (): string => randomBytes(32).toString('base64url')
const hashed = (text: string): Buffer => createHash('sha256').update(text).digest()
