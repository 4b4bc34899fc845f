import { createHash, timingSafeEqual } from 'node:crypto'
import { networkOf } from '../rate-limit/address-rate-limit.ts'
import type { RateLimitStore } from '../rate-limit/rate-limit-store.ts'

/**
 * Wrong tokens a minute from one address that are compared at all; further ones are not. Right ones
 * cost nothing.
 */
const GUESSES_PER_MINUTE = 10

/** The used part of a request. */
type Presenting = { readonly ip: string; readonly headers: { readonly authorization?: string | undefined } }

/** Answer without a valid token. The text is for people, and contains no token. */
export type TokenRefusal = {
  readonly status: 401 | 429
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/**
 * A check of a token that an operator chose: null when a request has it, as the password of HTTP
 * Basic with any user name or, where `takesBearer`, as a Bearer token, which programs send.
 * `variable` is the setting that holds it, `name` what its guesses are counted as and what a
 * browser calls it.
 */
export function operatorTokenCheck({
  token,
  variable,
  name,
  takesBearer,
  rateLimits,
}: {
  readonly token: string
  readonly variable: string
  readonly name: string
  readonly takesBearer: boolean
  readonly rateLimits: RateLimitStore
}): (request: Presenting) => Promise<TokenRefusal | null> {
  const expected = digestOf(token)
  const guesses = rateLimits.buckets(`passwords of ${name}`, GUESSES_PER_MINUTE)

  return async (request) => {
    const presented = presentedIn(request.headers.authorization, takesBearer)
    // Browsers ask without a password first.
    const guess = await guesses(networkOf(request.ip), presented === '' ? 0 : 1)
    if (!guess.isGranted) {
      return {
        status: 429,
        headers: { 'retry-after': String(guess.waitSeconds) },
        text: `Too many wrong passwords from this address: try again in ${guess.waitSeconds} seconds.\n`,
      }
    }
    // Digests have one length, so the comparison reveals nothing about the token.
    if (!timingSafeEqual(digestOf(presented), expected)) {
      return {
        status: 401,
        headers: { 'www-authenticate': `Basic realm="Atrium ${name}", charset="UTF-8"` },
        text: `Expected the password in ${variable}, with any user name.\n`,
      }
    }
    await guesses(networkOf(request.ip), -1)
    return null
  }
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * The password of HTTP Basic (RFC 7617), or the token of Bearer (RFC 6750); empty when there is
 * none.
 */
function presentedIn(authorization = '', takesBearer: boolean): string {
  const [, bearer] = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization) ?? []
  if (takesBearer && bearer !== undefined) return bearer
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization) ?? []
  const pair = Buffer.from(encoded ?? '', 'base64').toString()
  return pair.includes(':') ? pair.slice(pair.indexOf(':') + 1) : ''
}
