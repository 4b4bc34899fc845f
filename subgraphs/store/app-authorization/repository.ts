import type { Kysely } from 'kysely'
import type { Scope } from '../access/scopes.ts'
import type { Tables } from '../tables.ts'
import type { AppAuthorization } from './app-authorization.ts'

/** What the schema promises of `Query.appAuthorizations`. */
const MOST = 250

export type AppAuthorizationRepository = ReturnType<typeof appAuthorizationRepository>

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
        .limit(MOST)
        .execute()
    ).map((row) => ({ ...row, scopes: row.scopes as Scope[] })),

  /** Ends it, with its tokens; false when there is none. */
  async delete(storeId: number, id: number): Promise<boolean> {
    const { numDeletedRows } = await database
      .deleteFrom('app_authorization')
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .executeTakeFirst()
    return numDeletedRows > 0n
  },
})
