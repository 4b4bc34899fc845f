import { createRemoteJWKSet, customFetch, errors, type JSONWebKeySet, type JWTVerifyGetKey, jwtVerify } from 'jose'

/** Issuer of user tokens. */
export const ISSUER = 'atrium'

/** Path of the public keys, a JWKS that every JWT library reads. */
const KEYS_PATH = '/.well-known/jwks.json'

/** Interval between key fetches for an unknown key id; until then its tokens are rejected. */
const COOLDOWN_MS = 1_000
/**
 * How long fetched keys are used before a refresh: tokens of a removed key are rejected after that.
 * While the refresh fails they stay valid for ten minutes, the library's limit.
 */
const KEYS_MAX_AGE_MS = 3_000

/** Time limit of a session check: a person is waiting to sign in. */
const SESSION_TIMEOUT_MS = 5_000

/** User and session of a token, as row ids. */
export type TokenSubject = { readonly userId: string; readonly sessionId: string }

/** The turns of a user, in all processes: see `tenantOf`. `userId` is a row id. */
export const userTenant = (userId: string): string => `user ${userId}`

/** Content of a token; `signedInAt` is when the password was given, null after a refresh token. */
export type TokenContent = TokenSubject & { readonly signedInAt: Date | null }

/** Failures of the key server, not of the token. */
const KEY_FETCH_FAULTS = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT'])

/** Whether the session of a token is open; rejects when that cannot be checked. */
export type SessionCheck = (token: string) => Promise<boolean>

/** The same over HTTP, for processes with no other way to check. */
export const remoteSessionCheck =
  (url: string): SessionCheck =>
  async (token) => {
    const answer = await fetch(new URL('/graphql', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: '{"query":"{ me { id } }"}',
      signal: AbortSignal.timeout(SESSION_TIMEOUT_MS),
    })
    // Answered by the social subgraph to a document of ours.
    const { data, errors = [] } = (await answer.json()) as SessionAnswer
    if (data?.me) return true
    if (errors.some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED')) return false
    throw new Error('Expected the installation to answer whether a session is open.')
  }

type SessionAnswer = {
  readonly data?: { readonly me: object | null } | null
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[]
}

/** Public keys of the installation at this URL, fetched on demand, for verification only. */
export const publishedKeys = (url: string): JWTVerifyGetKey =>
  refreshingKeys(createRemoteJWKSet(new URL(KEYS_PATH, url), OPTIONS))

/** The same with keys from `read`. */
export const keysFrom = (read: () => Promise<JSONWebKeySet>): JWTVerifyGetKey =>
  refreshingKeys(
    createRemoteJWKSet(new URL(KEYS_PATH, 'http://keys.invalid'), {
      ...OPTIONS,
      [customFetch]: async () => Response.json(await read()),
    }),
  )

const OPTIONS = { cooldownDuration: COOLDOWN_MS }

/** Refreshes keys while they are in use: the library would keep those that it has. */
function refreshingKeys(keys: ReturnType<typeof createRemoteJWKSet>): JWTVerifyGetKey {
  let fetchedAt = performance.now()
  return async (header, token) => {
    if (performance.now() - fetchedAt > KEYS_MAX_AGE_MS && keys.jwks() !== undefined) {
      fetchedAt = performance.now()
      // While the refresh fails, the current keys hold.
      await keys.reload().catch(() => {})
    }
    return keys(header, token)
  }
}

/**
 * Verifies a token at time `at`; null for an invalid one. Does not check that its session is open.
 * Throws when the keys are unavailable.
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
