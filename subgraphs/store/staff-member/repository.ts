import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { MAX_STAFF, type MemberRole, type StaffMember, type StaffMembership } from './staff-member.ts'

const COLUMNS = [
  'id',
  'user_id as userId',
  'email',
  'low_stock_email as lowStockEmail',
  'role',
  'invited_at as invitedAt',
  'expires_at as expiresAt',
  'accepted_at as acceptedAt',
  'version',
] as const

/** Key of an advisory lock: used for nothing else, the same in every process. */
const STAFF_LOCK = 0x73746166
/** What `User.staffMemberships` promises to hold. */
const MAX_MEMBERSHIPS = 250

export type StaffMemberRepository = ReturnType<typeof staffMemberRepository>

/** Staff of stores in the database. `database` is the primary: who was removed has no access any more. */
export const staffMemberRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (storeId: number, ids: readonly number[]): Promise<StaffMember[]> =>
    database.selectFrom('staff_member').select(COLUMNS).where('store_id', '=', storeId).where('id', 'in', ids).execute(),

  /** Members and invitations, oldest first. */
  ofStore: (storeId: number): Promise<StaffMember[]> =>
    database.selectFrom('staff_member').select(COLUMNS).where('store_id', '=', storeId).orderBy('id').limit(MAX_STAFF).execute(),

  /** Stores that a user works in, oldest membership first. */
  ofUser: (userId: string): Promise<StaffMembership[]> =>
    database
      .selectFrom('staff_member')
      .select(['store_id as storeId', 'role'])
      .where('user_id', '=', userId)
      .orderBy('id')
      .limit(MAX_MEMBERSHIPS)
      .execute()
      .then((rows) => rows.map((row) => ({ ...row, userId }))),

  /** Locks the staff of a store against new members until the transaction ends. */
  async lockStaff(storeId: number): Promise<void> {
    await sql`SELECT pg_advisory_xact_lock(${STAFF_LOCK}, ${storeId})`.execute(database)
  },

  /** Members and open invitations; expired ones are deleted. */
  async count(storeId: number, at: Date): Promise<number> {
    await database.deleteFrom('staff_member').where('store_id', '=', storeId).where('expires_at', '<=', at).execute()
    const { count } = await database
      .selectFrom('staff_member')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  /** Locks a row until the transaction ends; null when there is none. */
  lock: async (storeId: number, id: number): Promise<StaffMember | null> =>
    (await database
      .selectFrom('staff_member')
      .select(COLUMNS)
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()) ?? null,

  /** The open invitation with this hash of a secret, locked in a transaction; null: none. */
  async bySecret(
    secretHash: Buffer,
    at: Date,
    { isLocked = false } = {},
  ): Promise<(StaffMember & { readonly storeId: number }) | null> {
    const found = database
      .selectFrom('staff_member')
      .select([...COLUMNS, 'store_id as storeId'])
      .where('secret_hash', '=', secretHash)
      .where('expires_at', '>', at)
    return (await (isLocked ? found.forUpdate() : found).executeTakeFirst()) ?? null
  },

  /** Whether a user is on the staff of a store. */
  async isMember(storeId: number, userId: string): Promise<boolean> {
    const found = await database
      .selectFrom('staff_member')
      .select('id')
      .where('store_id', '=', storeId)
      .where('user_id', '=', userId)
      .executeTakeFirst()
    return found !== undefined
  },

  async insert(
    storeId: number,
    invitation: {
      readonly email: string
      readonly role: MemberRole
      /** Null: the secret is made with the e-mail. */
      readonly secretHash: Buffer | null
      readonly at: Date
      readonly expiresAt: Date
    },
  ): Promise<number> {
    const { id } = await database
      .insertInto('staff_member')
      .values({
        store_id: storeId,
        email: invitation.email,
        role: invitation.role,
        secret_hash: invitation.secretHash,
        invited_at: invitation.at,
        expires_at: invitation.expiresAt,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  /** Gives an open invitation another secret; false when it is not open. */
  async setSecret(storeId: number, id: number, secretHash: Buffer): Promise<boolean> {
    const { numUpdatedRows } = await database
      .updateTable('staff_member')
      .set({ secret_hash: secretHash })
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .where('user_id', 'is', null)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  },

  /** The invitation belongs to a user from now on; its address and secret are gone. */
  async accept(storeId: number, id: number, userId: string, at: Date): Promise<void> {
    await database
      .updateTable('staff_member')
      .set((set) => ({
        user_id: userId,
        email: null,
        secret_hash: null,
        expires_at: null,
        accepted_at: at,
        version: set('version', '+', 1),
      }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /** Changes the role of a member, and the address for e-mails about low stock. */
  async update(storeId: number, id: number, { role, lowStockEmail }: Pick<StaffMember, 'role' | 'lowStockEmail'>): Promise<void> {
    await database
      .updateTable('staff_member')
      .set((set) => ({ role, low_stock_email: lowStockEmail, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /** Deletes invitations of every store that expired by `at`. */
  async deleteExpired(at: Date): Promise<void> {
    await database.deleteFrom('staff_member').where('expires_at', '<=', at).execute()
  },

  /**
   * Removes a user from the staff of every store, withdraws invitations of the address, and takes it
   * out of other members, whose e-mails about low stock it gets; null: of none.
   */
  async forget(userId: string, email: string | null): Promise<void> {
    await database
      .updateTable('staff_member')
      .set((set) => ({ low_stock_email: null, version: set('version', '+', 1) }))
      .where(({ eb, fn }) => eb(fn('lower', ['low_stock_email']), '=', email?.toLowerCase() ?? null))
      .execute()
    await database
      .deleteFrom('staff_member')
      .where(({ eb, or, fn }) => or([eb('user_id', '=', userId), eb(fn('lower', ['email']), '=', email?.toLowerCase() ?? null)]))
      .execute()
  },

  async delete(storeId: number, id: number): Promise<void> {
    await database.deleteFrom('staff_member').where('store_id', '=', storeId).where('id', '=', id).execute()
  },
})
