import { hash } from 'node:crypto'
import { type Coding, compressed, WORTHWHILE_BYTES } from '../../platform/http/compression.ts'

/** The bytes of an answer, which are written once, hashed once and compressed once per coding, however often they are sent. */
export type ResponseBytes = {
  /** The bytes in this coding, or plain where none is wanted or worth it; `coding` says which. */
  readonly encoded: (wanted: Coding | null) => Promise<{ readonly bytes: Buffer; readonly coding: Coding | null }>
  /** SHA-256 of the plain bytes, in base64url. */
  readonly hash: () => string
  /** Bytes that are held, in all codings. */
  readonly size: () => number
  /** `grew` hears, from now on, of bytes that are held in addition. */
  readonly onGrowth: (grew: (bytes: number) => void) => void
}

export function createResponseBytes(text: string): ResponseBytes {
  const plain = Buffer.from(text)
  const codings = new Map<Coding, Buffer>()
  let size = plain.length
  let hashed: string | null = null
  let tell = (_: number): void => {}
  return {
    async encoded(wanted) {
      if (!wanted || plain.length < WORTHWHILE_BYTES) return { bytes: plain, coding: null }
      const bytes = codings.get(wanted) ?? (await compressed(plain, wanted))
      if (!codings.has(wanted)) {
        codings.set(wanted, bytes)
        size += bytes.length
        tell(bytes.length)
      }
      return { bytes, coding: wanted }
    },
    hash: () => (hashed ??= hash('sha256', plain, 'base64url')),
    size: () => size,
    onGrowth(grew) {
      tell = grew
    },
  }
}
