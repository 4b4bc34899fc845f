import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { textKey } from '../text-key.ts'
import { emailKey } from './customer.ts'

/** A person to erase. */
export type Erased = { readonly customerId: number | null; readonly email: string }

/** Shorter words occur in too many texts about others. */
const MIN_TERM_CHARACTERS = 3

/** The rest of an address: where taxes were due. */
const PLACE = (column: string) =>
  sql`CASE WHEN ${sql.ref(column)} IS NULL THEN NULL ELSE (SELECT jsonb_object_agg(key, CASE WHEN key IN ('country', 'countryCode', 'region', 'regionCode') THEN value ELSE 'null' END)
    FROM jsonb_each(${sql.ref(column)})) END`

/**
 * Removes personal data of a customer from the orders of a store and all texts about them; amounts,
 * lines, taxes, refunds and the ledger stay. Returns the number of orders.
 */
export async function eraseFromOrders(
  database: Kysely<Tables>,
  storeId: number,
  { customerId, email }: Erased,
  at: Date,
): Promise<number> {
  const { rows: orders } = await sql<{ id: number; texts: string[] }>`
    SELECT id, ARRAY(SELECT DISTINCT word FROM (
        SELECT value #>> '{}' AS word FROM jsonb_path_query(jsonb_build_array(customer - 'number',
          shipping_address - ARRAY['country', 'countryCode', 'region', 'regionCode'], billing_address - ARRAY['country', 'countryCode', 'region', 'regionCode'],
          billing_information), 'lax $.**?(@.type() == "string")') AS value) AS words) AS texts
    FROM "order" WHERE store_id = ${storeId} AND (customer_id = ${customerId} OR lower(customer ->> 'email') = ${emailKey(email)}
      OR customer_account_id IN (SELECT id FROM customer_account WHERE store_id = ${storeId} AND email_key = ${emailKey(email)})) FOR UPDATE`.execute(
    database,
  )
  const ids = orders.map(({ id }) => id)
  await sql`
    DELETE FROM draft_order WHERE store_id = ${storeId} AND (email_key = ${emailKey(email)} OR customer_id = ${customerId}
      OR order_id = ANY(${ids}::integer[]))`.execute(database)
  await sql`DELETE FROM cart WHERE store_id = ${storeId} AND email_key = ${emailKey(email)}`.execute(database)
  await sql`
    UPDATE "order" SET customer_account_id = NULL WHERE store_id = ${storeId} AND customer_account_id IN (
      SELECT id FROM customer_account WHERE store_id = ${storeId} AND email_key = ${emailKey(email)})`.execute(database)
  await sql`DELETE FROM customer_account WHERE store_id = ${storeId} AND email_key = ${emailKey(email)}`.execute(database)
  const terms = [...new Set([email, ...orders.flatMap(({ texts }) => texts)])].filter(
    (text) => text.length >= MIN_TERM_CHARACTERS,
  )
  const patterns = terms.map((term) => `%${term.replaceAll(/[\\%_]/g, '\\$&')}%`)

  await sql`
    UPDATE "order" SET customer_id = NULL, customer = jsonb_build_object('email', NULL, 'phone', NULL, 'phonePrefix', NULL, 'ip', NULL, 'fullname', NULL),
      shipping_address = ${PLACE('shipping_address')}, billing_address = ${PLACE('billing_address')}, billing_information = NULL, source = NULL,
      payment_information = NULL, additional_information = NULL, tracking_number = NULL, tracking_url = NULL,
      token = replace(gen_random_uuid()::text, '-', ''), updated_at = ${at}, version = version + 1
    WHERE store_id = ${storeId} AND id = ANY(${ids}::integer[])`.execute(database)
  await searchableByLines(database, storeId, ids)
  await sql`DELETE FROM order_additional_field WHERE store_id = ${storeId} AND order_id = ANY(${ids}::integer[])`.execute(
    database,
  )
  await sql`
    DELETE FROM metafield WHERE store_id = ${storeId} AND owner_type = 'Order' AND owner_id = ANY(${ids}::integer[])
      AND value ILIKE ANY(${patterns}::text[])`.execute(database)
  for (const [table, column] of [
    ['order_history', 'message'],
    ['order_refund', 'reason'],
    ['order_return', 'note'],
    ['order_return', 'reason'],
  ] as const)
    await sql`
      UPDATE ${sql.table(table)} SET ${sql.ref(column)} = ${ERASED} WHERE store_id = ${storeId} AND order_id = ANY(${ids}::integer[])
        AND ${sql.ref(column)} ILIKE ANY(${patterns}::text[])`.execute(database)
  // What customers write themselves.
  await sql`
    UPDATE order_return SET note = NULL WHERE store_id = ${storeId} AND order_id = ANY(${ids}::integer[]) AND requested_by = 'CUSTOMER'`.execute(
    database,
  )
  await sql`
    UPDATE order_return_line SET note = NULL WHERE store_id = ${storeId} AND return_id IN (
      SELECT id FROM order_return WHERE store_id = ${storeId} AND order_id = ANY(${ids}::integer[]))`.execute(database)
  await sql`
    UPDATE order_history SET log = NULL WHERE store_id = ${storeId} AND order_id = ANY(${ids}::integer[])
      AND log::text ILIKE ANY(${patterns}::text[])`.execute(database)
  await sql`
    UPDATE order_document SET url = NULL, updated_at = ${at}, version = version + 1
    WHERE store_id = ${storeId} AND order_id = ANY(${ids}::integer[]) AND url ILIKE ANY(${patterns}::text[])`.execute(database)

  const { rows: sent } = await sql<{ id: number }>`
    UPDATE fulfillment SET receiver_email = NULL, phone = NULL, phone_prefix = NULL, address = ${PLACE('address')}, message = NULL, observations = NULL,
      tracking_number = NULL, tracking_url = NULL, label_file_id = NULL, updated_at = ${at}, version = version + 1
    WHERE store_id = ${storeId} AND (order_id = ANY(${ids}::integer[]) OR lower(receiver_email) = ${emailKey(email)}) RETURNING id`.execute(
    database,
  )
  const fulfillments = sent.map(({ id }) => id)
  await sql`
    UPDATE fulfillment_history SET message = ${ERASED} WHERE store_id = ${storeId} AND fulfillment_id = ANY(${fulfillments}::integer[])
      AND message ILIKE ANY(${patterns}::text[])`.execute(database)
  await sql`
    UPDATE product_review SET customer_email = NULL, review = CASE WHEN review ILIKE ANY(${patterns}::text[]) THEN ${ERASED} ELSE review END
    WHERE store_id = ${storeId} AND (lower(customer_email) = ${emailKey(email)} OR order_id = ANY(${ids}::integer[]))`.execute(
    database,
  )
  await forgetDeliveries(database, storeId, {
    Order: ids,
    Fulfillment: fulfillments,
    Customer: customerId === null ? [] : [customerId],
  })
  await forgetImportErrors(database, storeId)
  return ids.length
}

/** Stands where a text was. */
const ERASED = 'Erased.'

/** Removes what errors of imports cite of customers: of all, because texts are cut and lines hold several. */
async function forgetImportErrors(database: Kysely<Tables>, storeId: number): Promise<void> {
  await sql`
    UPDATE store_import_error AS error SET message = ${ERASED} FROM store_import AS import
    WHERE error.store_id = ${storeId} AND import.store_id = error.store_id AND import.id = error.import_id
      AND import.kind IN ('CUSTOMERS', 'ORDERS') AND error.message <> ${ERASED}`.execute(database)
}

/** Afterwards search finds the orders by their lines only, and by their number at the shop that they come from. */
async function searchableByLines(database: Kysely<Tables>, storeId: number, ids: readonly number[]): Promise<void> {
  const { rows } = await sql<{ id: number; text: string }>`
    SELECT id, concat_ws(' ',
      (SELECT name FROM imported_order WHERE store_id = ${storeId} AND order_id = erased.id),
      (SELECT string_agg(concat_ws(' ', name, sku), ' ' ORDER BY line.id) FROM order_line AS line
        WHERE store_id = ${storeId} AND order_id = erased.id)) AS text
    FROM unnest(${ids}::integer[]) AS erased (id)`.execute(database)
  const keys = new Map(rows.map(({ id, text }) => [id, textKey(text)]))
  await sql`
    UPDATE "order" SET search_key = found.key
    FROM unnest(${ids}::integer[], ${ids.map((id) => keys.get(id) ?? '')}::text[]) AS found (id, key)
    WHERE "order".store_id = ${storeId} AND "order".id = found.id`.execute(database)
}

/**
 * Removes delivered bodies about these objects, and their responses. Pending ones are rendered when
 * they are sent.
 */
async function forgetDeliveries(
  database: Kysely<Tables>,
  storeId: number,
  rows: Readonly<Record<string, readonly number[]>>,
): Promise<void> {
  for (const [entity, ids] of Object.entries(rows)) {
    await sql`
      UPDATE webhook_attempt AS attempt SET response = NULL FROM webhook_delivery AS delivery
      WHERE delivery.store_id = ${storeId} AND delivery.entity = ${entity} AND delivery.entity_id = ANY(${ids}::integer[])
        AND attempt.store_id = delivery.store_id AND attempt.delivery_id = delivery.id`.execute(database)
    await sql`
      UPDATE webhook_delivery SET body = NULL
      WHERE store_id = ${storeId} AND entity = ${entity} AND entity_id = ANY(${ids}::integer[])`.execute(database)
  }
}
