import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { CREDENTIAL_HEADERS } from '../../platform/http/caller.ts'

/** Header with a gateway's signature: version, Unix time in ms, hash of the body, HMAC. */
const SIGNATURE = 'x-atrium-signature'

/** Headers that a subgraph trusts, so the signature covers them. */
export const SIGNED_HEADERS = [
  'accept',
  'traceparent',
  'x-connected-at',
  'x-forwarded-for',
  'x-request-id',
  ...CREDENTIAL_HEADERS,
] as const

/**
 * Maximum age: tolerates clock differences, and limits the time in which a recorded request can be
 * replayed.
 */
const MAX_SIGNATURE_AGE_MS = 30_000

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Signed parts of a request's head. */
type Head = { readonly method: string; readonly path: string; readonly headers: Headers }

/** Creates the signature header of a request. */
export type Sign = (head: Head, body: string | Uint8Array) => Readonly<Record<string, string>>

/**
 * A key for what a label says, by the secret of the installation: for connections, which have keys of
 * their own.
 */
export type SessionKey = (label: string) => Buffer

/**
 * Result of verifying a request's head. `hasBody`: whether these bytes are the signed body.
 * `sessionKey`: keys by the secret that the request was signed with.
 */
export type SignatureVerdict =
  | { readonly kind: 'signed'; readonly hasBody: (body: Uint8Array) => boolean; readonly sessionKey: SessionKey }
  | { readonly kind: 'refused'; readonly reason: string }

/** Signs with the first secret. */
export function createSigner([secret = '']: readonly string[], now: () => number): Sign {
  return (head, body) => {
    const time = String(now())
    const hash = hashOf(body)
    return { [SIGNATURE]: `1 ${time} ${hash} ${macOf(secret, head, time, hash).toString('base64url')}` }
  }
}

/** Keys by the first secret. Labels are no JSON, so a key is never the signature of a request. */
export const createSessionKey =
  ([secret = '']: readonly string[]): SessionKey =>
  (label) =>
    createHmac('sha256', secret).update(label).digest()

/**
 * Verifies requests by their head, before the body is read: signed with any of the secrets within
 * the last 30 s. A signature covers method, path, trusted headers and the body's hash.
 */
export function createSignatureVerifier(secrets: readonly string[], now: () => number): (head: Head) => SignatureVerdict {
  return (head) => {
    const header = head.headers[SIGNATURE]
    const [version, time = '', hash = '', mac = ''] = typeof header === 'string' ? header.split(' ') : []
    if (version !== '1') return refused('Expected a request that a gateway has signed.')
    if (!/^\d{1,16}$/.test(time) || Math.abs(now() - Number(time)) > MAX_SIGNATURE_AGE_MS)
      return refused('Expected a signature of the last 30 seconds: are the clocks of both machines right?')
    const bytes = Buffer.from(mac, 'base64url')
    const signing = secrets.find((secret) => {
      const expected = macOf(secret, head, time, hash)
      return bytes.length === expected.length && timingSafeEqual(bytes, expected)
    })
    if (signing === undefined) return refused('Expected a signature by the secret of this installation.')
    return { kind: 'signed', hasBody: (body) => hashOf(body) === hash, sessionKey: createSessionKey([signing]) }
  }
}

const refused = (reason: string): SignatureVerdict => ({ kind: 'refused', reason })

const hashOf = (body: string | Uint8Array): string => createHash('sha256').update(body).digest('base64url')

/** JSON keeps the signed values unambiguous. */
function macOf(secret: string, { method, path, headers }: Head, time: string, hash: string): Buffer {
  const signedHeaders = SIGNED_HEADERS.map((name) => headers[name] ?? null)
  return createHmac('sha256', secret)
    .update(JSON.stringify([time, method, path, hash, signedHeaders]))
    .digest()
}
