import { type Kysely, sql } from 'kysely'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { Tables } from '../tables.ts'
import type { OrderHistoryEntry } from './order-history.ts'

/** The requested part of a history, from its beginning or its end. */
export type HistoryRange = KeysetRange & { readonly isNewestFirst: boolean }

export type OrderHistoryRepository = ReturnType<typeof orderHistoryRepository>

/** What happened to orders, in the database; every call is about one store. */
export const orderHistoryRepository = (database: Kysely<Tables>) => ({
  /** Whether the store has this order. */
  async hasOrder(storeId: number, orderId: number): Promise<boolean> {
    const found = await database
      .selectFrom('order')
      .select('id')
      .where('store_id', '=', storeId)
      .where('id', '=', orderId)
      .executeTakeFirst()
    return found !== undefined
  },

  /** In any order, without those that do not exist. */
  findByIds: (storeId: number, ids: readonly number[]): Promise<OrderHistoryEntry[]> =>
    database
      .selectFrom('order_history')
      .select(['id', 'order_id as orderId', 'message', 'log', 'created_at as createdAt'])
      .where('store_id', '=', storeId)
      .where('id', 'in', ids)
      .execute(),

  /** Of these orders, one more of each than requested. */
  async ofOrders(
    storeId: number,
    orderIds: readonly number[],
    { size, after, offset, isNewestFirst }: HistoryRange,
  ): Promise<readonly OrderHistoryEntry[]> {
    const direction = isNewestFirst ? sql`DESC` : sql`ASC`
    const position = after === null ? null : Number(after[0])
    const isBehind = position === null ? sql`true` : isNewestFirst ? sql`id < ${position}` : sql`id > ${position}`
    const { rows } = await sql<OrderHistoryEntry>`
      SELECT entry.id, requested.id AS "orderId", entry.message, entry.log, entry.created_at AS "createdAt"
      FROM unnest(${orderIds}::integer[]) AS requested (id)
      CROSS JOIN LATERAL (
        SELECT id, message, log, created_at FROM order_history
        WHERE store_id = ${storeId} AND order_id = requested.id AND ${isBehind}
        ORDER BY id ${direction} LIMIT ${size + 1} OFFSET ${offset}
      ) AS entry
      ORDER BY entry.id ${direction}`.execute(database)
    return rows
  },

  countOf: (storeId: number, orderIds: readonly number[]): Promise<{ readonly orderId: number; readonly count: string }[]> =>
    database
      .selectFrom('order_history')
      .select(({ fn }) => ['order_id as orderId', fn.countAll<string>().as('count')])
      .where('store_id', '=', storeId)
      .where('order_id', 'in', orderIds)
      .groupBy('order_id')
      .execute(),

  async insert(
    storeId: number,
    { orderId, message, log, at }: Pick<OrderHistoryEntry, 'orderId' | 'message' | 'log'> & { readonly at: Date },
  ): Promise<number> {
    const { id } = await database
      .insertInto('order_history')
      .values({ store_id: storeId, order_id: orderId, message, log: log == null ? null : JSON.stringify(log), created_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },
})
