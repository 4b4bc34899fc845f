import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

/** What everybody may see of the sample store. */
export const sampleOrderRepository = (database: Kysely<Tables>) => ({
  /** Whether a store is a sample that has no owner. */
  async isShown(storeId: number): Promise<boolean> {
    const found = await database
      .selectFrom('store')
      .select('id')
      .where('id', '=', storeId)
      .where('is_sample', '=', true)
      .where('owner_id', 'is', null)
      .executeTakeFirst()
    return found !== undefined
  },

  /** Id of the order of a store that was placed last; null when there is none. */
  async newest(storeId: number): Promise<number | null> {
    const found = await database
      .selectFrom('order')
      .select('id')
      .where('store_id', '=', storeId)
      .where('completed_at', 'is not', null)
      .orderBy('completed_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
    return found?.id ?? null
  },
})
