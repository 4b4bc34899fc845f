import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import type { ProductAttachment } from './product-attachment.ts'

const COLUMNS = [
  'product_attachment.id',
  'product_attachment.product_id as productId',
  'product_attachment.file_id as fileId',
  'file.key',
  'file.filename',
  'file.content_type as contentType',
  sql<number>`file.byte_count::integer`.as('byteCount'),
  'file.created_at as createdAt',
] as const

export type ProductAttachmentRepository = ReturnType<typeof productAttachmentRepository>

/** Attachments of products in the database; every call is about one store. */
export const productAttachmentRepository = (database: Kysely<Tables>) => {
  const attachments = (storeId: number) =>
    database
      .selectFrom('product_attachment')
      .innerJoin('file', (join) =>
        join.onRef('file.store_id', '=', 'product_attachment.store_id').onRef('file.id', '=', 'product_attachment.file_id'),
      )
      .select(COLUMNS)
      .where('product_attachment.store_id', '=', storeId)

  return {
    /** In any order, without those that do not exist. */
    findByIds: (storeId: number, ids: readonly number[]): Promise<ProductAttachment[]> =>
      attachments(storeId).where('product_attachment.id', 'in', ids).execute(),

    /** Of several products, oldest first. */
    ofProducts: (storeId: number, productIds: readonly number[]): Promise<ProductAttachment[]> =>
      attachments(storeId).where('product_attachment.product_id', 'in', productIds).orderBy('product_attachment.id').execute(),

    async count(storeId: number, productId: number): Promise<number> {
      const { count } = await database
        .selectFrom('product_attachment')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .where('store_id', '=', storeId)
        .where('product_id', '=', productId)
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    async insert(storeId: number, { productId, fileId }: Pick<ProductAttachment, 'productId' | 'fileId'>): Promise<number> {
      const { id } = await database
        .insertInto('product_attachment')
        .values({ store_id: storeId, product_id: productId, file_id: fileId })
        .returning('id')
        .executeTakeFirstOrThrow()
      return id
    },

    async delete(storeId: number, { id }: ProductAttachment): Promise<void> {
      await database.deleteFrom('product_attachment').where('store_id', '=', storeId).where('id', '=', id).execute()
    },
  }
}
