import { type Kysely, sql } from 'kysely'
import { anyOf } from '../../../platform/database/any-of.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { Tables } from '../tables.ts'
import type { NewReturnLine, OrderReturn, OrderReturnLine, OrderReturnStatus, ReceivedLine } from './order-return.ts'

const COLUMNS = [
  'id',
  'order_id as orderId',
  'status',
  'requested_by as requestedBy',
  'note',
  'reason',
  'refund_id as refundId',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'version',
] as const
const LINE = [
  'return_id as returnId',
  'order_line_id as lineNumber',
  'quantity',
  'reason',
  'note',
  'received',
  'restock',
  'location_id as locationNumber',
] as const

export type OrderReturnRepository = ReturnType<typeof orderReturnRepository>

/** Returns in the database; every call is about one store. */
export const orderReturnRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (storeId: number, ids: readonly number[]): Promise<OrderReturn[]> =>
    returnsOf(database, storeId).where('id', '=', anyOf(ids)).execute(),

  /** Oldest first, one more than requested; null: with any status. */
  list: (
    storeId: number,
    status: readonly OrderReturnStatus[] | null,
    { size, after, offset }: KeysetRange,
  ): Promise<OrderReturn[]> =>
    returnsOf(database, storeId)
      .$if(status !== null, (query) => query.where(isOneOf(status ?? [])))
      .where('id', '>', after === null ? 0 : Number(after[0]))
      .orderBy('id')
      .limit(size + 1)
      .offset(offset)
      .execute(),

  async count(storeId: number, status: readonly OrderReturnStatus[] | null): Promise<number> {
    const { count } = await database
      .selectFrom('order_return')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('store_id', '=', storeId)
      .$if(status !== null, (query) => query.where(isOneOf(status ?? [])))
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  /** Of these orders, oldest first. */
  ofOrders: (storeId: number, orderIds: readonly number[]): Promise<OrderReturn[]> =>
    returnsOf(database, storeId).where('order_id', '=', anyOf(orderIds)).orderBy('id').execute(),

  /** Of these returns, by line. */
  linesOf: (storeId: number, returnIds: readonly number[]): Promise<OrderReturnLine[]> =>
    database
      .selectFrom('order_return_line')
      .select(LINE)
      .where('store_id', '=', storeId)
      .where('return_id', '=', anyOf(returnIds))
      .orderBy('order_line_id')
      .execute(),

  /** The order of a return; null when there is none. */
  async orderOf(storeId: number, id: number): Promise<number | null> {
    const [found] = await this.findByIds(storeId, [id])
    return found?.orderId ?? null
  },

  /** The row until the transaction ends. Lock its order first. */
  async lock(storeId: number, id: number): Promise<OrderReturn | null> {
    return (await returnsOf(database, storeId).where('id', '=', id).forUpdate().executeTakeFirst()) ?? null
  },

  async insert(
    storeId: number,
    { orderId, status, requestedBy, note }: Pick<OrderReturn, 'orderId' | 'status' | 'requestedBy' | 'note'>,
    lines: readonly NewReturnLine[],
    at: Date,
  ): Promise<number> {
    const { id } = await database
      .insertInto('order_return')
      .values({
        ...{ store_id: storeId, order_id: orderId, status, requested_by: requestedBy, note },
        ...{ created_at: at, updated_at: at },
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await database
      .insertInto('order_return_line')
      .values(
        lines.map(({ lineNumber, quantity, reason, note: about }) => ({
          ...{ store_id: storeId, return_id: id, order_line_id: lineNumber, quantity, reason, note: about },
        })),
      )
      .execute()
    return id
  },

  async update(
    storeId: number,
    id: number,
    { status, reason, refundId }: Pick<OrderReturn, 'status' | 'reason' | 'refundId'>,
    at: Date,
  ): Promise<void> {
    await database
      .updateTable('order_return')
      .set((set) => ({ status, reason, refund_id: refundId, updated_at: at, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /** Records what arrived. */
  async receive(storeId: number, id: number, lines: readonly ReceivedLine[]): Promise<void> {
    await sql`
      UPDATE order_return_line AS line SET received = part.received, restock = part.restock, location_id = part.location_id
      FROM unnest(${lines.map(({ lineNumber }) => lineNumber)}::integer[], ${lines.map(({ received }) => received)}::integer[],
        ${lines.map(({ restock }) => restock)}::text[], ${lines.map(({ locationNumber }) => locationNumber)}::integer[])
        AS part (id, received, restock, location_id)
      WHERE line.store_id = ${storeId} AND line.return_id = ${id} AND line.order_line_id = part.id`.execute(database)
  },
})

const returnsOf = (database: Kysely<Tables>, storeId: number) =>
  database.selectFrom('order_return').select(COLUMNS).where('store_id', '=', storeId)

/** Clients may give an empty list, for which SQL has no `IN`: no return matches. */
const isOneOf = (status: readonly OrderReturnStatus[]) => sql<boolean>`status = ANY (${status}::text[])`
