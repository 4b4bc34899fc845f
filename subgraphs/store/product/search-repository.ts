import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { containing, textKey } from '../text-key.ts'

/**
 * What products are searched by: words as keys hold them, at least one, and fields as `keys` of
 * `product_search` has them; none for all.
 */
export type ProductWords = { readonly texts: readonly string[]; readonly fields: readonly string[] }

/** Longer texts are found by their beginning only. */
const MAX_TEXT_LENGTH = 20_000

/** What parts the texts of a product: no word holds one, so none is found across two texts. */
const BETWEEN = '\n'

/**
 * Writes anew what search finds these products by. Run it in the transaction of every change of
 * such a text.
 */
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
    WHERE held.store_id = ${storeId} AND held.product_id = ANY(${ids})
    ORDER BY "productId"`.execute(database)

  const found = [...Map.groupBy(rows, ({ productId }) => productId)].map(([productId, texts]) => {
    const keys = texts.map(({ field, text }) => ({ field, key: textKey(text.slice(0, MAX_TEXT_LENGTH).toWellFormed()) }))
    const joined = (some: readonly { readonly key: string }[]) => some.map(({ key }) => key).join(BETWEEN)
    const byField = [...Map.groupBy(keys, ({ field }) => field)].map(([field, some]) => [field, joined(some)])
    return { productId, key: joined(keys), byField: JSON.stringify(Object.fromEntries(byField)) }
  })
  await sql`
    INSERT INTO product_search (store_id, product_id, text_key, keys)
    SELECT ${storeId}, * FROM unnest(
      ${found.map(({ productId }) => productId)}::integer[],
      ${found.map(({ key }) => key)}::text[],
      ${found.map(({ byField }) => byField)}::jsonb[])
    ON CONFLICT (store_id, product_id) DO UPDATE SET text_key = excluded.text_key, keys = excluded.keys
    WHERE product_search.keys <> excluded.keys`.execute(database)
  const named = rows.flatMap(({ field, text }) => (field === 'name' || field === 'brand' ? vocabularyOf(text) : []))
  if (named.length === 0) return
  // In one order, so that two of these do not wait for each other.
  await sql`
    INSERT INTO product_search_word (store_id, word)
    SELECT ${storeId}, word FROM unnest(${[...new Set(named)].sort()}::text[]) AS named (word)
    ON CONFLICT DO NOTHING`.execute(database)
}

/** Shorter words do not help against misspelling, nor do longer ones. */
const [MIN_WORD_LENGTH, MAX_WORD_LENGTH] = [3, 40]

/** Words that a misspelt one can stand for. */
const vocabularyOf = (text: string): readonly string[] =>
  textKey(text.toWellFormed())
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter(({ length }) => length >= MIN_WORD_LENGTH && length <= MAX_WORD_LENGTH)

/**
 * Whether all of these words are in the product's texts, or in those of these fields where some are
 * given.
 */
export function foundBy(storeId: number, words: ProductWords): RawBuilder<boolean> {
  const keyOf = (field: string) => sql`keys ->> ${field}`
  const within = words.fields.length > 0 ? sql`concat_ws(${BETWEEN}, ${sql.join(words.fields.map(keyOf))})` : null
  const isThere = words.texts.map((text) => {
    const pattern = containing(text)
    // Only of the whole is there an index.
    return within ? sql`text_key LIKE ${pattern} AND ${within} LIKE ${pattern}` : sql`text_key LIKE ${pattern}`
  })
  return sql`id IN (SELECT product_id FROM product_search WHERE store_id = ${storeId} AND ${sql.join(isThere, sql` AND `)})`
}
