import type { Caller } from './caller.ts'

/**
 * A JWT: three parts in base64url. Credentials of other subgraphs look otherwise, and do not
 * concern this one.
 */
const JWT = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i

/** The token of a user that a caller presents; null for none. */
export const userTokenIn = ({ credentials: { authorization = '' } }: Pick<Caller, 'credentials'>): string | null =>
  JWT.exec(authorization.trim())?.[1] ?? null
