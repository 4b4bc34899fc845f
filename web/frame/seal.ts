import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const [IV_BYTES, TAG_BYTES, KEY_BYTES] = [12, 16, 32]

/** Keeps values with a visitor who can neither read nor change them. */
export type Seal = {
  /**
   * `value` as JSON, encrypted, good until then (milliseconds since 1970) and for this purpose
   * only.
   */
  readonly close: (purpose: string, value: object | string, until: number) => string
  /**
   * The value; null for a text that was not closed by this seal for this purpose, and for one that
   * has ended.
   */
  readonly open: (purpose: string, text: string, now: number) => unknown
}

const keyOf = (secret: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', 'atrium seal', KEY_BYTES))

/**
 * A seal with a key made from a secret; without one, with a random key: what it closed is lost when
 * the process ends. What was closed with the `previous` secret is opened as well; null for none.
 */
export function sealOf(secret: string | null, previous: string | null = null): Seal {
  const key = secret === null ? randomBytes(KEY_BYTES) : keyOf(secret)
  const keys = previous === null ? [key] : [key, keyOf(previous)]

  return {
    close(purpose, value, until) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(purpose))
      const sealed = Buffer.concat([cipher.update(JSON.stringify({ value, until })), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
    },
    open(purpose, text, now) {
      const bytes = Buffer.from(text, 'base64url')
      if (bytes.length <= IV_BYTES + TAG_BYTES) return null
      for (const each of keys) {
        const opened = openedWith(each, purpose, bytes)
        if (opened !== null) return opened.until > now ? opened.value : null
      }
      return null
    },
  }
}

/** What is sealed; null when this key did not close it for this purpose, or when it was changed. */
function openedWith(key: Buffer, purpose: string, bytes: Buffer): { readonly value: unknown; readonly until: number } | null {
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(purpose))
    .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  try {
    const opened = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()])
    return JSON.parse(opened.toString())
  } catch {
    return null
  }
}
