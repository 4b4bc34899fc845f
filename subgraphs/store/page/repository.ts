import { type Kysely, sql } from 'kysely'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import { storeRows } from '../row-repository.ts'
import type { Tables } from '../tables.ts'
import type { Page, PagePlace, PageStatus } from './page.ts'

const COLUMNS = [
  'id',
  'title',
  'body',
  'status',
  'legal',
  'page_title as pageTitle',
  'meta_description as metaDescription',
  'permalink',
  'template_id as templateId',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'version',
] as const

/** Which pages of a store; null: whichever. */
export type PageFilter = { readonly status: PageStatus | null; readonly categoryId: number | null }

export type PageRepository = ReturnType<typeof pageRepository>

/** Pages in the database; every call is about one store. */
export const pageRepository = (database: Kysely<Tables>) => ({
  ...storeRows(database, 'page', database.selectFrom('page').select(COLUMNS)),

  /** Oldest first, one more than requested. */
  list(storeId: number, filter: PageFilter, { size, after, offset }: KeysetRange): Promise<Page[]> {
    let query = chosen(database, storeId, filter).select(COLUMNS)
    if (after) query = query.where('id', '>', Number(after[0]))
    return query
      .orderBy('id')
      .limit(size + 1)
      .offset(offset)
      .execute()
  },

  async count(storeId: number, filter: PageFilter): Promise<number> {
    const { count } = await chosen(database, storeId, filter)
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  /** Where these pages are, by the names of the categories in the order of Unicode. */
  placesOf: (storeId: number, pageIds: readonly number[]): Promise<PagePlace[]> =>
    database
      .selectFrom('page_category_member as member')
      .innerJoin('page_category as category', (join) =>
        join.onRef('category.store_id', '=', 'member.store_id').onRef('category.id', '=', 'member.category_id'),
      )
      .select([
        'member.page_id as pageId',
        'member.category_id as categoryId',
        'category.name as categoryName',
        'member.position',
      ])
      .where('member.store_id', '=', storeId)
      .where('member.page_id', 'in', pageIds)
      .orderBy(sql`category.name COLLATE "C"`)
      .execute(),

  /** The pages of these categories by their positions, at most `most` of each. */
  async ofCategories(
    storeId: number,
    categoryIds: readonly number[],
    max: number,
  ): Promise<(Page & { readonly categoryId: number })[]> {
    const { rows } = await sql<Page & { readonly categoryId: number }>`
      SELECT requested.id AS "categoryId", found.id, found.title, found.body, found.status, found.legal, found.page_title AS "pageTitle",
        found.meta_description AS "metaDescription", found.permalink, found.template_id AS "templateId",
        found.created_at AS "createdAt", found.updated_at AS "updatedAt", found.version
      FROM unnest(${categoryIds}::integer[]) AS requested (id)
      CROSS JOIN LATERAL (
        SELECT page.*, member.position FROM page_category_member member
        JOIN page ON page.store_id = member.store_id AND page.id = member.page_id
        WHERE member.store_id = ${storeId} AND member.category_id = requested.id
        ORDER BY member.position, page.id LIMIT ${max}
      ) AS found
      ORDER BY requested.id, found.position, found.id`.execute(database)
    return rows
  },

  /** Those of the ids that exist, and go on existing until the transaction ends. */
  async lockShared(storeId: number, ids: readonly number[]): Promise<ReadonlySet<number>> {
    if (ids.length === 0) return new Set()
    const stored = await database
      .selectFrom('page')
      .select('id')
      .where('store_id', '=', storeId)
      .where('id', 'in', ids)
      .orderBy('id')
      .forKeyShare()
      .execute()
    return new Set(stored.map(({ id }) => id))
  },

  async insert(storeId: number, page: Omit<Page, 'id' | 'createdAt' | 'updatedAt' | 'version'>, at: Date): Promise<number> {
    const { id } = await database
      .insertInto('page')
      .values({ store_id: storeId, legal: page.legal, ...columnsOf(page), created_at: at, updated_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async update(storeId: number, page: Page, at: Date): Promise<void> {
    await database
      .updateTable('page')
      .set((set) => ({ ...columnsOf(page), updated_at: at, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', page.id)
      .execute()
  },

  /** Marks the page as changed. */
  async touch(storeId: number, id: number, at: Date): Promise<void> {
    await database
      .updateTable('page')
      .set((set) => ({ updated_at: at, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /**
   * Puts the page into these categories and no others: it keeps its places, and becomes the last of
   * those that are new.
   */
  async setCategories(storeId: number, pageId: number, categoryIds: readonly number[]): Promise<void> {
    await sql`DELETE FROM page_category_member
      WHERE store_id = ${storeId} AND page_id = ${pageId} AND category_id <> ALL (${categoryIds}::integer[])`.execute(database)
    await sql`INSERT INTO page_category_member (store_id, category_id, page_id, position)
      SELECT ${storeId}, wanted.id, ${pageId},
        1 + coalesce((SELECT max(position) FROM page_category_member WHERE store_id = ${storeId} AND category_id = wanted.id), 0)
      FROM unnest(${categoryIds}::integer[]) AS wanted (id)
      ON CONFLICT DO NOTHING`.execute(database)
  },

  /** Puts these pages into the category and no others, in this order. */
  async setPages(storeId: number, categoryId: number, pageIds: readonly number[]): Promise<void> {
    await database
      .deleteFrom('page_category_member')
      .where('store_id', '=', storeId)
      .where('category_id', '=', categoryId)
      .execute()
    await sql`INSERT INTO page_category_member (store_id, category_id, page_id, position)
      SELECT ${storeId}, ${categoryId}, wanted.id, wanted.position
      FROM unnest(${pageIds}::integer[]) WITH ORDINALITY AS wanted (id, position)`.execute(database)
  },
})

const columnsOf = (page: Omit<Page, 'id' | 'createdAt' | 'updatedAt' | 'version'>) => ({
  title: page.title,
  body: page.body,
  status: page.status,
  page_title: page.pageTitle,
  meta_description: page.metaDescription,
  permalink: page.permalink,
  template_id: page.templateId,
})

function chosen(database: Kysely<Tables>, storeId: number, { status, categoryId }: PageFilter) {
  let query = database.selectFrom('page').where('page.store_id', '=', storeId)
  if (status !== null) query = query.where('status', '=', status)
  if (categoryId === null) return query
  return query.where(({ exists, selectFrom }) =>
    exists(
      selectFrom('page_category_member as member')
        .select('member.page_id')
        .where('member.store_id', '=', storeId)
        .where('member.category_id', '=', categoryId)
        .whereRef('member.page_id', '=', 'page.id'),
    ),
  )
}
