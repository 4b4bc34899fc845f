import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { type Location, type LocationAddress, type LocationFields, NEW_LOCATION } from './location.ts'

const COLUMNS = [
  'id',
  'name',
  'email',
  'active',
  'main',
  'pickup_point as pickupPoint',
  'is_stock_origin as isStockOrigin',
  'address',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'version',
] as const

/** Any number, as long as every process uses the same. */
const LOCATIONS_LOCK = 0x6c6f6361

export type LocationRepository = ReturnType<typeof locationRepository>

/** Locations in the database; every call is about one store. */
export const locationRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: async (storeId: number, ids: readonly number[]): Promise<Location[]> =>
    (await database.selectFrom('location').select(COLUMNS).where('store_id', '=', storeId).where('id', 'in', ids).execute()).map(
      locationOf,
    ),

  /** All, oldest first, at most `most`. */
  list: async (storeId: number, max: number): Promise<Location[]> =>
    (
      await database.selectFrom('location').select(COLUMNS).where('store_id', '=', storeId).orderBy('id').limit(max).execute()
    ).map(locationOf),

  /**
   * Locks the locations of this store against changes until the transaction ends: one of them is
   * the main one.
   */
  async lock(storeId: number): Promise<void> {
    await sql`SELECT pg_advisory_xact_lock(${LOCATIONS_LOCK}, ${storeId})`.execute(database)
  },

  /**
   * Locks the locations of this store against changes until the transaction ends; shared with other
   * readers.
   */
  async lockShared(storeId: number): Promise<void> {
    await sql`SELECT pg_advisory_xact_lock_shared(${LOCATIONS_LOCK}, ${storeId})`.execute(database)
  },

  /** Whether a transfer that has not ended leaves, or goes to, a location. */
  async hasOpenTransfers(storeId: number, id: number): Promise<boolean> {
    const found = await database
      .selectFrom('inventory_transfer')
      .select('id')
      .where('store_id', '=', storeId)
      .where('finished_at', 'is', null)
      .where(({ eb, or }) => or([eb('source_id', '=', id), eb('destination_id', '=', id)]))
      .limit(1)
      .executeTakeFirst()
    return found !== undefined
  },

  async hasFulfillments(storeId: number, id: number): Promise<boolean> {
    const found = await database
      .selectFrom('fulfillment')
      .select('id')
      .where('store_id', '=', storeId)
      .where('location_id', '=', id)
      .limit(1)
      .executeTakeFirst()
    return found !== undefined
  },

  async insert(storeId: number, fields: LocationFields, at: Date): Promise<number> {
    const { id } = await database
      .insertInto('location')
      .values({ ...rowOf(fields), store_id: storeId, created_at: at, updated_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async update(storeId: number, id: number, fields: LocationFields, at: Date): Promise<void> {
    await database
      .updateTable('location')
      .set((set) => ({ ...rowOf(fields), updated_at: at, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /** None is the main one; another is to be made it in the same transaction. */
  async demote(storeId: number, at: Date): Promise<void> {
    await database
      .updateTable('location')
      .set((set) => ({ main: false, updated_at: at, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('main', '=', true)
      .execute()
  },

  async delete(storeId: number, id: number): Promise<void> {
    await database.deleteFrom('location').where('store_id', '=', storeId).where('id', '=', id).execute()
  },
})

const rowOf = ({ name, email, active, main, pickupPoint, isStockOrigin, address }: LocationFields) => ({
  name,
  email,
  active,
  main,
  pickup_point: pickupPoint,
  is_stock_origin: isStockOrigin,
  address: JSON.stringify(address),
})

/** Addresses are JSON that we wrote; older ones lack later fields. */
const locationOf = (row: Omit<Location, 'address'> & { readonly address: unknown }): Location => ({
  ...row,
  // The column holds what this noun writes.
  address: { ...NEW_LOCATION.address, ...(row.address as Partial<LocationAddress>) },
})
