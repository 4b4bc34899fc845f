import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FileKey } from './file.ts'

/** What a signed URL allows: this file, under this name, until then. */
export type FilePermission = {
  readonly key: FileKey
  readonly name: string
  /** Seconds since 1970. */
  readonly expires: number
}

/** The query string of a signed URL. */
export const signedQuery = (permission: FilePermission, secret: Uint8Array): string =>
  new URLSearchParams({
    name: permission.name,
    expires: String(permission.expires),
    signature: signatureOf(permission, secret).toString('base64url'),
  }).toString()

/**
 * What the query string allows; 'expired' when it did, null when it does not. `now` in
 * milliseconds.
 */
export function permissionIn(
  key: FileKey,
  query: URLSearchParams,
  { secret, now }: { readonly secret: Uint8Array; readonly now: number },
): FilePermission | 'expired' | null {
  const [name, expires, signature] = ['name', 'expires', 'signature'].map((each) => query.get(each) ?? '')
  if (!name || !expires || !signature || !/^\d{1,12}$/.test(expires)) return null
  const permission = { key, name, expires: Number(expires) }
  const given = Buffer.from(signature, 'base64url')
  const right = signatureOf(permission, secret)
  if (given.length !== right.length || !timingSafeEqual(given, right)) return null
  return permission.expires * 1000 > now ? permission : 'expired'
}

/** JSON keeps the parts apart, whatever is in them. */
const signatureOf = ({ key, name, expires }: FilePermission, secret: Uint8Array): Buffer =>
  createHmac('sha256', secret)
    .update(JSON.stringify([key, name, expires]))
    .digest()
