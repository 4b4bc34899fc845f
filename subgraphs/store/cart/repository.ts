import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { emailKey } from '../customer/customer.ts'
import type { Tables } from '../tables.ts'
import { type CartContents, EMPTY_CART, type ShoppingCart } from './cart.ts'

const COLUMNS = [
  'id',
  'store_id as storeId',
  'status',
  'contents',
  'order_id as orderId',
  'pay_until as payUntil',
  'abandoned_order_id as abandonedOrderId',
  'updated_at as updatedAt',
] as const

export type CartRepository = ReturnType<typeof cartRepository>

/** Carts of shoppers in the database. */
export const cartRepository = (database: Kysely<Tables>) => ({
  /** The cart with this hash of a token; null when there is none. */
  byToken: (storeId: number, tokenHash: Buffer): Promise<ShoppingCart | null> =>
    first(carts(database).where('store_id', '=', storeId).where('token_hash', '=', tokenHash)),

  /** The same, locked until the transaction ends. */
  lockByToken: (storeId: number, tokenHash: Buffer): Promise<ShoppingCart | null> =>
    first(carts(database).where('store_id', '=', storeId).where('token_hash', '=', tokenHash).forUpdate()),

  /**
   * Locks the row until the transaction ends; null when another transaction holds it, or there is
   * none.
   */
  lock: (storeId: number, id: number): Promise<ShoppingCart | null> =>
    first(carts(database).where('store_id', '=', storeId).where('id', '=', id).forUpdate().skipLocked()),

  /** The cart whose abandoned order has this token in its link; null when there is none. */
  byAbandonedOrder: (storeId: number, token: string): Promise<ShoppingCart | null> =>
    first(
      carts(database)
        .where('store_id', '=', storeId)
        .where('abandoned_order_id', '=', (query) =>
          query.selectFrom('order').select('order.id').where('order.store_id', '=', storeId).where('order.token', '=', token),
        ),
    ),

  async insert(storeId: number, tokenHash: Buffer, contents: CartContents, at: Date): Promise<number> {
    const { id } = await database
      .insertInto('cart')
      .values({
        store_id: storeId,
        token_hash: tokenHash,
        contents: JSON.stringify(contents),
        email_key: keyOf(contents),
        created_at: at,
        updated_at: at,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async update(storeId: number, id: number, contents: CartContents, at: Date): Promise<void> {
    await database
      .updateTable('cart')
      .set({ contents: JSON.stringify(contents), email_key: keyOf(contents), updated_at: at })
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  async setOrdered(storeId: number, id: number, order: { readonly orderId: number; readonly payUntil: Date | null }, at: Date) {
    await database
      .updateTable('cart')
      .set({ status: 'ORDERED', order_id: order.orderId, pay_until: order.payUntil, updated_at: at })
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  async setAbandoned(storeId: number, id: number, abandonedOrderId: number): Promise<void> {
    await database
      .updateTable('cart')
      .set({ abandoned_order_id: abandonedOrderId })
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /** The order of the cart is paid, or reserves nothing any more: it does not expire. */
  async setNoExpiry(storeId: number, orderId: number): Promise<void> {
    await database
      .updateTable('cart')
      .set({ pay_until: null })
      .where('store_id', '=', storeId)
      .where('order_id', '=', orderId)
      .execute()
  },

  /** Open ones of shoppers with an e-mail address, unchanged since, that no order shows. */
  idle: (before: Date, max: number): Promise<Pick<ShoppingCart, 'storeId' | 'id'>[]> =>
    database
      .selectFrom('cart')
      .select(['store_id as storeId', 'id'])
      .where('status', '=', 'OPEN')
      .where('abandoned_order_id', 'is', null)
      .where('email_key', 'is not', null)
      .where('updated_at', '<', before)
      .orderBy('updated_at')
      .limit(max)
      .execute(),

  /** Those whose order reserves stock, and had to be paid by then. */
  unpaid: (at: Date, max: number): Promise<{ readonly storeId: number; readonly orderId: number | null }[]> =>
    database
      .selectFrom('cart')
      .select(['store_id as storeId', 'order_id as orderId'])
      .where('pay_until', '<', at)
      .orderBy('pay_until')
      .limit(max)
      .execute(),

  /** Deletes carts that are unchanged since; returns their number. */
  async deleteBefore(before: Date, max: number): Promise<number> {
    const { numAffectedRows } = await sql`
      DELETE FROM cart WHERE (store_id, id) IN (
        SELECT store_id, id FROM cart WHERE updated_at < ${before} AND pay_until IS NULL LIMIT ${max})`.execute(database)
    return Number(numAffectedRows ?? 0)
  },
})

const carts = (database: Kysely<Tables>) => database.selectFrom('cart').select(COLUMNS)

async function first(query: SelectQueryBuilder<Tables, 'cart', unknown>): Promise<ShoppingCart | null> {
  // `contents` is written by this repository only.
  const found = (await query.executeTakeFirst()) as ShoppingCart | undefined
  // One that was written before may lack what carts have today.
  return found ? { ...found, contents: { ...EMPTY_CART, ...found.contents } } : null
}

const keyOf = ({ email }: CartContents): string | null => (email === null ? null : emailKey(email))
