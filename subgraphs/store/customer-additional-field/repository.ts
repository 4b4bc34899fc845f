import type { Kysely } from 'kysely'
import { violates } from '../../../platform/database/postgres-error.ts'
import type { Tables } from '../tables.ts'
import type { CustomerAdditionalField } from './customer-additional-field.ts'

const COLUMNS = [
  'answer.id',
  'answer.customer_id as customerId',
  'answer.checkout_custom_field_id as checkoutCustomFieldId',
  'answer.value',
] as const

export type CustomerAdditionalFieldRepository = ReturnType<typeof customerAdditionalFieldRepository>

/** Answers of customers in the database; every call is about one store. */
export const customerAdditionalFieldRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (storeId: number, ids: readonly number[]): Promise<CustomerAdditionalField[]> =>
    database
      .selectFrom('customer_additional_field as answer')
      .select(COLUMNS)
      .where('answer.store_id', '=', storeId)
      .where('answer.id', 'in', ids)
      .execute(),

  /** The answers of customers, by the positions of the questions. */
  ofCustomers: (storeId: number, customerIds: readonly number[]): Promise<CustomerAdditionalField[]> =>
    database
      .selectFrom('customer_additional_field as answer')
      .innerJoin('checkout_custom_field as question', (join) =>
        join.onRef('question.store_id', '=', 'answer.store_id').onRef('question.id', '=', 'answer.checkout_custom_field_id'),
      )
      .select(COLUMNS)
      .where('answer.store_id', '=', storeId)
      .where('answer.customer_id', 'in', customerIds)
      .orderBy('question.position')
      .orderBy('question.id')
      .execute(),

  /** The new row; null when the customer has answered the question before. */
  async insert(storeId: number, answer: Omit<CustomerAdditionalField, 'id'>): Promise<number | null> {
    const made = await database
      .insertInto('customer_additional_field')
      .values({
        store_id: storeId,
        customer_id: answer.customerId,
        checkout_custom_field_id: answer.checkoutCustomFieldId,
        value: answer.value,
      })
      .onConflict((conflict) => conflict.columns(['store_id', 'customer_id', 'checkout_custom_field_id']).doNothing())
      .returning('id')
      .executeTakeFirst()
    return made?.id ?? null
  },

  /**
   * False when the customer has another answer to that question: the transaction is of no use then,
   * but for going back.
   */
  async update(storeId: number, { id, checkoutCustomFieldId, value }: CustomerAdditionalField): Promise<boolean> {
    try {
      await database
        .updateTable('customer_additional_field')
        .set({ checkout_custom_field_id: checkoutCustomFieldId, value })
        .where('store_id', '=', storeId)
        .where('id', '=', id)
        .execute()
      return true
    } catch (error) {
      if (violates(error, 'customer_additional_field_store_id_customer_id_checkout_cus_key')) return false
      throw error
    }
  },

  async delete(storeId: number, id: number): Promise<void> {
    await database.deleteFrom('customer_additional_field').where('store_id', '=', storeId).where('id', '=', id).execute()
  },
})
