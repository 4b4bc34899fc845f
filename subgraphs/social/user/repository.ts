import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { User } from './user.ts'

const COLUMNS = ['id', 'email', 'name', 'role', 'phone_number as phoneNumber', 'created_at as createdAt'] as const

/** Users in the database. */
export const userRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (ids: readonly string[]): Promise<User[]> =>
    database.selectFrom('user').select(COLUMNS).where('id', 'in', ids).execute(),
})

export type UserRepository = ReturnType<typeof userRepository>
