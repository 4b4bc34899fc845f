import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

/** What the schema promises of `Query.appInstallations`. */
const MAX_INSTALLATIONS = 250

/** Which apps stores have installed, in the database. */
export const appInstallationRepository = (database: Kysely<Tables>) => ({
  /** Since when; null: it is not. */
  async installedAt(storeId: number, appId: number): Promise<Date | null> {
    const found = await database
      .selectFrom('app_installation')
      .select('installed_at')
      .where('store_id', '=', storeId)
      .where('app_id', '=', appId)
      .executeTakeFirst()
    return found?.installed_at ?? null
  },

  /** The newest first. */
  list: (storeId: number): Promise<{ readonly appId: number; readonly installedAt: Date }[]> =>
    database
      .selectFrom('app_installation')
      .select(['app_id as appId', 'installed_at as installedAt'])
      .where('store_id', '=', storeId)
      .orderBy('installed_at', 'desc')
      .orderBy('app_id', 'desc')
      .limit(MAX_INSTALLATIONS)
      .execute(),

  /** Keeps it as it is until the transaction ends; false when it is not installed. */
  async lock(storeId: number, appId: number): Promise<boolean> {
    const found = await database
      .selectFrom('app_installation')
      .select('app_id')
      .where('store_id', '=', storeId)
      .where('app_id', '=', appId)
      .forUpdate()
      .executeTakeFirst()
    return found !== undefined
  },

  /** Changes nothing where it is. */
  async install(storeId: number, appId: number, at: Date): Promise<void> {
    await database
      .insertInto('app_installation')
      .values({ store_id: storeId, app_id: appId, installed_at: at })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  },

  /** Its consents and scripts go with it. */
  async uninstall(storeId: number, appId: number): Promise<void> {
    await database.deleteFrom('app_authorization').where('store_id', '=', storeId).where('app_id', '=', appId).execute()
    await database.deleteFrom('app_installation').where('store_id', '=', storeId).where('app_id', '=', appId).execute()
  },
})
