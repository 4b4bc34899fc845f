import { createCipheriv, createDecipheriv, createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
/**
 * The length that NIST SP 800-38D §8.2.2 recommends for random nonces: one key may encrypt 2^32
 * values.
 */
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** The length of a key of AES-256. */
export const SECRETS_KEY_BYTES = 32

/**
 * Marks a plain value that would otherwise pass for an encrypted one. Secrets of users hold no
 * space, so none of them begins so.
 */
const PLAIN_MARK = 'plain '

/** `v1:<key id>:<nonce>:<ciphertext and tag>`, the last two in base64url. */
const ENCRYPTED = /^v1:([0-9a-f]{8}):([\w-]{16}):([\w-]{22,})$/

/**
 * Location of a stored secret: `schema.table.column` and the primary key of the row. A ciphertext
 * is bound to it (additional authenticated data).
 */
export type SecretLocation = { readonly column: string; readonly row: readonly (string | number)[] }

/** Encrypts secrets before they are stored, and decrypts them. */
export type SecretCipher = {
  /** Ids of the keys, the one that encrypts first; empty: secrets are stored as they are. */
  readonly keyIds: readonly string[]
  /** The stored form of `text` at this location. */
  readonly encrypt: (location: SecretLocation, text: string) => string
  /**
   * The decrypted text, also of a plain stored one. Throws for an unknown key, or a changed or
   * moved value.
   */
  readonly decrypt: (location: SecretLocation, stored: string) => string
}

/** The id of the key that a stored secret is encrypted under; null: it is plain. */
export const keyIdIn = (stored: string): string | null => ENCRYPTED.exec(stored)?.[1] ?? null

/** Key id: the first bytes of a hash, in hexadecimal. Reveals nothing of 256 random bits. */
export const keyIdOf = (key: Uint8Array): string =>
  createHash('sha256').update('atrium secrets key ').update(key).digest('hex').slice(0, 8)

/**
 * AES-256-GCM. The first key encrypts, each decrypts; without keys everything is stored as it is,
 * which is for development.
 */
export function secretCipher(keys: readonly Uint8Array[]): SecretCipher {
  const byId = new Map<string, KeyObject>(keys.map((key) => [keyIdOf(key), createSecretKey(key)]))
  const keyIds = [...byId.keys()]
  const [current] = byId

  return {
    keyIds,
    encrypt(location, text) {
      if (!current) return keyIdIn(text) !== null || text.startsWith(PLAIN_MARK) ? `${PLAIN_MARK}${text}` : text
      const [id, key] = current
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(additionalData(location))
      const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `v1:${id}:${nonce.toString('base64url')}:${bytes.toString('base64url')}`
    },
    decrypt(location, stored) {
      const found = ENCRYPTED.exec(stored)
      if (!found) return stored.startsWith(PLAIN_MARK) ? stored.slice(PLAIN_MARK.length) : stored
      const [, id = '', nonce = '', text = ''] = found
      const key = byId.get(id)
      if (!key)
        throw new Error(`Expected SECRETS_KEY to include the key ${id}, under which ${describeLocation(location)} is encrypted.`)
      const bytes = Buffer.from(text, 'base64url')
      const decipher = createDecipheriv(CIPHER, key, Buffer.from(nonce, 'base64url'), { authTagLength: TAG_BYTES })
        .setAAD(additionalData(location))
        .setAuthTag(bytes.subarray(-TAG_BYTES))
      try {
        return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8')
      } catch (cause) {
        throw new Error(
          `Expected ${describeLocation(location)} to be as it was encrypted: it was changed, or belongs to another row.`,
          {
            cause,
          },
        )
      }
    },
  }
}

/** Stores secrets as they are: for development, and for tests that are about something else. */
export const PLAIN_SECRETS: SecretCipher = secretCipher([])

const describeLocation = ({ column, row }: SecretLocation): string => `${column} of row ${row.join(', ')}`

/**
 * JSON separates the parts unambiguously. Numbers become texts, because PostgreSQL returns large
 * ones as text.
 */
const additionalData = ({ column, row }: SecretLocation): Buffer => Buffer.from(JSON.stringify([column, ...row.map(String)]))
