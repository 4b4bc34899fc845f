import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import type { PageImage } from './page-image.ts'

const COLUMNS = [
  'page_image.id',
  'page_image.page_id as pageId',
  'page_image.position',
  'page_image.file_id as fileId',
  'file.key',
  'file.content_type as contentType',
  sql<number>`file.byte_count::integer`.as('byteCount'),
  'file.created_at as createdAt',
] as const

export type PageImageRepository = ReturnType<typeof pageImageRepository>

/** Pictures of pages in the database; every call is about one store. */
export const pageImageRepository = (database: Kysely<Tables>) => {
  const images = (storeId: number) =>
    database
      .selectFrom('page_image')
      .innerJoin('file', (join) =>
        join.onRef('file.store_id', '=', 'page_image.store_id').onRef('file.id', '=', 'page_image.file_id'),
      )
      .select(COLUMNS)
      .where('page_image.store_id', '=', storeId)

  return {
    /** In any order, without those that do not exist. */
    findByIds: (storeId: number, ids: readonly number[]): Promise<PageImage[]> =>
      images(storeId).where('page_image.id', 'in', ids).execute(),

    /** Of several pages, in their order. */
    ofPages: (storeId: number, pageIds: readonly number[]): Promise<PageImage[]> =>
      images(storeId).where('page_image.page_id', 'in', pageIds).orderBy('page_image.position').execute(),

    async insert(storeId: number, image: Pick<PageImage, 'pageId' | 'position' | 'fileId'>): Promise<number> {
      const { id } = await database
        .insertInto('page_image')
        .values({ store_id: storeId, page_id: image.pageId, position: image.position, file_id: image.fileId })
        .returning('id')
        .executeTakeFirstOrThrow()
      return id
    },

    async replace(storeId: number, id: number, fileId: number): Promise<void> {
      await database
        .updateTable('page_image')
        .set({ file_id: fileId })
        .where('store_id', '=', storeId)
        .where('id', '=', id)
        .execute()
    },

    /**
     * Gives pictures the places 1, 2, 3 … in this order; the constraint looks at the end of the
     * transaction.
     */
    async arrange(storeId: number, ids: readonly number[]): Promise<void> {
      await sql`UPDATE page_image SET position = wanted.position
        FROM unnest(${ids}::integer[]) WITH ORDINALITY AS wanted (id, position)
        WHERE store_id = ${storeId} AND page_image.id = wanted.id AND page_image.position <> wanted.position`.execute(database)
    },

    async delete(storeId: number, id: number): Promise<void> {
      await database.deleteFrom('page_image').where('store_id', '=', storeId).where('id', '=', id).execute()
    },
  }
}
