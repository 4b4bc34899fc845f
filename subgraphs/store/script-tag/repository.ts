import type { Kysely } from 'kysely'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { Tables } from '../tables.ts'
import type { ScriptTag, ScriptTagFields } from './script-tag.ts'

const COLUMNS = [
  'id',
  'app_id as appId',
  'url',
  'template',
  'element',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'version',
] as const

export type ScriptTagRepository = ReturnType<typeof scriptTagRepository>

/**
 * Scripts in the database; every call is about one store, and where `appId` is not null about one
 * app.
 */
export const scriptTagRepository = (database: Kysely<Tables>) => {
  const selected = (storeId: number, appId: number | null) => {
    const all = database.selectFrom('script_tag').where('store_id', '=', storeId)
    return appId === null ? all : all.where('app_id', '=', appId)
  }

  return {
    /** In any order, without those that do not exist. */
    findByIds: (storeId: number, ids: readonly number[]): Promise<ScriptTag[]> =>
      selected(storeId, null).select(COLUMNS).where('id', 'in', ids).execute(),

    /** Oldest first, one more than requested. */
    list(storeId: number, appId: number | null, { size, after, offset }: KeysetRange): Promise<ScriptTag[]> {
      const query = selected(storeId, appId).select(COLUMNS)
      return (after ? query.where('id', '>', Number(after[0])) : query)
        .orderBy('id')
        .limit(size + 1)
        .offset(offset)
        .execute()
    },

    async count(storeId: number, appId: number | null): Promise<number> {
      const { count } = await selected(storeId, appId)
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    /** Locks the row until the transaction ends; null when there is none. */
    async lock(storeId: number, id: number): Promise<ScriptTag | null> {
      const found = await selected(storeId, null).select(COLUMNS).where('id', '=', id).forUpdate().executeTakeFirst()
      return found ?? null
    },

    /** The app must be installed. */
    async insert(storeId: number, appId: number, { url, template, element }: ScriptTagFields, at: Date): Promise<number> {
      const { id } = await database
        .insertInto('script_tag')
        .values({ store_id: storeId, app_id: appId, url, template, element, created_at: at, updated_at: at })
        .returning('id')
        .executeTakeFirstOrThrow()
      return id
    },

    async update(storeId: number, id: number, { url, template, element }: ScriptTagFields, at: Date): Promise<void> {
      await database
        .updateTable('script_tag')
        .set((set) => ({ url, template, element, updated_at: at, version: set('version', '+', 1) }))
        .where('store_id', '=', storeId)
        .where('id', '=', id)
        .execute()
    },

    async delete(storeId: number, id: number): Promise<void> {
      await database.deleteFrom('script_tag').where('store_id', '=', storeId).where('id', '=', id).execute()
    },
  }
}
