import { importJWK, type JWK, jwtVerify, SignJWT } from 'jose'
import { type KeyRing, TOKEN_SECONDS } from './key-ring.ts'

const ISSUER = 'atrium'

/** Whose session a token is of: row ids. */
export type TokenSubject = { readonly userId: string; readonly sessionId: string }

/** A new access token of a session, and when it ends. */
export async function signToken(
  { userId, sessionId }: TokenSubject,
  keys: KeyRing,
  now: Date,
): Promise<{ readonly token: string; readonly expiresAt: Date }> {
  const key = await keys.signing(now)
  const issued = Math.floor(now.getTime() / 1000)
  const token = await new SignJWT({ sid: sessionId })
    .setProtectedHeader({ alg: 'EdDSA', kid: key.kid, typ: 'JWT' })
    .setIssuer(ISSUER)
    .setSubject(userId)
    .setIssuedAt(issued)
    .setExpirationTime(issued + TOKEN_SECONDS)
    .sign(await imported(key.privateKey))
  return { token, expiresAt: new Date((issued + TOKEN_SECONDS) * 1000) }
}

/** The subject of a token that is ours and valid at `at`; null for every other text. */
export async function subjectOf(token: string, keys: KeyRing, at: Date): Promise<TokenSubject | null> {
  try {
    const { payload } = await jwtVerify(
      token,
      async ({ kid }) => {
        const key = kid === undefined ? null : await keys.byId(kid)
        if (!key) throw new Error('unknown key')
        return imported(key.publicKey)
      },
      { issuer: ISSUER, algorithms: ['EdDSA'], currentDate: at, requiredClaims: ['sub', 'sid', 'exp'] },
    )
    return typeof payload.sub === 'string' && typeof payload.sid === 'string'
      ? { userId: payload.sub, sessionId: payload.sid }
      : null
  } catch {
    return null
  }
}

const known = new WeakMap<JWK, ReturnType<typeof importJWK>>()

/** The key for signing and checking; importing one takes longer than using it. */
function imported(jwk: JWK): ReturnType<typeof importJWK> {
  const key = known.get(jwk) ?? importJWK(jwk, 'EdDSA')
  known.set(jwk, key)
  return key
}
