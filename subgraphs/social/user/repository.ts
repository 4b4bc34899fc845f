import { type Kysely, sql, type Transaction } from 'kysely'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import { retryAfterDeadlock } from '../../../platform/database/transaction-retry.ts'
import { append } from '../../../platform/events/outbox.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import { leaveEveryRoom } from '../room/repository.ts'
import type { Tables } from '../tables.ts'
import { addressHash, emailKey, nameKey, SIGN_UPS, type User } from './user.ts'

const COLUMNS = ['id', 'email', 'name', 'role', 'phone_number as phoneNumber', 'created_at as createdAt'] as const

/** Fields to write of a user. */
export type NewUser = Pick<User, 'email' | 'name' | 'role' | 'phoneNumber'> & { readonly passwordHash: string | null }

/** Search of users: by name, and by e-mail address for permitted callers. */
export type UserSearch = { readonly text: string; readonly inAddresses: boolean }

/** Users in the database. */
export const userRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (ids: readonly string[]): Promise<User[]> => SELECT_BY_IDS(database, ids),

  /** The user with this e-mail address, ignoring case; null when there is none. */
  findByEmail: async (email: string): Promise<User | null> => {
    const row = await database.selectFrom('user').select(COLUMNS).where('email_key', '=', emailKey(email)).executeTakeFirst()
    return row ?? null
  },

  /** First signed up first. */
  list: ({ limit, offset }: { readonly limit: number; readonly offset: number }): Promise<User[]> =>
    database.selectFrom('user').select(COLUMNS).orderBy('id').limit(limit).offset(offset).execute(),

  /** Users that match, by name, then id, one more than requested. */
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

  /** Creates a user, and notifies subscribers; null when the address is in use. */
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

  /** Changes the given fields; undefined when there is no such user. */
  async update(
    id: string,
    { email, name, role, phoneNumber }: Partial<Pick<User, 'email' | 'name' | 'role' | 'phoneNumber'>>,
  ): Promise<User | 'taken' | 'last administrator' | undefined> {
    const changes = {
      ...(email !== undefined && { email, email_key: emailKey(email) }),
      ...(name !== undefined && { name, name_key: nameKey(name) }),
      ...(role !== undefined && { role }),
      ...(phoneNumber !== undefined && { phone_number: phoneNumber }),
    }
    if (Object.keys(changes).length === 0) {
      return database.selectFrom('user').select(COLUMNS).where('id', '=', id).executeTakeFirst()
    }
    const change = (query: Kysely<Tables>) =>
      query.updateTable('user').set(changes).where('id', '=', id).returning(COLUMNS).executeTakeFirst()
    const updated = await unlessTaken(() =>
      role === undefined || role === 'ADMIN'
        ? change(database)
        : retryAfterDeadlock(() =>
            database.transaction().execute(async (transaction) => {
              await lockAdministrators(transaction)
              const user = await lockUser(transaction, id)
              return user && (await isLastAdministrator(transaction, user)) ? 'last administrator' : change(transaction)
            }),
          ),
    )
    return updated === null ? 'taken' : updated
  },

  /** Whether a user with this row id is the only administrator, at this moment. */
  isLastAdministrator: async (id: string): Promise<boolean> => {
    const [user] = await SELECT_BY_IDS(database, [id])
    return user !== undefined && isLastAdministrator(database, user)
  },

  /** Deletes a user with all content; false when there is none. The last administrator stays. */
  delete: (id: string): Promise<boolean | 'last administrator'> =>
    unlessLast(() =>
      retryAfterDeadlock(() =>
        database.transaction().execute(async (transaction) => {
          const [before] = await SELECT_BY_IDS(transaction, [id])
          // Before rooms and rows: a transaction that waits for this lock holds no others.
          if (before?.role === 'ADMIN') await lockAdministrators(transaction)
          // Rooms before the user, in the same order as writers lock them.
          await leaveEveryRoom(transaction, id)
          // Before the user, in the same order as writers lock them.
          await transaction.deleteFrom('write_quota').where('author_id', '=', id).execute()
          const user = await lockUser(transaction, id)
          if (!user) return false
          // Made an administrator meanwhile.
          if (user.role === 'ADMIN' && before?.role !== 'ADMIN') await lockAdministrators(transaction)
          if (await isLastAdministrator(transaction, user)) throw LAST_ADMINISTRATOR
          // Those that were opened until then: from now on none can be.
          await leaveEveryRoom(transaction, id)
          await lockComments(transaction, id)
          await transaction.deleteFrom('user').where('id', '=', id).execute()
          const emailHash = addressHash(emailKey(user.email))
          await transaction.deleteFrom('login_attempt').where('email_hash', '=', emailHash).execute()
          await transaction.deleteFrom('login_attempt_from').where('email_hash', '=', emailHash).execute()
          return true
        }),
      ),
    ),
})

const lockUser = (transaction: Transaction<Tables>, id: string) =>
  transaction.selectFrom('user').select(COLUMNS).where('id', '=', id).forUpdate().executeTakeFirst()

/** Serializes deletions of administrators, so that the last one stays. */
const lockAdministrators = (transaction: Transaction<Tables>) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended('social.administrators', 0))`.execute(transaction)

async function isLastAdministrator(query: Kysely<Tables>, { id, role }: User): Promise<boolean> {
  if (role !== 'ADMIN') return false
  const others = query.selectFrom('user').select('id').where('role', '=', sql.lit('ADMIN')).where('id', '<>', id).limit(1)
  return (await others.executeTakeFirst()) === undefined
}

/** Ends a transaction that would have deleted the last administrator. */
const LAST_ADMINISTRATOR = new Error('Expected another administrator to stay.')

async function unlessLast(remove: () => Promise<boolean>): Promise<boolean | 'last administrator'> {
  try {
    return await remove()
  } catch (error) {
    if (error === LAST_ADMINISTRATOR) return 'last administrator'
    throw error
  }
}

/** In the order of ids, to avoid deadlocks between users with comments on each other's posts. */
const lockComments = (transaction: Transaction<Tables>, userId: string) =>
  sql`
    SELECT FROM comment WHERE author_id = ${userId} OR post_id IN (SELECT id FROM post WHERE author_id = ${userId})
    ORDER BY id FOR UPDATE`.execute(transaction)

const SELECT_BY_IDS = prepared((database: Kysely<Tables>, ids: readonly string[]) =>
  database.selectFrom('user').select(COLUMNS).where('id', '=', sql<string>`any(${ids}::bigint[])`).compile(),
)

export type UserRepository = ReturnType<typeof userRepository>

/** `LIKE` over a trigram index; a text of one or two characters reads the table. */
function matches({ text, inAddresses }: UserSearch) {
  const pattern = (key: string) => `%${key.replaceAll(/[\\%_]/g, '\\$&')}%`
  const inName = sql<boolean>`name_key LIKE ${pattern(nameKey(text))}`
  return inAddresses ? sql<boolean>`(${inName} OR email_key LIKE ${pattern(emailKey(text))})` : inName
}

/** Null when the address is in use: of concurrent sign-ups only the database sees both. */
async function unlessTaken<Result>(write: () => Promise<Result>): Promise<Result | null> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof Error && 'constraint' in error && error.constraint === 'user_email_key_key') return null
    throw error
  }
}
