import { createRemoteJWKSet, customFetch, errors, type JSONWebKeySet, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Caller } from '../../platform/http/caller.ts'

/** Who signs the tokens of users. */
export const ISSUER = 'atrium'

/** Where the keys that check them are published, as every JWT library can read them. */
const KEYS_PATH = '/.well-known/jwks.json'

/** A key that is new is asked for again so soon: until then a token that it signed is refused. */
const COOLDOWN_MS = 1_000
/**
 * How long known keys are believed before they are asked for again: as soon as that, tokens of a
 * key that was dropped are refused. While who publishes them does not answer, they are believed for
 * ten minutes, which is the library's.
 */
const KEYS_MAX_AGE_MS = 3_000

/** As long as somebody who signs in should have to wait. */
const SESSION_TIMEOUT_MS = 5_000

/** Whose session a token is of: row ids. */
export type TokenSubject = { readonly userId: string; readonly sessionId: string }

/** What a token says: whose it is, and when the password was given for it; null where it came of a refresh token. */
export type TokenContent = TokenSubject & { readonly signedInAt: Date | null }

/** A JWT: three parts in base64url. Credentials of other subgraphs look otherwise, and do not concern this one. */
const JWT = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i

/** Failures of who has the keys, not of the token. */
const KEY_FETCH_FAULTS = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT'])

/** The token of a user that a caller presents; null for none. */
export const userTokenIn = ({ credentials: { authorization = '' } }: Pick<Caller, 'credentials'>): string | null =>
  JWT.exec(authorization.trim())?.[1] ?? null

/** Whether the session of a token goes on, said by who has the sessions; rejects when they cannot be asked. */
export type SessionCheck = (token: string) => Promise<boolean>

/** The same from the installation at this address, for who has no other way to ask. */
export const remoteSessionCheck =
  (url: string): SessionCheck =>
  async (token) => {
    const answer = await fetch(new URL('/graphql', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: '{"query":"{ me { id } }"}',
      signal: AbortSignal.timeout(SESSION_TIMEOUT_MS),
    })
    const { data, errors = [] } = (await answer.json()) as SessionAnswer
    if (data?.me) return true
    if (errors.some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED')) return false
    throw new Error('Expected the installation to say whether a session goes on.')
  }

type SessionAnswer = {
  readonly data?: { readonly me: object | null } | null
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[]
}

/** The keys that are published by the installation at this address, for subgraphs that only check. They are fetched when they are needed. */
export const publishedKeys = (url: string): JWTVerifyGetKey =>
  refreshingKeys(createRemoteJWKSet(new URL(KEYS_PATH, url), OPTIONS))

/** The same, where they come from `read`: for a process that reaches those who have the keys in another way. */
export const keysFrom = (read: () => Promise<JSONWebKeySet>): JWTVerifyGetKey =>
  refreshingKeys(
    createRemoteJWKSet(new URL(KEYS_PATH, 'http://keys.invalid'), {
      ...OPTIONS,
      [customFetch]: async () => Response.json(await read()),
    }),
  )

const OPTIONS = { cooldownDuration: COOLDOWN_MS }

/**
 * The same keys, asked for again as long as they are used: a library would go on with those that it
 * knows.
 */
function refreshingKeys(keys: ReturnType<typeof createRemoteJWKSet>): JWTVerifyGetKey {
  let askedAt = performance.now()
  return async (header, token) => {
    if (performance.now() - askedAt > KEYS_MAX_AGE_MS && keys.jwks() !== undefined) {
      askedAt = performance.now()
      // While they cannot be had, those that are known hold.
      await keys.reload().catch(() => {})
    }
    return keys(header, token)
  }
}

/**
 * What a token says that one of the keys has signed and that is valid at `at`; null for every other text. That its session has not ended since is for who has
 * the sessions to say. Throws when the keys cannot be had.
 */
export async function verifyUserToken(token: string, keyOf: JWTVerifyGetKey, at: Date): Promise<TokenContent | null> {
  try {
    const { payload } = await jwtVerify(token, keyOf, {
      issuer: ISSUER,
      algorithms: ['EdDSA'],
      currentDate: at,
      requiredClaims: ['sub', 'sid', 'exp'],
    })
    const { sub, sid, auth_time: signedIn } = payload
    return typeof sub === 'string' && typeof sid === 'string'
      ? { userId: sub, sessionId: sid, signedInAt: typeof signedIn === 'number' ? new Date(signedIn * 1000) : null }
      : null
  } catch (error) {
    if (error instanceof errors.JOSEError && !KEY_FETCH_FAULTS.has(error.code)) return null
    throw error
  }
}
