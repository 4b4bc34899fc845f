import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { textKey } from '../text-key.ts'

/** Longer texts are found by their beginning only. */
const LONGEST = 20_000

/** Writes anew what search finds these products by. Run it in the transaction of every change of such a text. */
export async function indexProducts(database: Kysely<Tables>, storeId: number, productIds: readonly number[]): Promise<void> {
  const ids = sql`${productIds}::integer[]`
  const { rows } = await sql<{ readonly productId: number; readonly field: string; readonly text: string }>`
    SELECT id AS "productId", field, text
    FROM product, LATERAL (VALUES
      ('name', name), ('description', description), ('sku', sku), ('barcode', barcode), ('brand', brand)) AS texts (field, text)
    WHERE store_id = ${storeId} AND id = ANY(${ids}) AND text IS NOT NULL
    UNION ALL
    SELECT product_id, field, text
    FROM product_translation, LATERAL (VALUES ('name', name), ('description', description)) AS texts (field, text)
    WHERE store_id = ${storeId} AND product_id = ANY(${ids}) AND text IS NOT NULL
    UNION ALL
    SELECT product_id, field, text
    FROM product_variant, LATERAL (VALUES ('sku', sku), ('barcode', barcode)) AS texts (field, text)
    WHERE store_id = ${storeId} AND product_id = ANY(${ids}) AND text IS NOT NULL
    UNION ALL
    SELECT product_id, 'option_name', name FROM product_option WHERE store_id = ${storeId} AND product_id = ANY(${ids})
    UNION ALL
    SELECT product_id, 'variants', name FROM product_option_value WHERE store_id = ${storeId} AND product_id = ANY(${ids})
    UNION ALL
    SELECT product_id, 'custom_fields', value FROM product_custom_field_value
    WHERE store_id = ${storeId} AND product_id = ANY(${ids}) AND value IS NOT NULL
    UNION ALL
    SELECT held.product_id, 'custom_fields_selects', chosen.value
    FROM product_custom_field_value held
    JOIN custom_field_select_option chosen ON chosen.store_id = held.store_id AND chosen.id = held.select_option_id
    WHERE held.store_id = ${storeId} AND held.product_id = ANY(${ids})`.execute(database)

  const found = rows.map(({ productId, field, text }) => ({
    productId,
    field,
    key: textKey(text.slice(0, LONGEST).toWellFormed()),
  }))
  await sql`DELETE FROM product_search WHERE store_id = ${storeId} AND product_id = ANY(${ids})`.execute(database)
  await sql`
    INSERT INTO product_search (store_id, product_id, field, text_key)
    SELECT ${storeId}, * FROM unnest(
      ${found.map(({ productId }) => productId)}::integer[],
      ${found.map(({ field }) => field)}::text[],
      ${found.map(({ key }) => key)}::text[])`.execute(database)
}
