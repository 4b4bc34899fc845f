import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import type { SalesDay } from './sales-report.ts'

type Row = {
  readonly index: number
  readonly ordersPlaced: string
  readonly ordersPaid: string
  readonly ordersCanceled: string
  readonly gross: string
  readonly net: string
  readonly refunded: string
}

/** Sums over orders in the database; every call is about one store. */
export const salesReportRepository = (database: Kysely<Tables>) => ({
  /**
   * Sales in a currency between each of these instants and the next, by the index of the first one;
   * spans without orders are absent. Reads the orders created between the first and the last
   * instant by the index `order_created`.
   */
  async salesBetween(
    storeId: number,
    currency: string,
    starts: readonly Date[],
  ): Promise<ReadonlyMap<number, Omit<SalesDay, 'day'>>> {
    const instants = starts.map((start) => start.toISOString())
    const { rows } = await sql<Row>`
      SELECT width_bucket(created_at, ${instants}::timestamptz[]) - 1 AS index,
        count(*) AS "ordersPlaced",
        count(*) FILTER (WHERE status = 'PAID') AS "ordersPaid",
        count(*) FILTER (WHERE status = 'CANCELED') AS "ordersCanceled",
        coalesce(sum(total + gift_cards_discount) FILTER (WHERE status = 'PAID'), 0) AS gross,
        coalesce(sum(total + gift_cards_discount - tax - shipping_tax) FILTER (WHERE status = 'PAID'), 0) AS net,
        coalesce(sum((
          SELECT sum(amount - failed_amount + to_gift_cards) FROM order_refund
          WHERE order_refund.store_id = "order".store_id AND order_id = "order".id
        )) FILTER (WHERE status = 'PAID'), 0) AS refunded
      FROM "order"
      WHERE store_id = ${storeId} AND created_at >= ${instants[0]} AND created_at < ${instants.at(-1)}
        AND status <> 'ABANDONED' AND currency = ${currency}
      GROUP BY 1`.execute(database)
    return new Map(
      rows.map(({ index, ordersPlaced, ordersPaid, ordersCanceled, ...amounts }) => [
        index,
        {
          ordersPlaced: Number(ordersPlaced),
          ordersPaid: Number(ordersPaid),
          ordersCanceled: Number(ordersCanceled),
          ...amounts,
        },
      ]),
    )
  },
})
