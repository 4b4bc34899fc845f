import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import type { SalesDay, SalesSelection } from './sales-report.ts'

type DayRow = {
  readonly index: number
  readonly ordersPlaced: string
  readonly ordersPaid: string
  readonly ordersCanceled: string
  readonly gross: string
  readonly net: string
  readonly refunded: string
}

type ProductRow = {
  readonly productCount: string
  readonly productNumber: number | null
  readonly name: string | null
  readonly units: string
  readonly net: string
  readonly tax: string
  readonly refundedUnits: string
  readonly refunded: string
}

type SourceRow = {
  readonly sourceCount: string
  readonly createdFrom: string | null
  readonly createdFromAppCode: string | null
  readonly sourceName: string | null
  readonly medium: string | null
  readonly campaign: string | null
  readonly ordersPlaced: string
  readonly ordersPaid: string
  readonly ordersCanceled: string
  readonly gross: string
  readonly net: string
  readonly refunded: string
}

type TaxRow = {
  readonly taxCount: string
  readonly name: string | null
  readonly country: string | null
  readonly region: string | null
  readonly rate: string | null
  readonly fixed: boolean | null
  readonly onShipping: boolean | null
  readonly net: string
  readonly amount: string
}

/** Sums of a row of `"order"`: how many, and their amounts. */
const ORDER_SUMS = sql`
  count(*) AS "ordersPlaced",
  count(*) FILTER (WHERE status = 'PAID') AS "ordersPaid",
  count(*) FILTER (WHERE status = 'CANCELED') AS "ordersCanceled",
  coalesce(sum(total + gift_cards_discount) FILTER (WHERE status = 'PAID'), 0) AS gross,
  coalesce(sum(total + gift_cards_discount - tax - shipping_tax) FILTER (WHERE status = 'PAID'), 0) AS net,
  coalesce(sum((
    SELECT sum(amount - failed_amount + to_gift_cards) FROM order_refund
    WHERE order_refund.store_id = "order".store_id AND order_id = "order".id
  )) FILTER (WHERE status = 'PAID'), 0) AS refunded`

/** Orders that count, by the index `order_created`. */
const isSelected = ({ storeId, currency, since, before }: SalesSelection) => sql`
  "order".store_id = ${storeId} AND "order".created_at >= ${since} AND "order".created_at < ${before}
  AND "order".status <> 'ABANDONED' AND "order".currency = ${currency}`

/** Refunded units of a line, and their price. */
const REFUNDED_UNITS = sql`
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(quantity), 0) AS units, coalesce(sum(amount), 0) AS amount FROM order_refund_line
    WHERE order_refund_line.store_id = line.store_id AND order_line_id = line.id
  ) AS back`

/** The lines of its paid orders, with what else is joined to each. */
const paidLines = (selection: SalesSelection, joined = sql``) => sql`
  "order" JOIN order_line AS line ON line.store_id = ${selection.storeId} AND line.order_id = "order".id ${joined}
  WHERE ${isSelected(selection)} AND "order".status = 'PAID'`

/** Sums over orders in the database; every call is about one store. */
export const salesReportRepository = (database: Kysely<Tables>) => ({
  /**
   * Sales in a currency between each of these instants and the next, by the index of the first one;
   * spans without orders are absent. Reads the orders created between the first and the last
   * instant by the index `order_created`.
   */
  async salesBetween(selection: SalesSelection, starts: readonly Date[]): Promise<ReadonlyMap<number, Omit<SalesDay, 'day'>>> {
    const instants = starts.map((start) => start.toISOString())
    const { rows } = await sql<DayRow>`
      SELECT width_bucket(created_at, ${instants}::timestamptz[]) - 1 AS index,
        ${ORDER_SUMS}
      FROM "order"
      WHERE ${isSelected(selection)}
      GROUP BY 1`.execute(database)
    return new Map(rows.map(({ index, ...row }) => [index, withCounts(row)]))
  },

  /**
   * Products of paid orders, the highest net first, at most `first`, and a row that sums the others.
   * Lines without a product are one by their name.
   */
  async salesOfProducts(selection: SalesSelection, first: number) {
    const { rows } = await sql<ProductRow>`
      WITH sold AS (
        SELECT line.product_id, CASE WHEN line.product_id IS NULL THEN line.name END AS custom_name, max(line.id) AS last_line,
          sum(line.qty) AS units, sum(line.subtotal - line.discount) AS net, sum(line.tax) AS tax,
          sum(back.units) AS refunded_units, sum(back.amount) AS refunded
        FROM ${paidLines(selection, REFUNDED_UNITS)}
        GROUP BY 1, 2
      ), ranked AS (
        SELECT *, least(row_number() OVER (ORDER BY net DESC, last_line), ${first + 1}::bigint) AS position FROM sold
      ), shown AS (
        SELECT position, count(*) AS product_count, CASE WHEN count(*) = 1 THEN min(product_id) END AS product_id,
          CASE WHEN count(*) = 1 THEN min(last_line) END AS last_line, sum(units) AS units, sum(net) AS net, sum(tax) AS tax,
          sum(refunded_units) AS refunded_units, sum(refunded) AS refunded
        FROM ranked GROUP BY position
      )
      SELECT product_count AS "productCount", shown.product_id AS "productNumber", coalesce(product.name, line.name) AS name,
        shown.units, shown.net, shown.tax, shown.refunded_units AS "refundedUnits", shown.refunded
      FROM shown
      LEFT JOIN product ON product.store_id = ${selection.storeId} AND product.id = shown.product_id
      LEFT JOIN order_line AS line ON line.store_id = ${selection.storeId} AND line.id = shown.last_line
      ORDER BY shown.position`.execute(database)
    return rows.map(({ productCount, ...row }) => ({ ...row, productCount: Number(productCount) }))
  },

  /** What orders have beside their lines: shipping, and refunds of no lines. */
  async salesOfShipping(selection: SalesSelection) {
    const { rows } = await sql<{ readonly net: string; readonly tax: string; readonly refunded: string }>`
      SELECT coalesce(sum(shipping - shipping_discount), 0) AS net, coalesce(sum(shipping_tax), 0) AS tax,
        coalesce(sum((
          SELECT sum(amount - failed_amount + to_gift_cards) FROM order_refund
          WHERE order_refund.store_id = ${selection.storeId} AND order_id = "order".id
        )), 0) - coalesce(sum((
          SELECT sum(back.amount) FROM order_line AS line
          JOIN order_refund_line AS back ON back.store_id = ${selection.storeId} AND back.order_line_id = line.id
          WHERE line.store_id = ${selection.storeId} AND line.order_id = "order".id
        )), 0) AS refunded
      FROM "order" WHERE ${isSelected(selection)} AND status = 'PAID'`.execute(database)
    return rows[0] ?? { net: '0', tax: '0', refunded: '0' }
  },

  /** Traffic sources of orders, the highest gross first, at most `first`, and a row that sums the others. */
  async salesOfSources(selection: SalesSelection, first: number) {
    const { rows } = await sql<SourceRow>`
      WITH placed AS (
        SELECT nullif(source ->> 'createdFrom', '') AS created_from, nullif(source ->> 'createdFromAppCode', '') AS app_code,
          nullif(source ->> 'sourceName', '') AS source_name, nullif(source ->> 'medium', '') AS medium,
          nullif(source ->> 'campaign', '') AS campaign,
          ${ORDER_SUMS}
        FROM "order" WHERE ${isSelected(selection)}
        GROUP BY 1, 2, 3, 4, 5
      ), ranked AS (
        SELECT *, least(
          row_number() OVER (ORDER BY gross DESC, "ordersPlaced" DESC, created_from, app_code, source_name, medium, campaign),
          ${first + 1}::bigint
        ) AS position FROM placed
      )
      SELECT count(*) AS "sourceCount", CASE WHEN count(*) = 1 THEN min(created_from) END AS "createdFrom",
        CASE WHEN count(*) = 1 THEN min(app_code) END AS "createdFromAppCode",
        CASE WHEN count(*) = 1 THEN min(source_name) END AS "sourceName", CASE WHEN count(*) = 1 THEN min(medium) END AS medium,
        CASE WHEN count(*) = 1 THEN min(campaign) END AS campaign, sum("ordersPlaced") AS "ordersPlaced",
        sum("ordersPaid") AS "ordersPaid", sum("ordersCanceled") AS "ordersCanceled", sum(gross) AS gross, sum(net) AS net,
        sum(refunded) AS refunded
      FROM ranked GROUP BY position ORDER BY position`.execute(database)
    return rows.map(({ sourceCount, ...row }) => ({ ...withCounts(row), sourceCount: Number(sourceCount) }))
  },

  /** Taxes of paid orders, the highest amount first, at most `first`, and a row that sums the others. */
  async taxesOf(selection: SalesSelection, first: number) {
    const { rows } = await sql<TaxRow>`
      WITH taxed AS (
        SELECT false AS on_shipping, line.taxes, line.subtotal - line.discount AS net FROM ${paidLines(selection)}
        UNION ALL
        SELECT true, shipping_taxes, shipping - shipping_discount FROM "order"
        WHERE ${isSelected(selection)} AND status = 'PAID'
      ), charged AS (
        SELECT on_shipping, name, country, region, rate, fixed, sum(net) AS net, sum(amount) AS amount
        FROM taxed, jsonb_to_recordset(taxes)
          AS tax (name text, country text, region text, rate numeric, fixed boolean, amount numeric)
        GROUP BY 1, 2, 3, 4, 5, 6
      ), ranked AS (
        SELECT *, least(
          row_number() OVER (ORDER BY amount DESC, name, country, region, rate, fixed, on_shipping), ${first + 1}::bigint
        ) AS position FROM charged
      )
      SELECT count(*) AS "taxCount", CASE WHEN count(*) = 1 THEN min(name) END AS name,
        CASE WHEN count(*) = 1 THEN min(country) END AS country, CASE WHEN count(*) = 1 THEN min(region) END AS region,
        CASE WHEN count(*) = 1 THEN min(rate) END AS rate, CASE WHEN count(*) = 1 THEN bool_or(fixed) END AS fixed,
        CASE WHEN count(*) = 1 THEN bool_or(on_shipping) END AS "onShipping", sum(net) AS net, sum(amount) AS amount
      FROM ranked GROUP BY position ORDER BY position`.execute(database)
    return rows.map(({ taxCount, ...row }) => ({ ...row, taxCount: Number(taxCount) }))
  },
})

type Counts = { readonly ordersPlaced: string; readonly ordersPaid: string; readonly ordersCanceled: string }

/** Counts of the database, which are texts, as numbers. */
const withCounts = <Row extends Counts>({ ordersPlaced, ordersPaid, ordersCanceled, ...row }: Row) => ({
  ...row,
  ordersPlaced: Number(ordersPlaced),
  ordersPaid: Number(ordersPaid),
  ordersCanceled: Number(ordersCanceled),
})
