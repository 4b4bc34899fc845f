import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { OrderRefund, OrderRefundLine, WrittenRefund } from './order-refund.ts'

const COLUMNS = [
  'id',
  'order_id as orderId',
  'amount',
  'failed_amount as failedAmount',
  'to_gift_cards as toGiftCards',
  'reason',
  'restocked',
  'created_at as createdAt',
] as const

export type OrderRefundRepository = ReturnType<typeof orderRefundRepository>

/** Refunds of orders in the database; every call is about one store. */
export const orderRefundRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (storeId: number, ids: readonly number[]): Promise<OrderRefund[]> =>
    database.selectFrom('order_refund').select(COLUMNS).where('store_id', '=', storeId).where('id', 'in', ids).execute(),

  /** Of these orders, oldest first. */
  ofOrders: (storeId: number, orderIds: readonly number[]): Promise<OrderRefund[]> =>
    database
      .selectFrom('order_refund')
      .select(COLUMNS)
      .where('store_id', '=', storeId)
      .where('order_id', 'in', orderIds)
      .orderBy('id')
      .execute(),

  /** Of these refunds, by line. */
  linesOf: (storeId: number, refundIds: readonly number[]): Promise<OrderRefundLine[]> =>
    database
      .selectFrom('order_refund_line')
      .select(['refund_id as refundId', 'order_line_id as lineNumber', 'quantity', 'amount'])
      .where('store_id', '=', storeId)
      .where('refund_id', 'in', refundIds)
      .orderBy('order_line_id')
      .execute(),

  /** Units of the lines of an order that were paid back, by the line's row. */
  async unitsOf(storeId: number, orderId: number): Promise<ReadonlyMap<number, number>> {
    const rows = await database
      .selectFrom('order_refund_line as line')
      .innerJoin('order_refund as refund', (join) =>
        join.onRef('refund.store_id', '=', 'line.store_id').onRef('refund.id', '=', 'line.refund_id'),
      )
      .select(({ fn }) => ['line.order_line_id as lineId', fn.sum<string>('line.quantity').as('quantity')])
      .where('refund.store_id', '=', storeId)
      .where('refund.order_id', '=', orderId)
      .groupBy('line.order_line_id')
      .execute()
    return new Map(rows.map(({ lineId, quantity }) => [lineId, Number(quantity)]))
  },

  /** Adds to what failed of a refund. */
  async addFailure(storeId: number, id: number, amount: string): Promise<void> {
    await database
      .updateTable('order_refund')
      .set((set) => ({ failed_amount: set('failed_amount', '+', amount) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  async insert(
    storeId: number,
    orderId: number,
    {
      amount,
      toGiftCards,
      lines,
      reason,
      restocked,
      at,
    }: WrittenRefund & Pick<OrderRefund, 'reason' | 'restocked'> & { readonly at: Date },
  ): Promise<number> {
    const { id } = await database
      .insertInto('order_refund')
      .values({ store_id: storeId, order_id: orderId, amount, to_gift_cards: toGiftCards, reason, restocked, created_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    if (lines.length > 0) {
      await database
        .insertInto('order_refund_line')
        .values(
          lines.map(({ lineNumber, quantity, amount: cost }) => ({
            store_id: storeId,
            refund_id: id,
            order_line_id: lineNumber,
            quantity,
            amount: cost,
          })),
        )
        .execute()
    }
    return id
  },
})
