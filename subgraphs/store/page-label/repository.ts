import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import type { LabelKind, PageLabel } from './page-label.ts'

const COLUMNS = ['id', 'name', 'created_at as createdAt', 'updated_at as updatedAt', 'version'] as const

/** Any number, as long as every process uses the same. */
const NAMES_LOCK = 0x70616765

export type PageLabelRepository = ReturnType<typeof pageLabelRepository>

/** Categories or templates of pages in the database; every call is about one store. */
export function pageLabelRepository(database: Kysely<Tables>, kind: LabelKind) {
  // A cast: the tables have the same columns, and types of queries take one table only.
  const table = kind as 'page_category'
  return {
    /** In any order, without those that do not exist. */
    findByIds: (storeId: number, ids: readonly number[]): Promise<PageLabel[]> =>
      database.selectFrom(table).select(COLUMNS).where('store_id', '=', storeId).where('id', 'in', ids).execute(),

    /** By name, in the order of Unicode. */
    all: (storeId: number): Promise<PageLabel[]> =>
      database.selectFrom(table).select(COLUMNS).where('store_id', '=', storeId).orderBy(sql`name COLLATE "C"`).execute(),

    /** Those of the ids that exist, and go on existing until the transaction ends. */
    async lockShared(storeId: number, ids: readonly number[]): Promise<ReadonlySet<number>> {
      if (ids.length === 0) return new Set()
      const stored = await database
        .selectFrom(table)
        .select('id')
        .where('store_id', '=', storeId)
        .where('id', 'in', ids)
        // In one order everywhere, to avoid deadlocks.
        .orderBy('id')
        .forKeyShare()
        .execute()
      return new Set(stored.map(({ id }) => id))
    },

    /**
     * The row with this name, locked against deletion until the transaction ends; null when there
     * is none.
     */
    async keepNamed(storeId: number, name: string): Promise<number | null> {
      const found = await database
        .selectFrom(table)
        .select('id')
        .where('store_id', '=', storeId)
        .where('name', '=', name)
        .forKeyShare()
        .executeTakeFirst()
      return found?.id ?? null
    },

    /** The other names, locked against changes in this store until the transaction ends. */
    async lockNames(storeId: number, own: number | null): Promise<readonly string[]> {
      await sql`SELECT pg_advisory_xact_lock(${NAMES_LOCK}, ${storeId})`.execute(database)
      const others = await database
        .selectFrom(table)
        .select('name')
        .where('store_id', '=', storeId)
        .where('id', '<>', own ?? 0)
        .execute()
      return others.map(({ name }) => name)
    },

    /** Locks the row until the transaction ends; null when there is none. */
    async lock(storeId: number, id: number): Promise<PageLabel | null> {
      const found = await database
        .selectFrom(table)
        .select(COLUMNS)
        .where('store_id', '=', storeId)
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirst()
      return found ?? null
    },

    async insert(storeId: number, name: string, at: Date): Promise<number> {
      const { id } = await database
        .insertInto(table)
        .values({ store_id: storeId, name, created_at: at, updated_at: at })
        .returning('id')
        .executeTakeFirstOrThrow()
      return id
    },

    async update(storeId: number, id: number, name: string, at: Date): Promise<void> {
      await database
        .updateTable(table)
        .set((set) => ({ name, updated_at: at, version: set('version', '+', 1) }))
        .where('store_id', '=', storeId)
        .where('id', '=', id)
        .execute()
    },

    /** Deletes the row; pages stay. */
    async delete(storeId: number, id: number): Promise<void> {
      await database.deleteFrom(table).where('store_id', '=', storeId).where('id', '=', id).execute()
    },
  }
}
