import type { Kysely } from 'kysely'
import type { Scope } from '../access/scopes.ts'
import type { Tables } from '../tables.ts'
import type { AppAuthorization } from './app-authorization.ts'

/** What the schema promises of `Query.appAuthorizations`. */
const MAX_AUTHORIZATIONS = 250

/** What stores have agreed to, in the database. */
export const appAuthorizationRepository = (database: Kysely<Tables>) => ({
  /** Of one store, newest first. Scopes are written by us, checked. */
  list: async (storeId: number): Promise<AppAuthorization[]> =>
    (
      await database
        .selectFrom('app_authorization')
        .select(['id', 'app_id as appId', 'scopes', 'created_at as createdAt'])
        .where('store_id', '=', storeId)
        .orderBy('id', 'desc')
        .limit(MAX_AUTHORIZATIONS)
        .execute()
    )
      // The column holds what this noun writes.
      .map((row) => ({ ...row, scopes: row.scopes as Scope[] })),

  /** Deletes it with its tokens; returns the id of the app, null when there is none. */
  async delete(storeId: number, id: number): Promise<number | null> {
    const deleted = await database
      .deleteFrom('app_authorization')
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .returning('app_id')
      .executeTakeFirst()
    return deleted?.app_id ?? null
  },

  async hasAny(storeId: number, appId: number): Promise<boolean> {
    const found = await database
      .selectFrom('app_authorization')
      .select('id')
      .where('store_id', '=', storeId)
      .where('app_id', '=', appId)
      .limit(1)
      .executeTakeFirst()
    return found !== undefined
  },
})
