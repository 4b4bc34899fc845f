import { hash, randomBytes } from 'node:crypto'

/** What a caller presents. The text exists only at the moment of its making. */
export type Secret = { readonly text: string; readonly hash: Buffer; readonly hint: string }

/**
 * `sk_` and 256 random bits: nothing that could be guessed, so one round of SHA-256 without salt
 * keeps it.
 */
export function newSecret(): Secret {
  const text = `sk_${randomBytes(32).toString('base64url')}`
  return { text, hash: secretHash(text), hint: text.slice(0, 9) }
}

export const secretHash = (text: string): Buffer => hash('sha256', text, 'buffer')
