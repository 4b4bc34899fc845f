import { type Connection, openDatabase } from '../../../platform/database/database.ts'
import { hashPassword, passwordProblem } from '../../toolkit/password.ts'
import { type Problem, problem } from '../../toolkit/validation.ts'
import { sessionRepository } from '../session/repository.ts'
import type { Tables } from '../tables.ts'
import { userRepository } from './repository.ts'
import { type SignUp, signUp } from './sign-up.ts'
import type { User } from './user.ts'

type AccountResult = { readonly user: User } | { readonly problems: readonly Problem[] }

/** What an operator does to accounts, without being one of the users. */
export type Accounts = {
  /** Makes a user of any role. */
  readonly create: (user: SignUp) => Promise<AccountResult>
  /** All users, first signed up first. */
  readonly list: () => Promise<readonly User[]>
  /** Whether there is a user with this row id. */
  readonly exists: (id: string) => Promise<boolean>
  /** Whether the user with this row id is the only administrator, whom `erase` refuses. */
  readonly isLastAdministrator: (id: string) => Promise<boolean>
  /** Deletes a user with all content; null when there is none with this row id. */
  readonly erase: (id: string) => Promise<User | 'last administrator' | null>
  /** Sets a password and ends every session of the user. */
  readonly setPassword: (email: string, password: string) => Promise<AccountResult>
}

/** Users that are read at once. */
const BATCH_USERS = 1_000

/** Runs `work` on the accounts of a database that is migrated. */
export async function withAccounts<Result>(
  connection: Connection,
  work: (accounts: Accounts) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase<Tables>(connection, { schema: 'social', max: 1, onError: () => {} })
  const users = userRepository(database.query)
  try {
    return await work({
      create: (user) => signUp(user, { users, mayGiveRoles: true }),
      async list() {
        const all: User[] = []
        for (let more = true; more; ) {
          const batch = await users.list({ limit: BATCH_USERS, offset: all.length })
          all.push(...batch)
          more = batch.length === BATCH_USERS
        }
        return all
      },
      exists: async (id) => (await users.findByIds([id])).length > 0,
      async erase(id) {
        const [user] = await users.findByIds([id])
        const deleted = user && (await users.delete(id))
        return deleted === 'last administrator' ? deleted : deleted ? user : null
      },
      isLastAdministrator: users.isLastAdministrator,
      async setPassword(email, password) {
        const wrong = passwordProblem('password', password)
        if (wrong) return { problems: [wrong] }
        const user = await users.findByEmail(email)
        if (!user) return { problems: [problem('email', 'the address of a user', email)] }
        const sessions = sessionRepository(database.query)
        await sessions.setPassword(user.id, await hashPassword(password), { sessionId: null, at: new Date(), checked: null })
        return { user }
      },
    })
  } finally {
    await database.close()
  }
}
