import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { isPassword } from '../../runtime/password.ts'
import type { TokenContent, TokenSubject } from '../../runtime/user-token.ts'
import type { Parts } from '../context.ts'
import { addressHash, emailKey } from '../user/user.ts'
import type { Credentials } from './repository.ts'
import { signToken } from './token.ts'

/** How long a session lives after its last refresh. */
const SESSION_MILLISECONDS = 30 * 24 * 60 * 60 * 1000

/** Wrong passwords in a row that lock an address, and how long the first lock lasts; each further one doubles it. */
const FAILURES = 5
const FIRST_LOCK = 10_000
const LONGEST_LOCK = 24 * 60 * 60 * 1000

/** How long so many failures lock an address, in milliseconds, beginning with one; null when they do not. The last is the longest. */
const LOCKS: readonly (number | null)[] = [
  ...Array<null>(FAILURES - 1).fill(null),
  ...Array.from({ length: Math.ceil(Math.log2(LONGEST_LOCK / FIRST_LOCK)) }, (_, times) => FIRST_LOCK * 2 ** times),
  LONGEST_LOCK,
]

/** What came of an address and a password. */
export type Checked =
  | { readonly kind: 'right'; readonly credentials: Credentials }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'locked'; readonly unlockAt: Date }

/** What a session is used with. */
export type Tokens = { readonly token: string; readonly expiresAt: Date; readonly refreshToken: string }

type Needed = Pick<Parts, 'sessions' | 'keys' | 'now'>
type Checking = Pick<Parts, 'sessions' | 'now' | 'oneLogInByOne'>

/**
 * Whether the password belongs to the address. Neither the answer nor its time tells whether the address has a user. Log-ins with one address wait for each other here: one that
 * is under way counts as a failure, and right ones must not lock each other out.
 */
export function checkPassword(email: string, password: string, { sessions, now, oneLogInByOne }: Checking): Promise<Checked> {
  const key = emailKey(email)
  const hash = addressHash(key)
  return oneLogInByOne(hash.toString('base64'), async () => {
    const { isLocked, unlockAt } = await sessions.countAttempt(hash, now(), LOCKS)
    if (isLocked && unlockAt) return { kind: 'locked', unlockAt }
    // PostgreSQL has no text with NUL, so no user has such an address.
    const known = key.includes('\0') ? null : await sessions.credentialsOf(key)
    const isRight = await isPassword(password, known?.passwordHash ?? null)
    if (isRight && known) {
      await sessions.forgetAttempts(hash, now())
      return { kind: 'right', credentials: known }
    }
    return unlockAt ? { kind: 'locked', unlockAt } : { kind: 'wrong' }
  })
}

/** Begins a session; null when the password is another by now, or its user has been signed out everywhere since it was checked. */
export async function openSession(checked: Credentials, parts: Needed): Promise<Tokens | null> {
  const createdAt = parts.now()
  const { userId } = checked
  const sessionId = randomUUID()
  const refreshToken = newRefreshToken()
  const expiresAt = new Date(createdAt.getTime() + SESSION_MILLISECONDS)
  const isOpen = await parts.sessions.open({ id: sessionId, userId, createdAt, expiresAt }, hashed(refreshToken), checked)
  return isOpen ? tokensOf({ userId, sessionId, signedInAt: createdAt }, refreshToken, parts) : null
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
