import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { isPassword } from '../../runtime/password.ts'
import type { TokenContent, TokenSubject } from '../../runtime/user-token.ts'
import type { Parts } from '../context.ts'
import { addressHash, emailKey } from '../user/user.ts'
import { signToken } from './token.ts'

/** How long a session lives after its last refresh. */
const SESSION_MILLISECONDS = 30 * 24 * 60 * 60 * 1000

/** Wrong passwords in a row that lock an address, and how long the first lock lasts; each further one doubles it. */
const FAILURES = 5
const FIRST_LOCK = 10_000
const LONGEST_LOCK = 24 * 60 * 60 * 1000

/** Until when so many failures lock an address; null when they do not. */
const lockAfter = (failures: number, at: Date): Date | null =>
  failures < FAILURES ? null : new Date(at.getTime() + Math.min(LONGEST_LOCK, FIRST_LOCK * 2 ** (failures - FAILURES)))

/** What came of an address and a password. */
export type Checked =
  | { readonly kind: 'right'; readonly userId: string }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'locked'; readonly unlockAt: Date }

/** What a session is used with. */
export type Tokens = { readonly token: string; readonly expiresAt: Date; readonly refreshToken: string }

type Needed = Pick<Parts, 'sessions' | 'keys' | 'now'>

/** Whether the password belongs to the address. Neither the answer nor its time tells whether the address has a user. */
export async function checkPassword(email: string, password: string, { sessions, now }: Needed): Promise<Checked> {
  const key = emailKey(email)
  const hash = addressHash(key)
  const at = now()
  const { isLocked, unlockAt } = await sessions.countAttempt(hash, at, (failures) => lockAfter(failures, at))
  if (isLocked && unlockAt) return { kind: 'locked', unlockAt }
  // PostgreSQL has no text with NUL, so no user has such an address.
  const known = key.includes('\0') ? null : await sessions.credentialsOf(key)
  const isRight = await isPassword(password, known?.passwordHash ?? null)
  if (isRight && known) {
    await sessions.forgetAttempts(hash, now())
    return { kind: 'right', userId: known.userId }
  }
  return unlockAt ? { kind: 'locked', unlockAt } : { kind: 'wrong' }
}

/** Begins a session. */
export async function openSession(userId: string, parts: Needed): Promise<Tokens> {
  const createdAt = parts.now()
  const sessionId = randomUUID()
  const refreshToken = newRefreshToken()
  const expiresAt = new Date(createdAt.getTime() + SESSION_MILLISECONDS)
  await parts.sessions.open({ id: sessionId, userId, createdAt, expiresAt }, hashed(refreshToken))
  return tokensOf({ userId, sessionId, signedInAt: createdAt }, refreshToken, parts)
}

/** Goes on with a session; null when the refresh token is not good. */
export async function refreshSession(given: string, parts: Needed): Promise<(Tokens & TokenSubject) | null> {
  const refreshToken = newRefreshToken()
  const at = parts.now()
  const expiresAt = new Date(at.getTime() + SESSION_MILLISECONDS)
  const subject = await parts.sessions.rotate(hashed(given), { hash: hashed(refreshToken), at, expiresAt })
  return subject && { ...subject, ...(await tokensOf({ ...subject, signedInAt: null }, refreshToken, parts)) }
}

const tokensOf = async (subject: TokenContent, refreshToken: string, { keys, now }: Needed): Promise<Tokens> => ({
  ...(await signToken(subject, keys, now())),
  refreshToken,
})

const newRefreshToken = (): string => randomBytes(32).toString('base64url')
const hashed = (text: string): Buffer => createHash('sha256').update(text).digest()
