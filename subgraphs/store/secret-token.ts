import { createHash, randomBytes } from 'node:crypto'

/** A secret that is stored as its hash: 256 random bits. */
export const newSecretToken = (): string => randomBytes(32).toString('base64url')

/** Stored hash of a token; null for an invalid token. */
export const secretTokenHash = (token: string): Buffer | null =>
  /^[\w-]{43}$/.test(token) ? createHash('sha256').update(token).digest() : null
