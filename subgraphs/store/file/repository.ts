import { type Kysely, sql } from 'kysely'
import { adjustUsage } from '../quota/repository.ts'
import type { Tables } from '../tables.ts'
import { isPrivate } from './file.ts'
import type { StoredFile } from './files.ts'

export type FileRepository = ReturnType<typeof fileRepository>

/** How many files one sweep removes: the rows stay locked while their bytes are deleted. */
const PER_SWEEP = 100

/** Rows of stored files; their bytes are in the storage. */
export const fileRepository = (database: Kysely<Tables>) => ({
  async insert(
    storeId: number,
    { key, type, bytes, sha256, name, sourceUrl, at }: StoredFile & { readonly sourceUrl: string | null; readonly at: Date },
  ): Promise<number> {
    const { id } = await database
      .insertInto('file')
      .values({
        store_id: storeId,
        key,
        is_public: !isPrivate(key),
        content_type: type,
        byte_count: String(bytes),
        sha256: Buffer.from(sha256, 'hex'),
        filename: name,
        source_url: sourceUrl,
        created_at: at,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  /** Counts a file of our own, which no quota refuses, after it was inserted. */
  count: (storeId: number, bytes: number) => adjustUsage(database, storeId, { products: 0, fileBytes: bytes }),

  /**
   * Removes files that nothing refers to: `remove` deletes the bytes of each, then its row goes.
   * Only those from before `before`: younger ones may be about to be referred to; or only those
   * with these ids. Answers how many there were, at most 100. Files that another process removes
   * are left to it.
   */
  sweep(which: { readonly before: Date } | Pinned, remove: (key: string) => Promise<void>): Promise<number> {
    return database.transaction().execute(async (query) => {
      const wanted =
        'before' in which
          ? sql`file.created_at < ${which.before}`
          : sql`file.store_id = ${which.storeId} AND file.id = ANY(${which.ids}::integer[])`
      // A row that is locked here cannot be referred to before it is gone.
      const { rows } = await sql<{ store_id: number; id: number; key: string; bytes: number }>`
        SELECT store_id, id, key, byte_count::double precision AS bytes FROM file WHERE ${wanted} AND ${UNREFERRED} ORDER BY created_at LIMIT ${PER_SWEEP} FOR UPDATE SKIP LOCKED
      `.execute(query)
      for (const { key } of rows) await remove(key)
      if (rows.length > 0) {
        await sql`
          DELETE FROM file USING unnest(${rows.map((row) => row.store_id)}::integer[], ${rows.map((row) => row.id)}::integer[]) AS gone (store_id, id)
          WHERE file.store_id = gone.store_id AND file.id = gone.id`.execute(query)
        const gone = new Map<number, number>()
        for (const { store_id, bytes } of rows) gone.set(store_id, (gone.get(store_id) ?? 0) + bytes)
        // In the order of ids, so that two sweeps do not wait for each other.
        for (const [storeId, fileBytes] of [...gone].sort(([one], [other]) => one - other)) {
          await adjustUsage(query, storeId, { products: 0, fileBytes: -fileBytes })
        }
      }
      return rows.length
    })
  },
})

/** Files of one store by their rows. */
type Pinned = { readonly storeId: number; readonly ids: readonly number[] }

const UNREFERRED = sql.join(
  [
    ['product_image', 'file_id'],
    ['product_attachment', 'file_id'],
    ['digital_asset', 'file_id'],
    ['page_image', 'file_id'],
    ['fulfillment', 'label_file_id'],
  ].map(
    ([table = '', column = '']) =>
      sql`NOT EXISTS (SELECT 1 FROM ${sql.table(table)} AS owner WHERE owner.store_id = file.store_id AND owner.${sql.ref(column)} = file.id)`,
  ),
  sql` AND `,
)
