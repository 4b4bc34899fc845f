import { createHash } from 'node:crypto'

/** Role of a user. */
export type Role = (typeof ROLES)[number]
export const ROLES = ['USER', 'ADMIN', 'MODERATOR'] as const

/** A user, without the data of sign-in. */
export type User = {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly phoneNumber: string | null
  readonly createdAt: Date
}

/** What addresses are compared by. */
export const emailKey = (email: string): string => email.toLowerCase()

/** Key of failed sign-ins, for addresses with and without a user. */
export const addressHash = (key: string): Buffer => createHash('sha256').update(key).digest()

/**
 * What names are searched and ordered by. Two letters are not the lower case of their upper case:
 * ς, which ends a word, and ß, whose upper case is SS.
 */
export const nameKey = (name: string): string => name.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').replaceAll('ß', 'ss')

/** The topic of sign-ups in the outbox. Payload: `id`, the row id of the user. */
export const SIGN_UPS = 'user'
