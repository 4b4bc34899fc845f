import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { anyOf } from '../../../platform/database/any-of.ts'
import { violates } from '../../../platform/database/postgres-error.ts'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { Tables } from '../tables.ts'
import { containing } from '../text-key.ts'
import { type Customer, type CustomerFields, type CustomerStatus, emailKey, searchKey } from './customer.ts'

/** Which customers of a store, as the database understands it; absent means all. */
export type CustomerSelection = {
  readonly email?: string
  readonly status?: readonly CustomerStatus[]
  readonly categoryId?: number
  readonly acceptsMarketing?: boolean
  readonly createdSince?: Date
  readonly createdBefore?: Date
  readonly updatedSince?: Date
  /** Each has to be found. */
  readonly words: readonly string[]
}

/** Stored fields of a customer; `passwordHash` undefined stays unchanged. */
export type StoredCustomer = CustomerFields & {
  readonly acceptedMarketingAt: Date | null
  readonly cancelledMarketingAt: Date | null
  readonly passwordHash: string | null | undefined
}

const COLUMNS = [
  'customer.id',
  'email',
  'phone',
  'phone_prefix as phonePrefix',
  'status',
  'accepts_marketing as acceptsMarketing',
  'accepted_marketing_at as acceptedMarketingAt',
  'cancelled_marketing_at as cancelledMarketingAt',
  'shipping_address as shippingAddress',
  'billing_address as billingAddress',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'version',
] as const

export type CustomerRepository = ReturnType<typeof customerRepository>

/** Customers in the database; every call is about one store. */
export const customerRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (storeId: number, ids: readonly number[]): Promise<Customer[]> => BY_IDS(database, storeId, ids),

  /** The customer with this e-mail address, ignoring case; null when there is none. */
  async findByEmail(storeId: number, email: string): Promise<Customer | null> {
    const [found] = await whole(
      database.selectFrom('customer').where('store_id', '=', storeId).where('email_key', '=', emailKey(email)),
    )
    return found ?? null
  },

  /** Oldest first, one more than requested. */
  list(
    storeId: number,
    which: CustomerSelection,
    { size, after, offset }: KeysetRange,
    isNewestFirst: boolean,
  ): Promise<Customer[]> {
    let query = selected(database, storeId, which)
    if (after) {
      const [createdAt, id] = [new Date(String(after[0])), Number(after[1])]
      query = query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('created_at', 'customer.id'), isNewestFirst ? '<' : '>', tuple(createdAt, id)),
      )
    }
    const direction = isNewestFirst ? 'desc' : 'asc'
    return whole(
      query
        .orderBy('created_at', direction)
        .orderBy('customer.id', direction)
        .limit(size + 1)
        .offset(offset),
    )
  },

  async count(storeId: number, which: CustomerSelection): Promise<number> {
    const { count } = await selected(database, storeId, which)
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  /** The rows until the transaction ends, by id, without those that do not exist. */
  lockAll: (storeId: number, ids: readonly number[]): Promise<Customer[]> =>
    whole(
      database
        .selectFrom('customer')
        .where('store_id', '=', storeId)
        .where('customer.id', 'in', ids)
        .orderBy('customer.id')
        .forUpdate(),
    ),

  /** Locks the row until the transaction ends; null when there is none. */
  async lock(storeId: number, id: number): Promise<Customer | null> {
    const [found] = await this.lockAll(storeId, [id])
    return found ?? null
  },

  /** Ids of the customers with these addresses, without those that do not exist. */
  idsByEmail: (storeId: number, emails: readonly string[]): Promise<{ readonly id: number; readonly emailKey: string }[]> =>
    database
      .selectFrom('customer')
      .select(['id', 'email_key as emailKey'])
      .where('store_id', '=', storeId)
      .where('email_key', 'in', emails.map(emailKey))
      .execute(),

  /**
   * The new row; null when another customer has the address. Waits for a transaction that is about
   * to write the same one.
   */
  async insert(storeId: number, customer: StoredCustomer, at: Date): Promise<number | null> {
    const made = await database
      .insertInto('customer')
      .values({ ...rowOf(customer), store_id: storeId, created_at: at, updated_at: at })
      .onConflict((conflict) => conflict.columns(['store_id', 'email_key']).doNothing())
      .returning('id')
      .executeTakeFirst()
    return made?.id ?? null
  },

  /**
   * False when another customer has the address: the transaction is of no use then, but for going
   * back.
   */
  async update(storeId: number, id: number, customer: StoredCustomer, at: Date): Promise<boolean> {
    try {
      await database
        .updateTable('customer')
        .set((set) => ({ ...rowOf(customer), updated_at: at, version: set('version', '+', 1) }))
        .where('store_id', '=', storeId)
        .where('id', '=', id)
        .execute()
      return true
    } catch (error) {
      if (violates(error, 'customer_store_id_email_key_key')) return false
      throw error
    }
  },

  /** Counts a change of something that belongs to the customers. */
  async touch(storeId: number, ids: readonly number[], at: Date): Promise<void> {
    await database
      .updateTable('customer')
      .set((set) => ({ updated_at: at, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', 'in', ids)
      .execute()
  },

  async delete(storeId: number, id: number): Promise<void> {
    await database.deleteFrom('customer').where('store_id', '=', storeId).where('id', '=', id).execute()
  },
})

type CustomerQuery = SelectQueryBuilder<Tables, 'customer', object>

/** Addresses are stored by us, complete; the hash stays where it is. */
const rowsOf = (query: CustomerQuery) =>
  query.select(COLUMNS).select(sql<boolean>`password_hash IS NOT NULL`.as('hasPassword')).$castTo<Customer>()
const whole = (query: CustomerQuery): Promise<Customer[]> => rowsOf(query).execute()

const BY_IDS = prepared((database: Kysely<Tables>, storeId: number, ids: readonly number[]) =>
  rowsOf(database.selectFrom('customer').where('store_id', '=', storeId).where('customer.id', '=', anyOf(ids))).compile(),
)

const rowOf = (customer: StoredCustomer) => ({
  email: customer.email,
  email_key: emailKey(customer.email),
  phone: customer.phone,
  phone_prefix: customer.phonePrefix,
  status: customer.status,
  accepts_marketing: customer.acceptsMarketing,
  accepted_marketing_at: customer.acceptedMarketingAt,
  cancelled_marketing_at: customer.cancelledMarketingAt,
  shipping_address: customer.shippingAddress && JSON.stringify(customer.shippingAddress),
  billing_address: customer.billingAddress && JSON.stringify(customer.billingAddress),
  search_key: searchKey(customer),
  ...(customer.passwordHash !== undefined && { password_hash: customer.passwordHash }),
})

function selected(database: Kysely<Tables>, storeId: number, which: CustomerSelection): CustomerQuery {
  const { email, status, categoryId, acceptsMarketing, createdSince, createdBefore, updatedSince, words } = which
  let query: CustomerQuery = database.selectFrom('customer').where('customer.store_id', '=', storeId)
  if (email !== undefined) query = query.where('email_key', '=', emailKey(email))
  if (status) query = query.where(sql<boolean>`status = ANY(${status}::text[])`)
  if (acceptsMarketing !== undefined) query = query.where('accepts_marketing', '=', acceptsMarketing)
  if (createdSince !== undefined) query = query.where('created_at', '>=', createdSince)
  if (createdBefore !== undefined) query = query.where('created_at', '<', createdBefore)
  if (updatedSince !== undefined) query = query.where('updated_at', '>=', updatedSince)
  if (categoryId !== undefined) {
    query = query.where(sql<boolean>`customer.id IN (SELECT customer_id FROM customer_category_member
      WHERE store_id = ${storeId} AND category_id = ${categoryId})`)
  }
  for (const word of words) query = query.where('search_key', 'like', containing(word))
  return query
}
