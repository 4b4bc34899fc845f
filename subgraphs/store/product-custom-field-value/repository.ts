import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import type { ProductCustomFieldValue, Said } from './product-custom-field-value.ts'

const COLUMNS = [
  'held.id',
  'held.product_id as productId',
  'held.custom_field_id as customFieldId',
  'held.variant_id as variantId',
  'held.select_option_id as selectOptionId',
  sql<string>`coalesce(chosen.value, held.value, '')`.as('value'),
] as const

export type ProductCustomFieldValueRepository = ReturnType<typeof productCustomFieldValueRepository>

/** Values of custom fields in the database; every call is about one store. */
export const productCustomFieldValueRepository = (database: Kysely<Tables>) => {
  const values = (storeId: number) =>
    database
      .selectFrom('product_custom_field_value as held')
      .leftJoin('custom_field_select_option as chosen', (join) =>
        join.onRef('chosen.store_id', '=', 'held.store_id').onRef('chosen.id', '=', 'held.select_option_id'),
      )
      .select(COLUMNS)
      .where('held.store_id', '=', storeId)

  return {
    /** In any order, without those that do not exist. */
    findByIds: (storeId: number, ids: readonly number[]): Promise<ProductCustomFieldValue[]> =>
      values(storeId).where('held.id', 'in', ids).execute(),

    /** Of several products, oldest first. */
    ofProducts: (storeId: number, productIds: readonly number[]): Promise<ProductCustomFieldValue[]> =>
      values(storeId).where('held.product_id', 'in', productIds).orderBy('held.id').execute(),

    /** One, or one per variant, in their order. */
    async insert(
      storeId: number,
      { productId, customFieldId, variantIds, said }: ValuesOf & { readonly said: Said },
    ): Promise<number[]> {
      const rows = await database
        .insertInto('product_custom_field_value')
        .values(
          variantIds.map((variantId) => ({
            store_id: storeId,
            product_id: productId,
            custom_field_id: customFieldId,
            variant_id: variantId,
            select_option_id: said.selectOptionId,
            value: said.text,
          })),
        )
        .returning('id')
        .execute()
      return rows.map(({ id }) => id)
    },

    async update(storeId: number, id: number, { selectOptionId, text }: Said): Promise<void> {
      await database
        .updateTable('product_custom_field_value')
        .set({ select_option_id: selectOptionId, value: text })
        .where('store_id', '=', storeId)
        .where('id', '=', id)
        .execute()
    },

    async delete(storeId: number, id: number): Promise<void> {
      await database.deleteFrom('product_custom_field_value').where('store_id', '=', storeId).where('id', '=', id).execute()
    },
  }
}

/** `variantIds`: null is the product itself. */
type ValuesOf = {
  readonly productId: number
  readonly customFieldId: number
  readonly variantIds: readonly (number | null)[]
}
