/** What a user may do beside what everybody may. */
export type Role = 'USER' | 'ADMIN' | 'MODERATOR'

/** A user as everything but signing in knows one. */
export type User = {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly phoneNumber: string | null
  readonly createdAt: Date
}
