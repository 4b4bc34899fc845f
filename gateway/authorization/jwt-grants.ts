import type { FindGrants } from './authorization.ts'
import type { TokenVerifier } from './token-verifier.ts'

/** Name in `caller.headers` for a token from a source other than `Authorization`. */
export const TOKEN_KEY = ':token'

/**
 * Grants from the caller's JSON Web Token, which transports store under TOKEN_KEY or in the
 * credentials.
 */
export function jwtGrants(verifier: TokenVerifier): FindGrants {
  return ({ caller }) => {
    const verified = verifier.verify(caller.headers?.[TOKEN_KEY] ?? verifier.tokenIn(caller.credentials, null))
    return verified instanceof Promise ? verified.then(({ grants }) => grants) : verified.grants
  }
}
