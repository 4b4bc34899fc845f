import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

/** Categories that customers are in, in the database; every call is about one store. */
export const membershipRepository = (database: Kysely<Tables>) => ({
  /** The existing ones of these categories; locked against deletion until the transaction ends. */
  async keepCategories(storeId: number, ids: readonly number[]): Promise<readonly number[]> {
    const rows = await database
      .selectFrom('customer_category')
      .select('id')
      .where('store_id', '=', storeId)
      .where('id', 'in', ids)
      .orderBy('id')
      .forKeyShare()
      .execute()
    return rows.map(({ id }) => id)
  },

  /** Puts a customer into these categories only. */
  async setCategoriesOf(storeId: number, customerId: number, categoryIds: readonly number[]): Promise<void> {
    await database
      .deleteFrom('customer_category_member')
      .where('store_id', '=', storeId)
      .where('customer_id', '=', customerId)
      .execute()
    if (categoryIds.length === 0) return
    await database
      .insertInto('customer_category_member')
      .values(categoryIds.map((id) => ({ store_id: storeId, customer_id: customerId, category_id: id })))
      .execute()
  },
})
