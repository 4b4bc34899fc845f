import { type Kysely, sql } from 'kysely'
import type { Page } from '../page/page.ts'
import type { ProductCategory } from '../product-category/product-category.ts'
import type { Tables } from '../tables.ts'

/** What shoppers see of a page. */
export type StorefrontPage = Pick<Page, 'title' | 'body' | 'permalink' | 'legal' | 'pageTitle' | 'metaDescription' | 'updatedAt'>

/** What `Storefront.collections` and `StorefrontMenu.pages` promise. */
const MAX_COLLECTIONS = 250
const MAX_PAGES = 250
const MAX_MENUS = 100

const CATEGORY = [
  'id',
  'parent_id as parentId',
  'name',
  'permalink',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const
const PAGE = ['title', 'body', 'permalink', 'legal', 'page_title as pageTitle', 'meta_description as metaDescription'] as const

/** What shoppers see of stores in the database; every call is about one store. */
export const storefrontRepository = (database: Kysely<Tables>) => ({
  /** Id of the store with this code; null when there is none. */
  async storeWithCode(code: string): Promise<number | null> {
    const found = await database.selectFrom('store').select('id').where('code', '=', code).executeTakeFirst()
    return found?.id ?? null
  },

  /** Id of the published product with this permalink, in any language; null when there is none. */
  async productAt(storeId: number, permalink: string): Promise<number | null> {
    const { rows } = await sql<{ readonly id: number }>`
      SELECT id FROM product WHERE store_id = ${storeId} AND status <> 'DISABLED' AND permalink = ${permalink}
      UNION ALL
      SELECT product.id FROM product_translation translation
      JOIN product ON product.store_id = translation.store_id AND product.id = translation.product_id
      WHERE translation.store_id = ${storeId} AND translation.permalink = ${permalink} AND product.status <> 'DISABLED'
      LIMIT 1`.execute(database)
    return rows[0]?.id ?? null
  },

  /** The category with this permalink; null when there is none. */
  async categoryAt(storeId: number, permalink: string): Promise<ProductCategory | null> {
    const found = await database
      .selectFrom('product_category')
      .select([...CATEGORY, 'version'])
      .where('store_id', '=', storeId)
      .where('permalink', '=', permalink)
      .executeTakeFirst()
    return found ?? null
  },

  /** Categories without one above, oldest first. */
  topCategories: (storeId: number): Promise<ProductCategory[]> =>
    database
      .selectFrom('product_category')
      .select([...CATEGORY, 'version'])
      .where('store_id', '=', storeId)
      .where('parent_id', 'is', null)
      .orderBy('id')
      .limit(MAX_COLLECTIONS)
      .execute(),

  /** The public page with this permalink; null when there is none. */
  async pageAt(storeId: number, permalink: string): Promise<StorefrontPage | null> {
    const found = await database
      .selectFrom('page')
      .select([...PAGE, 'updated_at as updatedAt'])
      .where('store_id', '=', storeId)
      .where('permalink', '=', permalink)
      .where('status', '=', 'PUBLIC')
      .executeTakeFirst()
    return found ?? null
  },

  /** Public pages with their categories: categories by name, pages by their positions. */
  async menuPages(storeId: number): Promise<readonly (StorefrontPage & { readonly menu: string })[]> {
    const { rows } = await sql<StorefrontPage & { readonly menu: string }>`
      SELECT category.name AS menu, page.title, page.body, page.permalink, page.legal, page.page_title AS "pageTitle",
        page.meta_description AS "metaDescription", page.updated_at AS "updatedAt"
      FROM (SELECT * FROM page_category WHERE store_id = ${storeId} ORDER BY name COLLATE "C" LIMIT ${MAX_MENUS}) AS category
      CROSS JOIN LATERAL (
        SELECT page.*, member.position FROM page_category_member member
        JOIN page ON page.store_id = member.store_id AND page.id = member.page_id
        WHERE member.store_id = ${storeId} AND member.category_id = category.id AND page.status = 'PUBLIC'
        ORDER BY member.position, page.id LIMIT ${MAX_PAGES}
      ) AS page
      ORDER BY category.name COLLATE "C", page.position, page.id`.execute(database)
    return rows
  },
})
