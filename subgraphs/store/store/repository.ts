import { type Kysely, sql } from 'kysely'
import { anyOf } from '../../../platform/database/any-of.ts'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import type { Tables } from '../tables.ts'
import { freePermalink } from '../text-key.ts'
import type { Store, StoreAddress, WeightUnit } from './store.ts'

const COLUMNS = [
  'id',
  'code',
  'name',
  'email',
  'currency',
  'country',
  'timezone',
  'weight_unit as weightUnit',
  'logo_url as logo',
  'hooks_token as hooksToken',
  'previous_hooks_token_until as previousHooksTokenUntil',
  'subscription_status as subscriptionStatus',
  'subscription_plan as subscriptionPlan',
  'fb_pixel_id as fbPixelId',
  'whatsapp_phone as whatsappPhone',
  'address',
  'paid_since as paidSince',
  'owner_id as ownerId',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'order_confirmations as sendsOrderConfirmations',
  'return_window_days as returnWindowDays',
  'is_sample as isSample',
  'low_stock_alerts as sendsLowStockAlerts',
  'version',
] as const

/** What a store begins with. */
export type NewStore = {
  readonly name: string
  readonly code: string
  readonly currency: string
  readonly country: string
  readonly timezone: string
  readonly language: string
  readonly theme: string | null
  /** Encrypts the token that signs webhooks for the row that the store gets. */
  readonly hooksToken: (storeId: number) => string
  readonly paidSince: Date | null
  /** The store whose credentials set it up; null: an operator. */
  readonly createdBy: number | null
  readonly login: string
  readonly tokenHash: Buffer
  readonly at: Date
}

/** A store with its login, for operators. */
export type ListedStore = Pick<Store, 'id' | 'code' | 'name' | 'createdAt'> & { readonly login: string }

export type StoreRepository = ReturnType<typeof storeRepository>

/** Stores in the database. */
export const storeRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: async (ids: readonly number[]): Promise<Store[]> => (await BY_IDS(database, ids)).map(storeOf),

  /** The row until the transaction ends. */
  lock: async (id: number): Promise<Store> =>
    storeOf(await database.selectFrom('store').select(COLUMNS).where('id', '=', id).forUpdate().executeTakeFirstOrThrow()),

  /** The stores of these owners, first set up first, at most `most` of each. */
  async ownedBy(owners: readonly string[], max: number): Promise<Store[]> {
    const found = await database
      .selectFrom(sql<{ readonly owner: string }>`unnest(${owners}::text[])`.as<'requested'>(sql`requested (owner)`))
      .innerJoinLateral(
        (owned) =>
          owned.selectFrom('store').selectAll().whereRef('owner_id', '=', 'requested.owner').orderBy('id').limit(max).as('store'),
        (join) => join.onTrue(),
      )
      .select(COLUMNS)
      .orderBy('id')
      .execute()
    return found.map(storeOf)
  },

  /** Makes it the sample store of the installation. */
  async markSample(id: number): Promise<void> {
    await database.updateTable('store').set({ is_sample: true }).where('id', '=', id).execute()
  },

  /** ISO 4217 codes of the currencies that the store sells in beside its own, oldest first. */
  async otherCurrencies(id: number): Promise<readonly string[]> {
    const rows = await database.selectFrom('store_currency').select('code').where('store_id', '=', id).orderBy('id').execute()
    return rows.map(({ code }) => code)
  },

  /** Whether the store has orders whose amounts were converted from its own currency. */
  async hasConvertedOrders(id: number): Promise<boolean> {
    const found = await database
      .selectFrom('order')
      .select('id')
      .where('store_id', '=', id)
      .where('currency_rate', 'is not', null)
      .limit(1)
      .executeTakeFirst()
    return found !== undefined
  },

  /** Owner of the store; null: none. A store that had one is the sample of nobody any more. */
  async setOwner(id: number, ownerId: string | null, at: Date): Promise<void> {
    await database
      .updateTable('store')
      .set((set) => ({
        owner_id: ownerId,
        ...(ownerId !== null && { is_sample: false }),
        updated_at: at,
        version: set('version', '+', 1),
      }))
      .where('id', '=', id)
      .execute()
  },

  /** Removes an owner from its stores; returns their number. */
  async disown(ownerId: string, at: Date): Promise<number> {
    const { numUpdatedRows } = await database
      .updateTable('store')
      .set((set) => ({ owner_id: null, updated_at: at, version: set('version', '+', 1) }))
      .where('owner_id', '=', ownerId)
      .executeTakeFirst()
    return Number(numUpdatedRows)
  },

  /** The row of the store with this code; null when there is none. */
  async idOf(code: string): Promise<number | null> {
    const found = await database.selectFrom('store').select('id').where('code', '=', code).executeTakeFirst()
    return found?.id ?? null
  },

  /** Languages of stores, each store's own first. */
  languagesOf: (storeIds: readonly number[]): Promise<{ readonly storeId: number; readonly code: string }[]> =>
    database
      .selectFrom('store_language')
      .select(['store_id as storeId', 'code'])
      .where('store_id', 'in', storeIds)
      .orderBy('is_default', 'desc')
      .orderBy('code')
      .execute(),

  /** All stores with their logins, oldest first. */
  list: (): Promise<ListedStore[]> =>
    database
      .selectFrom('store')
      .innerJoin('credential', 'credential.store_id', 'store.id')
      .select(['store.id', 'store.code', 'store.name', 'store.created_at as createdAt', 'credential.login'])
      .orderBy('store.id')
      .execute(),

  /** When stores were set up by this one since `since`, oldest first. */
  async setUpsSince(createdBy: number, since: Date): Promise<readonly Date[]> {
    const rows = await database
      .selectFrom('store')
      .select('created_at as createdAt')
      .where('created_by', '=', createdBy)
      .where('created_at', '>', since)
      .orderBy('created_at')
      .execute()
    return rows.map(({ createdAt }) => createdAt)
  },

  /** Locks the creation of stores until the transaction ends. */
  lockAll: () => lockAll(database),

  /** Whether there are no stores. */
  isNone: async (): Promise<boolean> =>
    (await database.selectFrom('store').select('id').limit(1).executeTakeFirst()) === undefined,

  /** An unused code like the wanted one. */
  async freeCode(wanted: string): Promise<string> {
    await lockAll(database)
    const rows = await database
      .selectFrom('store')
      .select('code')
      .where((where) =>
        where.or([where('code', '=', wanted), where(sql<string>`left(code, ${wanted.length + 1})`, '=', `${wanted}-`)]),
      )
      .execute()
    return freePermalink(wanted, new Set(rows.map(({ code }) => code)))
  },

  async insert({ language, login, tokenHash, at, ...store }: NewStore): Promise<number> {
    const { id } = await database
      .insertInto('store')
      .values({
        name: store.name,
        code: store.code,
        currency: store.currency,
        country: store.country,
        timezone: store.timezone,
        theme: store.theme,
        // Written below: its encryption is bound to the id of the row.
        hooks_token: '',
        paid_since: store.paidSince,
        created_by: store.createdBy,
        address: null,
        created_at: at,
        updated_at: at,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await database
      .updateTable('store')
      .set({ hooks_token: store.hooksToken(id) })
      .where('id', '=', id)
      .execute()
    await database.insertInto('store_language').values({ store_id: id, code: language, is_default: true }).execute()
    await database.insertInto('credential').values({ store_id: id, login, token_hash: tokenHash, created_at: at }).execute()
    return id
  },

  async update({ id, ...store }: Store, at: Date): Promise<void> {
    await database
      .updateTable('store')
      .set((set) => ({
        name: store.name,
        email: store.email,
        currency: store.currency,
        country: store.country,
        timezone: store.timezone,
        weight_unit: store.weightUnit === 'KG' ? 'kg' : 'lb',
        logo_url: store.logo,
        fb_pixel_id: store.fbPixelId,
        whatsapp_phone: store.whatsappPhone,
        address: store.address && JSON.stringify(store.address),
        order_confirmations: store.sendsOrderConfirmations,
        return_window_days: store.returnWindowDays,
        low_stock_alerts: store.sendsLowStockAlerts,
        updated_at: at,
        version: set('version', '+', 1),
      }))
      .where('id', '=', id)
      .execute()
  },

  /**
   * Replaces the token that signs webhooks, encrypted; `previous` goes on signing until then, null:
   * not at all.
   */
  async setHooksToken(
    storeId: number,
    {
      hooksToken,
      previous,
      at,
    }: {
      readonly hooksToken: string
      readonly previous: { readonly hooksToken: string; readonly until: Date } | null
      readonly at: Date
    },
  ): Promise<void> {
    await database
      .updateTable('store')
      .set((set) => ({
        hooks_token: hooksToken,
        previous_hooks_token: previous?.hooksToken ?? null,
        previous_hooks_token_until: previous?.until ?? null,
        updated_at: at,
        version: set('version', '+', 1),
      }))
      .where('id', '=', storeId)
      .execute()
  },

  /** Replaces the languages of a store; the first is its own. */
  async setLanguages(storeId: number, codes: readonly string[]): Promise<void> {
    await database.deleteFrom('store_language').where('store_id', '=', storeId).execute()
    await database
      .insertInto('store_language')
      .values([...new Set(codes)].map((code, index) => ({ store_id: storeId, code, is_default: index === 0 })))
      .execute()
  },

  /** Gives a store another authtoken; its login. */
  async setToken(storeId: number, tokenHash: Buffer, at: Date): Promise<string> {
    const { login } = await database
      .updateTable('credential')
      .set({ token_hash: tokenHash, reset_at: at })
      .where('store_id', '=', storeId)
      .returning('login')
      .executeTakeFirstOrThrow()
    return login
  },
})

/** The row with the schema's words. Addresses are stored by us, complete. */
const storeOf = ({
  weightUnit,
  address,
  ...row
}: Omit<Store, 'weightUnit' | 'address'> & { weightUnit: 'kg' | 'lb'; address: unknown }): Store => ({
  ...row,
  // The enum of the graph in upper case.
  weightUnit: weightUnit.toUpperCase() as WeightUnit,
  // The column holds what this noun writes.
  address: address as StoreAddress | null,
})

const lockAll = async (database: Kysely<Tables>): Promise<void> => {
  await sql`LOCK TABLE store IN SHARE ROW EXCLUSIVE MODE`.execute(database)
}

const BY_IDS = prepared((database: Kysely<Tables>, ids: readonly number[]) =>
  database.selectFrom('store').select(COLUMNS).where('id', '=', anyOf(ids)).compile(),
)
