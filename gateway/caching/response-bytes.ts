import { hash } from 'node:crypto'
import { type ContentCoding, compress, MIN_COMPRESSED_BYTES } from '../../platform/http/compression.ts'

/** The body of a cached response: serialized and hashed once, compressed once per coding. */
export type ResponseBytes = {
  /** The body in this content coding; uncompressed for null, and when it is too small. */
  readonly encoded: (wanted: ContentCoding | null) => Promise<{ readonly bytes: Buffer; readonly coding: ContentCoding | null }>
  /** SHA-256 of the plain bytes, in base64url. */
  readonly hash: () => string
  /** Memory of the body in all codings. */
  readonly size: () => number
  /** Registers a listener that gets the bytes of each further coding. */
  readonly onGrowth: (listener: (bytes: number) => void) => void
}

/** Bytes are not copied, and must not change. */
export function createResponseBytes(text: string | Buffer): ResponseBytes {
  const plain = typeof text === 'string' ? Buffer.from(text) : text
  const codings = new Map<ContentCoding, Buffer>()
  let size = plain.length
  let digest: string | null = null
  let notify = (_: number): void => {}
  return {
    async encoded(wanted) {
      if (!wanted || plain.length < MIN_COMPRESSED_BYTES) return { bytes: plain, coding: null }
      const bytes = codings.get(wanted) ?? (await compress(plain, wanted))
      if (!codings.has(wanted)) {
        codings.set(wanted, bytes)
        size += bytes.length
        notify(bytes.length)
      }
      return { bytes, coding: wanted }
    },
    hash: () => (digest ??= hash('sha256', plain, 'base64url')),
    size: () => size,
    onGrowth(listener) {
      notify = listener
    },
  }
}
