import { type Kysely, type RawBuilder, sql } from 'kysely'
import { ROLE_RIGHTS } from '../access/staff-roles.ts'
import type { MemberRole } from '../staff-member/staff-member.ts'
import type { Tables } from '../tables.ts'
import type { AlertRecipient, LowStockItem } from './low-stock-alert.ts'

/** Key of an advisory lock: used for nothing else, the same in every process. */
const ALERT_LOCK = 0x6c6f7773

/** Roles that may read products, and so their stock. */
const READING_ROLES: readonly MemberRole[] = (['MANAGER', 'CATALOGUE', 'FULFILLMENT', 'SUPPORT'] as const).filter((role) => {
  const { scopes } = ROLE_RIGHTS[role]
  return scopes === 'all' || scopes.includes('read_products')
})

export type LowStockAlertRepository = ReturnType<typeof lowStockAlertRepository>

/** Items that are low in stock, and the e-mails about them, in the database. */
export const lowStockAlertRepository = (database: Kysely<Tables>) => ({
  /**
   * Stores with items to report and somebody to report to, whose last e-mail is from before `since`:
   * `max` at most, in the order of their ids, from behind `after`.
   */
  async due(since: Date, { after, max }: { readonly after: number; readonly max: number }): Promise<readonly number[]> {
    const { rows } = await sql<{ readonly storeId: number }>`
      SELECT DISTINCT item.store_id AS "storeId" FROM low_stock_item item JOIN store ON store.id = item.store_id
      WHERE item.alert_id IS NULL AND item.store_id > ${after} AND ${IS_SOLD} AND store.low_stock_alerts
        AND NOT EXISTS (SELECT 1 FROM low_stock_alert alert WHERE alert.store_id = item.store_id AND alert.created_at > ${since})
        AND (store.email IS NOT NULL OR EXISTS (SELECT 1 FROM staff_member member WHERE member.store_id = store.id AND ${IS_RECIPIENT}))
      ORDER BY item.store_id LIMIT ${max}`.execute(database)
    return rows.map(({ storeId }) => storeId)
  },

  /**
   * Locks the e-mails of a store until the transaction ends; whether it may get one: alerts are on,
   * and the last is from before `since`.
   */
  async lock(storeId: number, since: Date): Promise<boolean> {
    await sql`SELECT pg_advisory_xact_lock(${ALERT_LOCK}, ${storeId})`.execute(database)
    const { rows } = await sql`
      SELECT 1 FROM store WHERE id = ${storeId} AND low_stock_alerts
        AND NOT EXISTS (SELECT 1 FROM low_stock_alert WHERE store_id = ${storeId} AND created_at > ${since})`.execute(database)
    return rows.length > 0
  },

  /** The owner, and members of the staff who get these e-mails. */
  async recipients(storeId: number): Promise<readonly AlertRecipient[]> {
    const { rows } = await sql<AlertRecipient>`
      SELECT NULL::integer AS "staffMemberId", email FROM store WHERE id = ${storeId} AND email IS NOT NULL
      UNION ALL
      SELECT id, low_stock_email FROM staff_member member WHERE store_id = ${storeId} AND ${IS_RECIPIENT}
      ORDER BY 1 NULLS FIRST`.execute(database)
    return rows
  },

  /** Makes an e-mail of what no e-mail has reported, except items that a sale changes now; its id. */
  async report(storeId: number, at: Date): Promise<{ readonly alertId: number; readonly itemCount: number }> {
    const { id: alertId } = await database
      .insertInto('low_stock_alert')
      .values({ store_id: storeId, created_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    const { numAffectedRows = 0n } = await sql`
      UPDATE low_stock_item SET alert_id = ${alertId} WHERE store_id = ${storeId} AND id = ANY (ARRAY(
        SELECT item.id FROM low_stock_item item WHERE item.store_id = ${storeId} AND item.alert_id IS NULL AND ${IS_SOLD}
        FOR UPDATE SKIP LOCKED))`.execute(database)
    return { alertId, itemCount: Number(numAffectedRows) }
  },

  /** Deletes e-mails of a store of before a time: nothing sends them any more. */
  async deleteBefore(storeId: number, before: Date): Promise<void> {
    await database.deleteFrom('low_stock_alert').where('store_id', '=', storeId).where('created_at', '<', before).execute()
  },

  /** Items of an e-mail that are low still, fewest units first, `max` at most, and their number. */
  async items(
    storeId: number,
    alertId: number,
    max: number,
  ): Promise<{ readonly items: readonly LowStockItem[]; readonly count: number }> {
    const { rows } = await sql<LowStockItem & { readonly count: number }>`
      SELECT product.name AS "productName",
        (SELECT string_agg(value.name, ', ' ORDER BY option.position, option.id) FROM product_variant_value held
          JOIN product_option_value value ON value.store_id = held.store_id AND value.id = held.value_id
          JOIN product_option option ON option.store_id = value.store_id AND option.id = value.option_id
          WHERE held.store_id = item.store_id AND held.variant_id = item.variant_id) AS "variantName",
        coalesce(variant.sku, product.sku) AS sku,
        coalesce(variant.stock, product.stock) AS stock,
        ARRAY(SELECT location.name || ': ' || level.stock FROM inventory_level level
          JOIN location ON location.store_id = level.store_id AND location.id = level.location_id
          WHERE level.store_id = item.store_id AND level.product_id = item.product_id
            AND level.variant_id IS NOT DISTINCT FROM item.variant_id
          ORDER BY location.main DESC, location.id LIMIT ${MAX_LOCATIONS}) AS locations,
        count(*) OVER ()::integer AS count
      FROM low_stock_item item
      JOIN product ON product.store_id = item.store_id AND product.id = item.product_id
      LEFT JOIN product_variant variant ON variant.store_id = item.store_id AND variant.id = item.variant_id
      WHERE item.store_id = ${storeId} AND item.alert_id = ${alertId} AND ${IS_SOLD}
      ORDER BY 4, item.id LIMIT ${max}`.execute(database)
    return { items: rows.map(({ count: _, ...item }) => item), count: rows[0]?.count ?? 0 }
  },
})

/** Locations that an e-mail names of an item. */
const MAX_LOCATIONS = 5

/** Whether an item can be sold: a product with variants is sold as one of these. */
const IS_SOLD: RawBuilder<boolean> = sql`(item.variant_id IS NOT NULL OR NOT EXISTS (
  SELECT 1 FROM product_variant other WHERE other.store_id = item.store_id AND other.product_id = item.product_id))`

/** Whether a member of the staff gets e-mails: accepted, with an address, in a role that reads products. */
const IS_RECIPIENT: RawBuilder<boolean> = sql`(member.low_stock_email IS NOT NULL AND member.user_id IS NOT NULL
  AND member.role = ANY (${READING_ROLES}::text[]))`
