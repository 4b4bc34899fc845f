import type { Caller } from '../../../platform/http/caller.ts'
import { userTokenIn } from '../../../platform/http/user-token.ts'

/**
 * The login and authtoken that a caller presents: HTTP Basic, or the two headers of tool servers;
 * null for none. `header`: the value of the header that has the authtoken.
 */
export function credentialsIn({ credentials }: Pick<Caller, 'credentials'>): {
  readonly login: string
  readonly authtoken: string
  readonly header: string | undefined
} | null {
  const [login, authtoken] = [credentials['x-login-key']?.trim(), credentials['x-auth-token']?.trim()]
  if (login && authtoken) return { login, authtoken, header: credentials['x-auth-token'] }
  const encoded = /^Basic +([\w+/=-]+)$/i.exec(credentials.authorization?.trim() ?? '')?.[1]
  if (encoded === undefined) return null
  const decoded = Buffer.from(encoded, 'base64').toString()
  const colon = decoded.indexOf(':')
  if (colon < 1) return null
  return { login: decoded.slice(0, colon), authtoken: decoded.slice(colon + 1), header: credentials.authorization }
}

/** The user's token and the store that a caller names for it; null for none. */
export function staffCredentialsIn(
  caller: Pick<Caller, 'credentials'>,
): { readonly token: string; readonly storeCode: string } | null {
  const [token, storeCode] = [userTokenIn(caller), caller.credentials['x-store-code']?.trim()]
  return token !== null && storeCode ? { token, storeCode } : null
}

/** Token of an app: its prefix tells it from the JWT of a user and from keys of trust. */
const BEARER = /^Bearer +(sat_[\w-]{43})$/i

/** The token of an app in an Authorization header; null for none. */
export const bearerIn = (authorization: string): string | null => BEARER.exec(authorization.trim())?.[1] ?? null
