import { errors, importJWK, type JWK, type JWTVerifyGetKey, SignJWT } from 'jose'
import { ISSUER, type TokenContent } from '../../toolkit/user-token.ts'
import { type KeyRing, TOKEN_SECONDS } from './key-ring.ts'

/**
 * A new access token of a session, and its expiry. With a given password it has its time
 * (`auth_time` of OpenID Connect).
 */
export async function signToken(
  { userId, sessionId, signedInAt }: TokenContent,
  keys: KeyRing,
  now: Date,
): Promise<{ readonly token: string; readonly expiresAt: Date }> {
  const key = await keys.signing(now)
  const issued = Math.floor(now.getTime() / 1000)
  const token = await new SignJWT({ sid: sessionId, ...(signedInAt && { auth_time: Math.floor(signedInAt.getTime() / 1000) }) })
    .setProtectedHeader({ alg: 'EdDSA', kid: key.kid, typ: 'JWT' })
    .setIssuer(ISSUER)
    .setSubject(userId)
    .setIssuedAt(issued)
    .setExpirationTime(issued + TOKEN_SECONDS)
    .sign(await importKey(key.privateKey))
  return { token, expiresAt: new Date((issued + TOKEN_SECONDS) * 1000) }
}

/** The key that a token names, to check it by. Rejects like jose for one that is not ours. */
export const verificationKey =
  (keys: KeyRing): JWTVerifyGetKey =>
  async ({ kid }) => {
    const key = kid === undefined ? null : await keys.byId(kid)
    if (!key) throw new errors.JWKSNoMatchingKey()
    return importKey(key.publicKey)
  }

const importedKeys = new WeakMap<JWK, ReturnType<typeof importJWK>>()

/** The key for signing and checking; importing one takes longer than using it. */
function importKey(jwk: JWK): ReturnType<typeof importJWK> {
  const key = importedKeys.get(jwk) ?? importJWK(jwk, 'EdDSA')
  importedKeys.set(jwk, key)
  return key
}
