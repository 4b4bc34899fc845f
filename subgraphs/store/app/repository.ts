import { type Kysely, sql } from 'kysely'
import type { Scope } from '../access/scopes.ts'
import type { Tables } from '../tables.ts'
import type { App } from './app.ts'

const COLUMNS = [
  'id',
  'store_id as storeId',
  'code',
  'name',
  'redirect_uris as redirectUris',
  'scopes',
  'is_store_itself as isStoreItself',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'version',
] as const

/** An app with the hash of its secret; null for a public one. */
export type AppWithSecret = App & { readonly secretHash: Buffer | null }

/** What an app begins with. */
export type NewApp = Pick<AppWithSecret, 'storeId' | 'code' | 'name' | 'redirectUris' | 'scopes' | 'secretHash'> & {
  readonly isStoreItself?: boolean
  readonly at: Date
}

export type AppRepository = ReturnType<typeof appRepository>

/** Apps in the database. */
export const appRepository = (database: Kysely<Tables>) => ({
  /** Whosever they are, in any order, without those that do not exist. */
  findByIds: async (ids: readonly number[]): Promise<App[]> =>
    (await select(database).where('id', 'in', ids).execute()).map(appOf),

  /** The app with this `client_id`; null when there is none. */
  async byCode(code: string): Promise<AppWithSecret | null> {
    // PostgreSQL has no text with this character.
    if (code.includes('\0')) return null
    const row = await database
      .selectFrom('app')
      .select([...COLUMNS, 'secret_hash as secretHash'])
      .where('code', '=', code)
      .executeTakeFirst()
    return row ? { ...appOf({ ...row, isPublic: row.secretHash === null }), secretHash: row.secretHash } : null
  },

  /** The apps of a store's own, or with null those of every store, oldest first. */
  list: async (storeId: number | null): Promise<App[]> =>
    (await select(database).where('store_id', 'is not distinct from', storeId).orderBy('id').execute()).map(appOf),

  /** Locks the row of an app of the store until the transaction ends; null when there is none. */
  async lock(storeId: number, id: number): Promise<App | null> {
    const row = await select(database).where('store_id', '=', storeId).where('id', '=', id).forUpdate().executeTakeFirst()
    return row ? appOf(row) : null
  },

  /** How many apps a store has of its own, until the transaction ends. */
  async countLocked(storeId: number): Promise<number> {
    // Its row is locked, so that two registrations at once are counted one by one.
    await database.selectFrom('store').select('id').where('id', '=', storeId).forUpdate().execute()
    const { count } = await database
      .selectFrom('app')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  /** The app of the store itself; null until there is one. */
  async storeItself(storeId: number): Promise<App | null> {
    const row = await select(database).where('store_id', '=', storeId).where('is_store_itself', '=', true).executeTakeFirst()
    return row ? appOf(row) : null
  },

  async insert({ storeId, code, name, redirectUris, scopes, secretHash, isStoreItself = false, at }: NewApp): Promise<number> {
    const { id } = await database
      .insertInto('app')
      .values({
        store_id: storeId,
        code,
        name,
        redirect_uris: [...redirectUris],
        scopes: [...scopes],
        secret_hash: secretHash,
        is_store_itself: isStoreItself,
        created_at: at,
        updated_at: at,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async update({ id, name, redirectUris, scopes }: App, at: Date): Promise<void> {
    await database
      .updateTable('app')
      .set((set) => ({
        name,
        redirect_uris: [...redirectUris],
        scopes: [...scopes],
        updated_at: at,
        version: set('version', '+', 1),
      }))
      .where('id', '=', id)
      .execute()
  },

  async setSecret(id: number, secretHash: Buffer, at: Date): Promise<void> {
    await database
      .updateTable('app')
      .set((set) => ({ secret_hash: secretHash, updated_at: at, version: set('version', '+', 1) }))
      .where('id', '=', id)
      .execute()
  },

  /** Its authorizations and tokens go with it. */
  async delete(id: number): Promise<void> {
    await database.deleteFrom('app').where('id', '=', id).execute()
  },
})

const select = (database: Kysely<Tables>) =>
  database.selectFrom('app').select([...COLUMNS, sql<boolean>`secret_hash IS NULL`.as('isPublic')])

/** Scopes are written by us, checked. */
const appOf = (row: Omit<App, 'scopes'> & { readonly scopes: readonly string[] }): App => ({
  id: row.id,
  storeId: row.storeId,
  code: row.code,
  name: row.name,
  isPublic: row.isPublic,
  isStoreItself: row.isStoreItself,
  redirectUris: row.redirectUris,
  // The column holds what this noun writes.
  scopes: row.scopes as readonly Scope[],
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  version: row.version,
})
