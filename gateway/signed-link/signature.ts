import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { CREDENTIAL_HEADERS } from '../../platform/http/caller.ts'

/** The header that says that a gateway of ours wrote a request: version, milliseconds since 1970, hash of the body, signature. */
const SIGNATURE = 'x-atrium-signature'

/** Headers that a subgraph believes, besides credentials: who asks, from where, since when, for which trace. */
const BELIEVED = ['accept', 'traceparent', 'x-connected-at', 'x-forwarded-for', 'x-request-id', ...CREDENTIAL_HEADERS] as const

/** How far the clocks of gateway and subgraph may be apart, and how long a request that somebody recorded could be sent again. Milliseconds. */
const FRESH_MILLISECONDS = 30_000

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** What is signed of a request. */
type Head = { readonly method: string; readonly path: string; readonly headers: Headers }

/** The headers that sign a request of a gateway. */
export type Sign = (head: Head, body: string | Uint8Array) => Readonly<Record<string, string>>

/** What came of looking at the head of a request. `hasBody` says whether these bytes are the body that was signed. */
export type SignatureVerdict =
  | { readonly kind: 'signed'; readonly hasBody: (body: Uint8Array) => boolean }
  | { readonly kind: 'refused'; readonly reason: string }

/** Signs with the first of the secrets. */
export function createSigner([secret = '']: readonly string[], now: () => number): Sign {
  return (head, body) => {
    const time = String(now())
    const hash = hashOf(body)
    return { [SIGNATURE]: `1 ${time} ${hash} ${macOf(secret, head, time, hash).toString('base64url')}` }
  }
}

/**
 * Judges requests by their heads, before anything of a body is read: signed with one of the secrets, at most half a minute ago. A signature covers method,
 * path, every header that is believed, and the hash of the body.
 */
export function createSignatureVerifier(secrets: readonly string[], now: () => number): (head: Head) => SignatureVerdict {
  return (head) => {
    const given = head.headers[SIGNATURE]
    const [version, time = '', hash = '', mac = ''] = typeof given === 'string' ? given.split(' ') : []
    if (version !== '1') return refused('Expected a request that a gateway has signed.')
    if (!/^\d{1,16}$/.test(time) || Math.abs(now() - Number(time)) > FRESH_MILLISECONDS)
      return refused('Expected a signature of the last 30 seconds: are the clocks of both machines right?')
    const bytes = Buffer.from(mac, 'base64url')
    const isSigned = secrets.some((secret) => {
      const expected = macOf(secret, head, time, hash)
      return bytes.length === expected.length && timingSafeEqual(bytes, expected)
    })
    if (!isSigned) return refused('Expected a signature by the secret of this installation.')
    return { kind: 'signed', hasBody: (body) => hashOf(body) === hash }
  }
}

const refused = (reason: string): SignatureVerdict => ({ kind: 'refused', reason })

const hashOf = (body: string | Uint8Array): string => createHash('sha256').update(body).digest('base64url')

/** As JSON, where no value can pass for two. */
function macOf(secret: string, { method, path, headers }: Head, time: string, hash: string): Buffer {
  const believed = BELIEVED.map((name) => headers[name] ?? null)
  return createHmac('sha256', secret)
    .update(JSON.stringify([time, method, path, hash, believed]))
    .digest()
}
