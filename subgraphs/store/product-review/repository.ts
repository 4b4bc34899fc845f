import { type Kysely, sql } from 'kysely'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import { countRows } from '../row-repository.ts'
import type { Tables } from '../tables.ts'
import type { ProductReview } from './product-review.ts'

const COLUMNS = [
  'id',
  'status',
  'rating',
  'review',
  'product_id as productId',
  'product_name as productName',
  'order_id as orderId',
  'customer_email as customerEmail',
  'created_at as createdAt',
] as const

/** The same columns of a row `found`. */
const FOUND = sql`found.id, found.status, found.rating, found.review, found.product_id AS "productId",
  found.product_name AS "productName", found.order_id AS "orderId", found.customer_email AS "customerEmail", found.created_at AS "createdAt"`

export type ProductReviewRepository = ReturnType<typeof productReviewRepository>

/** Reviews in the database; every call is about one store. */
export const productReviewRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (storeId: number, ids: readonly number[]): Promise<ProductReview[]> =>
    database.selectFrom('product_review').select(COLUMNS).where('store_id', '=', storeId).where('id', 'in', ids).execute(),

  async insert(storeId: number, review: Omit<ProductReview, 'id'>): Promise<number> {
    const { id } = await database
      .insertInto('product_review')
      .values({
        store_id: storeId,
        status: review.status,
        rating: review.rating,
        review: review.review,
        product_id: review.productId,
        product_name: review.productName,
        order_id: review.orderId,
        customer_email: review.customerEmail,
        created_at: review.createdAt,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  /** Whether there is one. */
  async setStatus(storeId: number, id: number, status: ProductReview['status']): Promise<boolean> {
    const { numUpdatedRows } = await database
      .updateTable('product_review')
      .set({ status })
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  },

  /** Whether there was one. */
  async delete(storeId: number, id: number): Promise<boolean> {
    const { numDeletedRows } = await database
      .deleteFrom('product_review')
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .executeTakeFirst()
    return numDeletedRows > 0n
  },

  /** Oldest first, one more than requested. */
  list(storeId: number, { size, after, offset }: KeysetRange): Promise<ProductReview[]> {
    let query = database.selectFrom('product_review').select(COLUMNS).where('store_id', '=', storeId)
    if (after) query = query.where('id', '>', Number(after[0]))
    return query
      .orderBy('id')
      .limit(size + 1)
      .offset(offset)
      .execute()
  },

  /** Of several products, oldest first, of each one more than requested. */
  async ofProducts(
    storeId: number,
    productIds: readonly number[],
    { size, after, offset }: KeysetRange,
  ): Promise<(ProductReview & { productId: number })[]> {
    const behind = after ? sql`AND id > ${after[0]}::integer` : sql``
    const { rows } = await sql<ProductReview & { productId: number }>`
      SELECT ${FOUND}
      FROM unnest(${productIds}::integer[]) AS requested (id)
      CROSS JOIN LATERAL (
        SELECT * FROM product_review
        WHERE store_id = ${storeId} AND product_id = requested.id ${behind} ORDER BY id LIMIT ${size + 1} OFFSET ${offset}
      ) AS found
      ORDER BY found.id`.execute(database)
    return rows
  },

  count: (storeId: number): Promise<number> => countRows(database, 'product_review', storeId),

  /** Without products that have none. */
  async countOfProducts(
    storeId: number,
    productIds: readonly number[],
  ): Promise<{ readonly productId: number | null; readonly count: number }[]> {
    const rows = await database
      .selectFrom('product_review')
      .select(({ fn }) => ['product_id as productId', fn.countAll<string>().as('count')])
      .where('store_id', '=', storeId)
      .where('product_id', 'in', productIds)
      .groupBy('product_id')
      .execute()
    return rows.map(({ productId, count }) => ({ productId, count: Number(count) }))
  },
})
