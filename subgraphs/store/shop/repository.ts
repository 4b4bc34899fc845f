import { type Kysely, sql } from 'kysely'
import type { KeysetRange } from '../../runtime/keyset.ts'
import type { Tables } from '../tables.ts'
import type { Shop, ShopOrder, ShopOrderLine, ShopProduct } from './shop.ts'

export type ShopRepository = ReturnType<typeof shopRepository>

/** Shops in the database, as everybody may see them. */
export const shopRepository = (database: Kysely<Tables>) => ({
  /** Those with something on sale, oldest first, one more than asked for. */
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

  /** Null when there is none with this code. */
  byCode: (code: string): Promise<Shop | null> => shopWhere(database, 'code', code),

  /** Null when it is gone. */
  byId: (id: number): Promise<Shop | null> => shopWhere(database, 'id', id),

  /** The order with this token, in the shop with this code; null when there is none. */
  async orderByToken(code: string, token: string): Promise<ShopOrder | null> {
    const found = await database
      .selectFrom('order')
      .innerJoin('store', 'store.id', 'order.store_id')
      .select([
        'order.store_id as storeId',
        'order.id as number',
        'order.status',
        'order.shipment_status as shipmentStatus',
        'order.currency',
        'order.shipping',
        'order.total',
        'order.tracking_company as trackingCompany',
        'order.tracking_number as trackingNumber',
        'order.tracking_url as trackingUrl',
        'order.created_at as createdAt',
      ])
      .where('store.code', '=', code)
      .where('order.token', '=', token)
      .executeTakeFirst()
    return found ?? null
  },

  /** What an order is about, in its order. */
  orderLines: (storeId: number, orderId: number): Promise<ShopOrderLine[]> =>
    database
      .selectFrom('order_line')
      .select(['name', 'qty as quantity', 'total'])
      .where('store_id', '=', storeId)
      .where('order_id', '=', orderId)
      .orderBy('position')
      .execute(),

  /** What is on sale, newest first, one more than asked for. */
  products: (storeId: number, { size, after }: KeysetRange): Promise<ShopProduct[]> =>
    database
      .selectFrom('product')
      .leftJoin('product_image', (join) =>
        join
          .onRef('product_image.store_id', '=', 'product.store_id')
          .onRef('product_image.product_id', '=', 'product.id')
          .on('product_image.position', '=', 1),
      )
      .leftJoin('file', (join) =>
        join.onRef('file.store_id', '=', 'product_image.store_id').onRef('file.id', '=', 'product_image.file_id'),
      )
      .select([
        'product.id',
        'product.name',
        sql<string>`product.price - product.discount`.as('price'),
        'product.permalink',
        'file.key as imageKey',
      ])
      .where('product.store_id', '=', storeId)
      .where('product.status', '=', 'AVAILABLE')
      .$if(after !== null, (query) => query.where('product.id', '<', Number(after?.[0])))
      .orderBy('product.id', 'desc')
      .limit(size + 1)
      .execute(),

  async countProducts(storeId: number): Promise<number> {
    const { count } = await database
      .selectFrom('product')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('store_id', '=', storeId)
      .where('status', '=', 'AVAILABLE')
      .executeTakeFirstOrThrow()
    return Number(count)
  },
})

const sells = sql<boolean>`EXISTS (SELECT 1 FROM product WHERE product.store_id = store.id AND product.status = 'AVAILABLE')`

async function shopWhere(database: Kysely<Tables>, column: 'code' | 'id', value: string | number): Promise<Shop | null> {
  const found = await database
    .selectFrom('store')
    .select(['id', 'code', 'name', 'currency', 'logo_url as logo'])
    .where(column, '=', value)
    .executeTakeFirst()
  return found ?? null
}
