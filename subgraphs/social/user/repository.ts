import { type Kysely, sql, type Transaction } from 'kysely'
import { againAfterDeadlock } from '../../runtime/deadlock.ts'
import type { KeysetRange } from '../../runtime/keyset.ts'
import { append } from '../../runtime/outbox.ts'
import { prepared } from '../../runtime/prepared.ts'
import { leaveEveryRoom } from '../room/repository.ts'
import type { Tables } from '../tables.ts'
import { addressHash, emailKey, nameKey, SIGN_UPS, type User } from './user.ts'

const COLUMNS = ['id', 'email', 'name', 'role', 'phone_number as phoneNumber', 'created_at as createdAt'] as const

/** What is written of a user. */
export type NewUser = Pick<User, 'email' | 'name' | 'role' | 'phoneNumber'> & { readonly passwordHash: string | null }

/** What a search matches: names, and addresses as well for those who may. */
export type UserSearch = { readonly text: string; readonly inAddresses: boolean }

/** Users in the database. */
export const userRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (ids: readonly string[]): Promise<User[]> => BY_IDS(database, ids),

  /** The user of an address, without regard to case; null when there is none. */
  findByEmail: async (email: string): Promise<User | null> => {
    const row = await database.selectFrom('user').select(COLUMNS).where('email_key', '=', emailKey(email)).executeTakeFirst()
    return row ?? null
  },

  /** First signed up first. */
  list: ({ limit, offset }: { readonly limit: number; readonly offset: number }): Promise<User[]> =>
    database.selectFrom('user').select(COLUMNS).orderBy('id').limit(limit).offset(offset).execute(),

  /** Users that match, by name, then id, one more than asked for. */
  search(search: UserSearch, { size, after }: KeysetRange): Promise<User[]> {
    let query = database.selectFrom('user').select(COLUMNS).where(matches(search))
    if (after) query = query.where(sql<boolean>`(name_key COLLATE "C", id) > (${after[0]} COLLATE "C", ${after[1]}::bigint)`)
    return query
      .orderBy(sql`name_key COLLATE "C"`)
      .orderBy('id')
      .limit(size + 1)
      .execute()
  },

  count: (search: UserSearch): Promise<number> =>
    database
      .selectFrom('user')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where(matches(search))
      .executeTakeFirstOrThrow()
      .then(({ count }) => Number(count)),

  /** Signs a user up, and tells who listens; null when the address is taken. */
  create: (user: NewUser): Promise<User | null> =>
    unlessTaken(() =>
      database.transaction().execute(async (transaction) => {
        const { email, name, role, phoneNumber, passwordHash } = user
        const created = await transaction
          .insertInto('user')
          .values({
            email,
            email_key: emailKey(email),
            name,
            name_key: nameKey(name),
            role,
            phone_number: phoneNumber,
            password_hash: passwordHash,
          })
          .returning(COLUMNS)
          .executeTakeFirstOrThrow()
        await append(transaction, SIGN_UPS, { id: created.id })
        return created
      }),
    ),

  /** Changes what is given; null when the new address is taken, undefined when there is no such user. */
  update: (
    id: string,
    { email, name, role, phoneNumber }: Partial<Pick<User, 'email' | 'name' | 'role' | 'phoneNumber'>>,
  ): Promise<User | null | undefined> => {
    const changes = {
      ...(email !== undefined && { email, email_key: emailKey(email) }),
      ...(name !== undefined && { name, name_key: nameKey(name) }),
      ...(role !== undefined && { role }),
      ...(phoneNumber !== undefined && { phone_number: phoneNumber }),
    }
    if (Object.keys(changes).length === 0) {
      return database.selectFrom('user').select(COLUMNS).where('id', '=', id).executeTakeFirst()
    }
    return unlessTaken(() => database.updateTable('user').set(changes).where('id', '=', id).returning(COLUMNS).executeTakeFirst())
  },

  /** Deletes a user with everything written; false when there is none. */
  delete: (id: string): Promise<boolean> =>
    againAfterDeadlock(() =>
      database.transaction().execute(async (transaction) => {
        // Rooms before the user, as everybody locks them who writes into one or adds to it.
        await leaveEveryRoom(transaction, id)
        const user = await transaction.selectFrom('user').select('email_key').where('id', '=', id).forUpdate().executeTakeFirst()
        if (!user) return false
        // Those that were opened until then: from now on none can be.
        await leaveEveryRoom(transaction, id)
        await lockComments(transaction, id)
        await transaction.deleteFrom('user').where('id', '=', id).execute()
        await transaction.deleteFrom('login_attempt').where('email_hash', '=', addressHash(user.email_key)).execute()
        return true
      }),
    ),
})

/** In the order of ids, so that two who commented on each other's posts do not wait for each other. */
const lockComments = (transaction: Transaction<Tables>, userId: string) =>
  sql`
    SELECT FROM comment WHERE author_id = ${userId} OR post_id IN (SELECT id FROM post WHERE author_id = ${userId})
    ORDER BY id FOR UPDATE`.execute(transaction)

const BY_IDS = prepared((database: Kysely<Tables>, ids: readonly string[]) =>
  database.selectFrom('user').select(COLUMNS).where('id', '=', sql<string>`any(${ids}::bigint[])`).compile(),
)

export type UserRepository = ReturnType<typeof userRepository>

/** `LIKE` over a trigram index; a text of one or two characters reads the table. */
function matches({ text, inAddresses }: UserSearch) {
  const pattern = (key: string) => `%${key.replaceAll(/[\\%_]/g, '\\$&')}%`
  const inName = sql<boolean>`name_key LIKE ${pattern(nameKey(text))}`
  return inAddresses ? sql<boolean>`(${inName} OR email_key LIKE ${pattern(emailKey(text))})` : inName
}

/** Null when an address is taken: two may sign up with one at the same time, and only the database sees both. */
async function unlessTaken<Result>(write: () => Promise<Result>): Promise<Result | null> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof Error && 'constraint' in error && error.constraint === 'user_email_key_key') return null
    throw error
  }
}
