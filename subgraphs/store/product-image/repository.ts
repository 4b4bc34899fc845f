import { type Kysely, sql } from 'kysely'
import { keysOf } from '../../../platform/collections/keys-of.ts'
import { anyOf } from '../../../platform/database/any-of.ts'
import { preparedPer } from '../../../platform/database/prepared-statements.ts'
import type { Columns } from '../../toolkit/selected-columns.ts'
import type { Tables } from '../tables.ts'
import type { ProductImage } from './product-image.ts'

const COLUMN = {
  id: 'product_image.id',
  productId: 'product_image.product_id as productId',
  position: 'product_image.position',
  fileId: 'product_image.file_id as fileId',
  key: 'file.key',
  contentType: 'file.content_type as contentType',
  byteCount: sql<number>`file.byte_count::integer`.as('byteCount'),
  createdAt: 'file.created_at as createdAt',
} as const satisfies Record<keyof ProductImage, unknown>

/** The columns of a whole picture. */
export const IMAGE_COLUMNS = keysOf(COLUMN)

export type ProductImageRepository = ReturnType<typeof productImageRepository>

/** Pictures of products in the database; every call is about one store. */
export const productImageRepository = (database: Kysely<Tables>) => {
  /**
   * Moves the pictures of a product from one place to another by so many; constraints look at the
   * end of the transaction.
   */
  const shift = (storeId: number, productId: number, { from, to, by }: { from: number; to: number; by: number }) =>
    sql`
      UPDATE product_image SET position = position + ${by}
      WHERE store_id = ${storeId} AND product_id = ${productId} AND position BETWEEN ${from} AND ${to}`.execute(database)

  return {
    /** In any order, without those that do not exist. */
    findByIds: (storeId: number, ids: readonly number[]): Promise<ProductImage[]> =>
      imagesIn(database, storeId, IMAGE_COLUMNS).where('product_image.id', '=', anyOf(ids)).execute(),

    /** Of several products, in their order, with these columns. */
    ofProducts: (storeId: number, productIds: readonly number[], columns: Columns<ProductImage>): Promise<ProductImage[]> =>
      OF_PRODUCTS(database, columns, storeId, productIds),

    async count(storeId: number, productId: number): Promise<number> {
      const { count } = await database
        .selectFrom('product_image')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .where('store_id', '=', storeId)
        .where('product_id', '=', productId)
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    /** At this place, which is at most one behind the last; those from there on move back. */
    async insert(storeId: number, image: Pick<ProductImage, 'productId' | 'position' | 'fileId'>): Promise<number> {
      const { productId, position, fileId } = image
      await shift(storeId, productId, { from: position, to: MAX_POSITION, by: 1 })
      const { id } = await database
        .insertInto('product_image')
        .values({ store_id: storeId, product_id: productId, position, file_id: fileId })
        .returning('id')
        .executeTakeFirstOrThrow()
      return id
    },

    /** To this place, which is at most the last. */
    async move(storeId: number, { id, productId, position: from }: ProductImage, to: number): Promise<void> {
      await (to < from
        ? shift(storeId, productId, { from: to, to: from - 1, by: 1 })
        : shift(storeId, productId, { from: from + 1, to, by: -1 }))
      await database
        .updateTable('product_image')
        .set({ position: to })
        .where('store_id', '=', storeId)
        .where('id', '=', id)
        .execute()
    },

    /** Those behind it move up. */
    async delete(storeId: number, { id, productId, position }: ProductImage): Promise<void> {
      await database.deleteFrom('product_image').where('store_id', '=', storeId).where('id', '=', id).execute()
      await shift(storeId, productId, { from: position + 1, to: MAX_POSITION, by: -1 })
    },
  }
}

/** Behind every place. */
const MAX_POSITION = 2_147_483_647

const imagesIn = (database: Kysely<Tables>, storeId: number, columns: Columns<ProductImage>) =>
  database
    .selectFrom('product_image')
    .innerJoin('file', (join) =>
      join.onRef('file.store_id', '=', 'product_image.store_id').onRef('file.id', '=', 'product_image.file_id'),
    )
    .select(columns.map((field) => COLUMN[field]))
    .where('product_image.store_id', '=', storeId)

const OF_PRODUCTS = preparedPer(
  (database: Kysely<Tables>, columns: Columns<ProductImage>, storeId: number, productIds: readonly number[]) =>
    imagesIn(database, storeId, columns)
      .where('product_image.product_id', '=', anyOf(productIds))
      .orderBy('product_image.position')
      .compile(),
)
