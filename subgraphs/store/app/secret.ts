import { randomBytes } from 'node:crypto'
import { hashOf } from '../access/access.ts'

/**
 * A secret of an app: its text exists only at the moment of its making. 256 random bits, so a fast
 * hash keeps it.
 */
export function newAppSecret(): { readonly text: string; readonly hash: Buffer } {
  const text = randomBytes(32).toString('base64url')
  return { text, hash: hashOf(text) }
}

/** A `client_id`: 128 random bits, not secret, never given twice. */
export const newAppCode = (): string => randomBytes(16).toString('hex')
