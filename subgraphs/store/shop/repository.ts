import { type Kysely, sql } from 'kysely'
import { anyOf } from '../../../platform/database/any-of.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { Tables } from '../tables.ts'
import type { Shop, ShopOrder, ShopOrderLine, ShopProduct } from './shop.ts'

/** Codes are made of these; a text of anything else, however long, names no shop. */
const CODE = /^[a-z0-9-]{1,100}$/
/** What is random in the link of an order. */
const SECRET = /^[\w-]{32}$/

export type ShopRepository = ReturnType<typeof shopRepository>

/** Public data of shops in the database. */
export const shopRepository = (database: Kysely<Tables>) => ({
  /** Shops with published products, oldest first, one more than requested. */
  list: ({ size, after, offset }: KeysetRange): Promise<Shop[]> =>
    database
      .selectFrom('store')
      .select(['id', 'code', 'name', 'currency', 'logo_url as logo'])
      .where(sells)
      .$if(after !== null, (query) => query.where('id', '>', Number(after?.[0])))
      .orderBy('id')
      .limit(size + 1)
      .offset(offset)
      .execute(),

  async count(): Promise<number> {
    const { count } = await database
      .selectFrom('store')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where(sells)
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  /** The shop with this code; null when there is none. */
  byCode: (code: string): Promise<Shop | null> => shopWhere(database, 'code', code),

  /** Null when it is gone. */
  byId: (id: number): Promise<Shop | null> => shopWhere(database, 'id', id),

  /** The order with this secret in its link, in the shop with this code; null when there is none. */
  orderByLink: async (code: string, secret: string): Promise<ShopOrder | null> =>
    CODE.test(code) && SECRET.test(secret)
      ? first(orders(database).where('store.code', '=', code).where('order.token', '=', secret))
      : null,

  /** Code of the store and secret of the link of an order; null when there is none. */
  async linkOf(storeId: number, orderId: number): Promise<{ readonly code: string; readonly secret: string } | null> {
    const found = await database
      .selectFrom('order')
      .innerJoin('store', 'store.id', 'order.store_id')
      .select(['store.code', 'order.token as secret'])
      .where('order.store_id', '=', storeId)
      .where('order.id', '=', orderId)
      .executeTakeFirst()
    return found ?? null
  },

  /** The order with this id; null when there is none. */
  orderById: (storeId: number, id: number): Promise<ShopOrder | null> =>
    first(orders(database).where('order.store_id', '=', storeId).where('order.id', '=', id)),

  /** What an order is about, in its order. */
  orderLines: (storeId: number, orderId: number): Promise<ShopOrderLine[]> =>
    database
      .selectFrom('order_line')
      .select(['name', 'qty as quantity', 'total', 'product_id as productId'])
      .select(
        sql<boolean>`EXISTS (SELECT FROM product_review review WHERE review.store_id = order_line.store_id
          AND review.product_id = order_line.product_id AND review.order_id = order_line.order_id)`.as('isReviewed'),
      )
      .where('store_id', '=', storeId)
      .where('order_id', '=', orderId)
      .orderBy('position')
      .execute(),

  /** Published products of each shop, newest first, one more than requested. */
  async products(storeIds: readonly number[], { size, after }: KeysetRange): Promise<(ShopProduct & { storeId: number })[]> {
    const behind = after === null ? sql`` : sql`AND id < ${after[0]}::integer`
    const { rows } = await sql<ShopProduct & { storeId: number }>`
      SELECT found.store_id AS "storeId", found.id, found.name, found.price - found.discount AS price, found.permalink, file.key AS "imageKey"
      FROM unnest(${storeIds}::integer[]) AS requested (id)
      CROSS JOIN LATERAL (
        SELECT * FROM product WHERE store_id = requested.id AND status = 'AVAILABLE' ${behind} ORDER BY id DESC LIMIT ${size + 1}
      ) AS found
      LEFT JOIN product_image AS image ON image.store_id = found.store_id AND image.product_id = found.id AND image.position = 1
      LEFT JOIN file ON file.store_id = image.store_id AND file.id = image.file_id
      ORDER BY found.id DESC`.execute(database)
    return rows
  },

  async countProducts(storeIds: readonly number[]): Promise<{ readonly storeId: number; readonly count: number }[]> {
    const rows = await database
      .selectFrom('product')
      .select(({ fn }) => ['store_id as storeId', fn.countAll<string>().as('count')])
      .where('store_id', '=', anyOf(storeIds))
      .where('status', '=', 'AVAILABLE')
      .groupBy('store_id')
      .execute()
    return rows.map(({ storeId, count }) => ({ storeId, count: Number(count) }))
  },
})

const orders = (database: Kysely<Tables>) =>
  database
    .selectFrom('order')
    .innerJoin('store', 'store.id', 'order.store_id')
    .select([
      'order.store_id as storeId',
      'order.id as number',
      'order.status',
      'order.shipment_status as shipmentStatus',
      'order.currency',
      'order.shipping',
      sql<string>`"order".shipping + "order".shipping_tax - "order".shipping_discount`.as('shippingTotal'),
      'order.gift_cards_discount as giftCardsDiscount',
      'order.total',
      'order.tracking_company as trackingCompany',
      'order.tracking_number as trackingNumber',
      'order.tracking_url as trackingUrl',
      'order.created_at as createdAt',
    ])

async function first(query: ReturnType<typeof orders>): Promise<ShopOrder | null> {
  return (await query.executeTakeFirst()) ?? null
}

const sells = sql<boolean>`EXISTS (SELECT 1 FROM product WHERE product.store_id = store.id AND product.status = 'AVAILABLE')`

async function shopWhere(database: Kysely<Tables>, column: 'code' | 'id', value: string | number): Promise<Shop | null> {
  const found = await database
    .selectFrom('store')
    .select(['id', 'code', 'name', 'currency', 'logo_url as logo'])
    .where(column, '=', value)
    .executeTakeFirst()
  return found ?? null
}
