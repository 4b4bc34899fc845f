import type { FindGrants } from './authorization.ts'
import type { TokenVerifier } from './token-verifier.ts'

/** Where the token of a caller stands among its headers, when it is no `Authorization`. */
export const TOKEN_KEY = ':token'

/** Finds grants by the token of a caller, which every transport has put where its source is. */
export function jwtGrants(verifier: TokenVerifier): FindGrants {
  return ({ caller }) => {
    const verified = verifier.verify(caller.headers?.[TOKEN_KEY] ?? verifier.tokenIn(caller.credentials, null))
    return verified instanceof Promise ? verified.then(({ grants }) => grants) : verified.grants
  }
}
