import { type Kysely, sql } from 'kysely'
import { keysOf } from '../../../platform/collections/keys-of.ts'
import { anyOf } from '../../../platform/database/any-of.ts'
import { prepared, preparedPer } from '../../../platform/database/prepared-statements.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { Columns } from '../../toolkit/selected-columns.ts'
import { countRows } from '../row-repository.ts'
import type { Tables } from '../tables.ts'
import type { ProductCategory } from './product-category.ts'

const COLUMN = {
  id: 'id',
  parentId: 'parent_id as parentId',
  name: 'name',
  permalink: 'permalink',
  createdAt: 'created_at as createdAt',
  updatedAt: 'updated_at as updatedAt',
  version: 'version',
} as const satisfies Record<keyof ProductCategory, string>

const COLUMNS = Object.values(COLUMN)

/** The columns of a whole category. */
export const CATEGORY_COLUMNS = keysOf(COLUMN)

/** Any number, as long as every process uses the same. */
const TREE_LOCK = 0x63617465

export type ProductCategoryRepository = ReturnType<typeof productCategoryRepository>

/** Categories in the database; every call is about one store. */
export const productCategoryRepository = (database: Kysely<Tables>) => ({
  /** Names of the taxes that apply to this category only, oldest first, at most `most`. */
  async taxNames(storeId: number, categoryId: number, max: number): Promise<readonly string[]> {
    const rows = await database
      .selectFrom('tax')
      .select('name')
      .where('store_id', '=', storeId)
      .where('category_id', '=', categoryId)
      .orderBy('id')
      .limit(max)
      .execute()
    return rows.map(({ name }) => name)
  },

  /** In any order, without those that do not exist. */
  findByIds: (storeId: number, ids: readonly number[]): Promise<ProductCategory[]> =>
    database
      .selectFrom('product_category')
      .select(COLUMNS)
      .where('store_id', '=', storeId)
      .where('id', '=', anyOf(ids))
      .execute(),

  /** The categories that products are in themselves, oldest first, with these columns. */
  holding: (
    storeId: number,
    productIds: readonly number[],
    columns: Columns<ProductCategory>,
  ): Promise<(ProductCategory & { readonly productId: number })[]> => HOLDING(database, columns, storeId, productIds),

  /** The parts of these categories, oldest first, at most `most` of each. */
  async ofParents(
    storeId: number,
    parentIds: readonly number[],
    max: number,
  ): Promise<(ProductCategory & { parentId: number })[]> {
    const { rows } = await sql<ProductCategory & { parentId: number }>`
      SELECT found.id, found.parent_id AS "parentId", found.name, found.permalink, found.created_at AS "createdAt",
        found.updated_at AS "updatedAt", found.version
      FROM unnest(${parentIds}::integer[]) AS requested (id)
      CROSS JOIN LATERAL (
        SELECT * FROM product_category WHERE store_id = ${storeId} AND parent_id = requested.id ORDER BY id LIMIT ${max}
      ) AS found
      ORDER BY found.id`.execute(database)
    return rows
  },

  /** Oldest first, one more than requested. */
  list(storeId: number, { size, after, offset }: KeysetRange): Promise<ProductCategory[]> {
    let query = database.selectFrom('product_category').select(COLUMNS).where('store_id', '=', storeId)
    if (after) query = query.where('id', '>', Number(after[0]))
    return query
      .orderBy('id')
      .limit(size + 1)
      .offset(offset)
      .execute()
  },

  count: (storeId: number): Promise<number> => countRows(database, 'product_category', storeId),

  /** Locks the tree of categories of this store against moves until the transaction ends. */
  async lockTree(storeId: number): Promise<void> {
    await sql`SELECT pg_advisory_xact_lock(${TREE_LOCK}, ${storeId})`.execute(database)
  },

  /** Locks the row until the transaction ends; null when there is none. */
  async lock(storeId: number, id: number): Promise<ProductCategory | null> {
    const found = await database
      .selectFrom('product_category')
      .select(COLUMNS)
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    return found ?? null
  },

  /** Whether `id` is `inner` or somewhere above it. */
  async contains(storeId: number, id: number, inner: number): Promise<boolean> {
    const { rows } = await sql`
      WITH RECURSIVE above AS (
        SELECT id, parent_id FROM product_category WHERE store_id = ${storeId} AND id = ${inner}
        UNION ALL
        SELECT up.id, up.parent_id FROM product_category up JOIN above ON up.id = above.parent_id WHERE up.store_id = ${storeId}
      )
      SELECT 1 FROM above WHERE id = ${id}`.execute(database)
    return rows.length > 0
  },

  /** The categories of products, and all above them; without products that have none. */
  async ofProducts(storeId: number, productIds: readonly number[]): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
    const rows = await WITH_ALL_ABOVE(database, storeId, productIds)
    return new Map(rows.map(({ product, categories }) => [product, new Set(categories)]))
  },

  async insert(
    storeId: number,
    { name, parentId, permalink, at }: Pick<ProductCategory, 'name' | 'parentId' | 'permalink'> & { readonly at: Date },
  ): Promise<number> {
    const { id } = await database
      .insertInto('product_category')
      .values({ store_id: storeId, name, parent_id: parentId, permalink, created_at: at, updated_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async update(storeId: number, { id, name, parentId, permalink, at }: ProductCategory & { readonly at: Date }): Promise<void> {
    await database
      .updateTable('product_category')
      .set((set) => ({ name, parent_id: parentId, permalink, updated_at: at, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /** Deletes the row; its parts move up to where it was. */
  async delete(storeId: number, { id, parentId }: ProductCategory): Promise<void> {
    await database
      .updateTable('product_category')
      .set({ parent_id: parentId })
      .where('store_id', '=', storeId)
      .where('parent_id', '=', id)
      .execute()
    await database.deleteFrom('product_category').where('store_id', '=', storeId).where('id', '=', id).execute()
  },
})

const HOLDING = preparedPer(
  (database: Kysely<Tables>, columns: Columns<ProductCategory>, storeId: number, productIds: readonly number[]) =>
    database
      .selectFrom('product_category_member as member')
      .innerJoin('product_category as category', (join) =>
        join.onRef('category.store_id', '=', 'member.store_id').onRef('category.id', '=', 'member.category_id'),
      )
      .select(columns.map((field) => `category.${COLUMN[field]}` as const))
      .select('member.product_id as productId')
      .where('member.store_id', '=', storeId)
      .where('member.product_id', '=', anyOf(productIds))
      .orderBy('category.id')
      .compile(),
)

const WITH_ALL_ABOVE = prepared((database: Kysely<Tables>, storeId: number, productIds: readonly number[]) =>
  sql<{ product: number; categories: number[] }>`
    WITH RECURSIVE above AS (
      SELECT product_id, category_id AS id FROM product_category_member
      WHERE store_id = ${storeId} AND product_id = ANY (${productIds}::integer[])
      UNION
      SELECT above.product_id, category.parent_id FROM above
      JOIN product_category category ON category.store_id = ${storeId} AND category.id = above.id
      WHERE category.parent_id IS NOT NULL
    )
    SELECT product_id AS product, array_agg(id) AS categories FROM above GROUP BY product_id`.compile(database),
)
