import { type Kysely, sql } from 'kysely'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { AddressInput } from '../order/customer/address.ts'
import type { Tables } from '../tables.ts'
import {
  type AccountOrder,
  ATTEMPTS_MS,
  type CustomerAccount,
  LINK_MS,
  MAX_ATTEMPTS,
  MAX_LINKS,
  MAX_SESSIONS,
  SESSION_MS,
  UNCONFIRMED_MS,
} from './customer-account.ts'

const COLUMNS = [
  'customer_account.store_id as storeId',
  'customer_account.id',
  'customer_account.email',
  'customer_account.password_hash as passwordHash',
  'customer_account.addresses',
  'customer_account.confirmed_at as confirmedAt',
  'customer_account.link_requested_at as linkRequestedAt',
  'customer_account.link_locale as linkLocale',
  'customer_account.locale',
] as const

const later = (at: Date, milliseconds: number): Date => new Date(at.getTime() + milliseconds)

const accountOf = (
  row: (Omit<CustomerAccount, 'addresses'> & { readonly addresses: unknown }) | undefined,
): CustomerAccount | null =>
  // The column holds what this noun writes.
  row ? { ...row, addresses: row.addresses as readonly AddressInput[] } : null

export type CustomerAccountRepository = ReturnType<typeof customerAccountRepository>

/** Accounts of shoppers in the database. */
export const customerAccountRepository = (database: Kysely<Tables>) => ({
  byId: async (storeId: number, id: number): Promise<CustomerAccount | null> =>
    accountOf(await accounts(database, storeId).where('customer_account.id', '=', id).executeTakeFirst()),

  byEmail: async (storeId: number, emailKey: string): Promise<CustomerAccount | null> =>
    accountOf(await accounts(database, storeId).where('email_key', '=', emailKey).executeTakeFirst()),

  /** The account with this address, created when there is none, until the transaction ends. */
  async lockByEmail(
    storeId: number,
    { email, emailKey }: { readonly email: string; readonly emailKey: string },
    at: Date,
  ): Promise<CustomerAccount & { readonly isNew: boolean }> {
    const inserted = await database
      .insertInto('customer_account')
      .values({ store_id: storeId, email, email_key: emailKey, link_requested_at: at, created_at: at, updated_at: at })
      .onConflict((conflict) => conflict.columns(['store_id', 'email_key']).doNothing())
      .returning('id')
      .executeTakeFirst()
    const found = accountOf(await accounts(database, storeId).where('email_key', '=', emailKey).forUpdate().executeTakeFirst())
    if (!found) throw new Error('Expected the account that was just created.')
    return { ...found, isNew: inserted !== undefined }
  },

  /** The account until the transaction ends; null: it was erased. */
  lock: async (storeId: number, id: number): Promise<CustomerAccount | null> =>
    accountOf(await accounts(database, storeId).where('customer_account.id', '=', id).forUpdate().executeTakeFirst()),

  /** Spells the address of an account as it was given last, and ends links to the former spelling. */
  async respell(storeId: number, id: number, email: string, at: Date): Promise<void> {
    await updated(database, storeId, id, { email }, at)
    await database.deleteFrom('customer_account_link').where('store_id', '=', storeId).where('account_id', '=', id).execute()
  },

  /** Notes a request of a link, in a language. */
  async setLinkRequested(storeId: number, id: number, locale: string | null, at: Date): Promise<void> {
    await updated(database, storeId, id, { link_requested_at: at, link_locale: locale }, at)
  },

  /** Keeps a link of an account, in a language, and the newest others. */
  async insertLink(storeId: number, accountId: number, tokenHash: Buffer, locale: string | null, at: Date): Promise<void> {
    await database
      .insertInto('customer_account_link')
      .values({ store_id: storeId, account_id: accountId, token_hash: tokenHash, locale, expires_at: later(at, LINK_MS) })
      .execute()
    await sql`
      DELETE FROM customer_account_link WHERE store_id = ${storeId} AND account_id = ${accountId} AND token_hash NOT IN (
        SELECT token_hash FROM customer_account_link WHERE store_id = ${storeId} AND account_id = ${accountId}
        ORDER BY expires_at DESC LIMIT ${MAX_LINKS})`.execute(database)
  },

  /** The account of a valid link; null when there is none. */
  byLink: async (storeId: number, tokenHash: Buffer, at: Date): Promise<CustomerAccount | null> =>
    accountOf(
      await accounts(database, storeId)
        .innerJoin('customer_account_link as link', (join) =>
          join.onRef('link.store_id', '=', 'customer_account.store_id').onRef('link.account_id', '=', 'customer_account.id'),
        )
        .where('link.token_hash', '=', tokenHash)
        .where('link.expires_at', '>', at)
        .executeTakeFirst(),
    ),

  /** Ends a link; whether it was valid. All others of the account end with it. */
  async takeLink(
    storeId: number,
    tokenHash: Buffer,
    at: Date,
  ): Promise<{ readonly accountId: number; readonly locale: string | null } | null> {
    const taken = await database
      .deleteFrom('customer_account_link')
      .where('store_id', '=', storeId)
      .where('token_hash', '=', tokenHash)
      .where('expires_at', '>', at)
      .returning(['account_id as accountId', 'locale'])
      .executeTakeFirst()
    if (!taken) return null
    await database
      .deleteFrom('customer_account_link')
      .where('store_id', '=', storeId)
      .where('account_id', '=', taken.accountId)
      .execute()
    return taken
  },

  /** Notes that a link in this language proved the address. */
  async confirm(storeId: number, id: number, locale: string | null, at: Date): Promise<void> {
    await database
      .updateTable('customer_account')
      .set(({ fn, val }) => ({ confirmed_at: fn.coalesce('confirmed_at', val(at)), locale, updated_at: at }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  async setPassword(storeId: number, id: number, passwordHash: string, at: Date): Promise<void> {
    await updated(database, storeId, id, { password_hash: passwordHash, attempts: 0, attempts_since: null }, at)
  },

  async setAddresses(storeId: number, id: number, addresses: readonly AddressInput[], at: Date): Promise<void> {
    await updated(database, storeId, id, { addresses: JSON.stringify(addresses) }, at)
  },

  /** Counts an attempt with a password before it is verified; false: there were too many. */
  async takeAttempt(storeId: number, id: number, at: Date): Promise<boolean> {
    const since = later(at, -ATTEMPTS_MS)
    const { rows } = await sql`
      UPDATE customer_account SET
        attempts = CASE WHEN attempts_since > ${since} THEN attempts + 1 ELSE 1 END,
        attempts_since = CASE WHEN attempts_since > ${since} THEN attempts_since ELSE ${at}::timestamptz END
      WHERE store_id = ${storeId} AND id = ${id} AND (attempts_since IS NULL OR attempts_since <= ${since} OR attempts < ${MAX_ATTEMPTS})
      RETURNING id`.execute(database)
    return rows.length > 0
  },

  async resetAttempts(storeId: number, id: number): Promise<void> {
    await database
      .updateTable('customer_account')
      .set({ attempts: 0, attempts_since: null })
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /** Opens a session, and ends the oldest ones of too many. */
  async openSession(storeId: number, accountId: number, tokenHash: Buffer, at: Date): Promise<void> {
    await database
      .insertInto('customer_account_session')
      .values({
        store_id: storeId,
        account_id: accountId,
        token_hash: tokenHash,
        created_at: at,
        expires_at: later(at, SESSION_MS),
      })
      .execute()
    await sql`
      DELETE FROM customer_account_session WHERE store_id = ${storeId} AND account_id = ${accountId} AND token_hash NOT IN (
        SELECT token_hash FROM customer_account_session WHERE store_id = ${storeId} AND account_id = ${accountId}
        ORDER BY created_at DESC, token_hash LIMIT ${MAX_SESSIONS})`.execute(database)
  },

  /** The account of an open session; null when there is none. */
  bySession: async (storeId: number, tokenHash: Buffer, at: Date): Promise<CustomerAccount | null> =>
    accountOf(
      await accounts(database, storeId)
        .innerJoin('customer_account_session as session', (join) =>
          join
            .onRef('session.store_id', '=', 'customer_account.store_id')
            .onRef('session.account_id', '=', 'customer_account.id'),
        )
        .where('session.token_hash', '=', tokenHash)
        .where('session.expires_at', '>', at)
        .executeTakeFirst(),
    ),

  /** Whether an open session began at this time or later. */
  async isSessionSince(storeId: number, tokenHash: Buffer, since: Date): Promise<boolean> {
    const row = await database
      .selectFrom('customer_account_session')
      .select('account_id')
      .where('store_id', '=', storeId)
      .where('token_hash', '=', tokenHash)
      .where('created_at', '>=', since)
      .executeTakeFirst()
    return row !== undefined
  },

  /** Start times of the open sessions of an account, newest first. */
  async sessionsOf(storeId: number, accountId: number, at: Date): Promise<readonly Date[]> {
    const rows = await database
      .selectFrom('customer_account_session')
      .select('created_at as createdAt')
      .where('store_id', '=', storeId)
      .where('account_id', '=', accountId)
      .where('expires_at', '>', at)
      .orderBy('created_at', 'desc')
      .limit(MAX_SESSIONS)
      .execute()
    return rows.map(({ createdAt }) => createdAt)
  },

  async endSession(storeId: number, tokenHash: Buffer): Promise<number> {
    const { numDeletedRows } = await database
      .deleteFrom('customer_account_session')
      .where('store_id', '=', storeId)
      .where('token_hash', '=', tokenHash)
      .executeTakeFirst()
    return Number(numDeletedRows)
  },

  /** Ends the sessions of an account but this one; null: all. Returns their number. */
  async endSessions(storeId: number, accountId: number, but: Buffer | null): Promise<number> {
    const { numDeletedRows } = await database
      .deleteFrom('customer_account_session')
      .where('store_id', '=', storeId)
      .where('account_id', '=', accountId)
      .$if(but !== null, (query) => query.where('token_hash', '!=', but ?? Buffer.alloc(0)))
      .executeTakeFirst()
    return Number(numDeletedRows)
  },

  /** Orders of an account, newest first, one more than requested. */
  orders: (storeId: number, accountId: number, { size, after }: KeysetRange): Promise<AccountOrder[]> =>
    ordersOf(database, storeId, accountId)
      .select(['store_id as storeId', 'id', 'token as secret'])
      .$if(after !== null, (query) => query.where('id', '<', Number(after?.[0])))
      .orderBy('id', 'desc')
      .limit(size + 1)
      .execute(),

  /** Null: the account has no such order. */
  async order(storeId: number, accountId: number, id: number): Promise<AccountOrder | null> {
    const found = await ordersOf(database, storeId, accountId)
      .select(['store_id as storeId', 'id', 'token as secret'])
      .where('id', '=', id)
      .executeTakeFirst()
    return found ?? null
  },

  async countOrders(storeId: number, accountId: number): Promise<number> {
    const { count } = await ordersOf(database, storeId, accountId)
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  /** The newest orders of an account, as they are exported. */
  async exportedOrders(storeId: number, accountId: number, max: number): Promise<readonly unknown[]> {
    const { rows } = await sql<{ readonly exported: unknown }>`
      SELECT jsonb_build_object('number', id, 'createdAt', created_at, 'status', status, 'currency', currency, 'total', total::text,
        'customer', customer, 'shippingAddress', shipping_address, 'billingAddress', billing_address, 'note', additional_information,
        'lines', (SELECT coalesce(jsonb_agg(jsonb_build_object('name', line.name, 'quantity', line.qty, 'total', line.total::text)
          ORDER BY line.position), '[]') FROM order_line AS line WHERE line.store_id = "order".store_id AND line.order_id = "order".id),
        'returns', (SELECT coalesce(jsonb_agg(jsonb_build_object('number', own.id, 'createdAt', own.created_at, 'status', own.status,
            'note', CASE own.requested_by WHEN 'CUSTOMER' THEN own.note END,
            'reason', CASE WHEN own.status IN ('DECLINED', 'CANCELED') THEN own.reason END,
            'lines', (SELECT coalesce(jsonb_agg(jsonb_build_object('name', line.name, 'quantity', part.quantity, 'reason', part.reason,
              'note', CASE own.requested_by WHEN 'CUSTOMER' THEN part.note END) ORDER BY line.position), '[]')
              FROM order_return_line AS part JOIN order_line AS line ON line.store_id = part.store_id AND line.id = part.order_line_id
              WHERE part.store_id = own.store_id AND part.return_id = own.id)) ORDER BY own.id), '[]')
          FROM order_return AS own WHERE own.store_id = "order".store_id AND own.order_id = "order".id)) AS exported
      FROM "order" WHERE store_id = ${storeId} AND customer_account_id = ${accountId} ORDER BY id DESC LIMIT ${max}`.execute(
      database,
    )
    return rows.map(({ exported }) => exported)
  },

  /** Deletes an account, and returns how many orders belonged to it. */
  async erase(storeId: number, id: number): Promise<number> {
    const { numUpdatedRows } = await database
      .updateTable('order')
      .set({ customer_account_id: null })
      .where('store_id', '=', storeId)
      .where('customer_account_id', '=', id)
      .executeTakeFirst()
    await database.deleteFrom('customer_account').where('store_id', '=', storeId).where('id', '=', id).execute()
    return Number(numUpdatedRows)
  },

  /** Deletes what has expired, at most `max` rows of each kind; whether there may be more. */
  async deleteExpired(at: Date, max: number): Promise<boolean> {
    const before = later(at, -UNCONFIRMED_MS)
    const accountsDeleted = await sql`
      DELETE FROM customer_account WHERE (store_id, id) IN (SELECT store_id, id FROM customer_account
        WHERE confirmed_at IS NULL AND created_at < ${before} AND link_requested_at < ${before} LIMIT ${max} FOR UPDATE SKIP LOCKED)`.execute(
      database,
    )
    const deleted = [accountsDeleted]
    for (const table of ['customer_account_link', 'customer_account_session'])
      deleted.push(
        await sql`
        DELETE FROM ${sql.table(table)} WHERE (store_id, token_hash) IN (SELECT store_id, token_hash FROM ${sql.table(table)}
          WHERE expires_at < ${at} LIMIT ${max} FOR UPDATE SKIP LOCKED)`.execute(database),
      )
    return deleted.some(({ numAffectedRows }) => Number(numAffectedRows ?? 0) >= max)
  },
})

const accounts = (database: Kysely<Tables>, storeId: number) =>
  database.selectFrom('customer_account').select(COLUMNS).where('customer_account.store_id', '=', storeId)

const ordersOf = (database: Kysely<Tables>, storeId: number, accountId: number) =>
  database.selectFrom('order').where('store_id', '=', storeId).where('customer_account_id', '=', accountId)

async function updated(
  database: Kysely<Tables>,
  storeId: number,
  id: number,
  set: {
    readonly email?: string
    readonly password_hash?: string
    readonly attempts?: number
    readonly attempts_since?: null
    readonly addresses?: string
    readonly link_requested_at?: Date
    readonly link_locale?: string | null
  },
  at: Date,
): Promise<void> {
  await database
    .updateTable('customer_account')
    .set({ ...set, updated_at: at })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute()
}
