import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { anyOf } from '../../../platform/database/any-of.ts'
import { prepared, preparedPer } from '../../../platform/database/prepared-statements.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { Columns } from '../../toolkit/selected-columns.ts'
import type { Tables } from '../tables.ts'
import { named, PRODUCT_COLUMNS, rowOfFields } from './columns.ts'
import type { Product, ProductFields, ProductStatus, ProductType, TRANSLATED } from './product.ts'
import { foundBy, type ProductWords } from './search-repository.ts'

/** Which products of a store, as the database understands it; absent means all. */
export type ProductSelection = {
  readonly status?: readonly ProductStatus[]
  readonly featured?: boolean
  readonly type?: ProductType
  readonly categoryIds?: readonly number[]
  readonly afterId?: number
  readonly sku?: string
  readonly priceMin?: string
  readonly priceMax?: string
  readonly updatedSince?: Date
  readonly lowStock?: boolean
  /** Each has to be found in one of the fields; no fields: in any. */
  readonly words?: ProductWords
}

/** Texts of a product in one language; null where the store's own language stands in. */
export type Translation = { readonly productId: number } & {
  readonly [Field in (typeof TRANSLATED)[number] | 'permalink']: string | null
}

export type ProductRepository = ReturnType<typeof productRepository>

/** Products in the database; every call is about one store. */
export const productRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist, with these columns. */
  findByIds: (storeId: number, ids: readonly number[], columns: Columns<Product> = PRODUCT_COLUMNS): Promise<Product[]> =>
    BY_IDS(database, columns, storeId, ids),

  /** One more than requested, with these columns. */
  list(
    storeId: number,
    which: ProductSelection,
    { size, after, offset }: KeysetRange,
    { isNewestFirst, columns }: { readonly isNewestFirst: boolean; readonly columns: Columns<Product> },
  ): Promise<Product[]> {
    const position = after && Number(after[0])
    if (Object.keys(which).length === 0 && !isNewestFirst)
      return PAGE(database, columns, storeId, position ?? 0, size + 1, offset)
    let query = selected(database, storeId, which)
    if (position !== null) query = query.where('product.id', isNewestFirst ? '<' : '>', position)
    return withColumns(
      query
        .orderBy('product.id', isNewestFirst ? 'desc' : 'asc')
        .limit(size + 1)
        .offset(offset),
      columns,
    ).execute()
  },

  async count(storeId: number, which: ProductSelection): Promise<number> {
    const { count } = await selected(database, storeId, which)
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  /** Ids of the products of categories, oldest first, one more of each than requested. */
  async idsInCategories(storeId: number, categoryIds: readonly number[], { size, after, offset }: KeysetRange) {
    const { rows } = await sql<{ readonly categoryId: number; readonly id: number }>`
      SELECT requested.id AS "categoryId", found.product_id AS id
      FROM unnest(${categoryIds}::integer[]) AS requested (id)
      CROSS JOIN LATERAL (
        SELECT product_id FROM product_category_member
        WHERE store_id = ${storeId} AND category_id = requested.id AND product_id > ${after === null ? 0 : Number(after[0])}
        ORDER BY product_id LIMIT ${size + 1} OFFSET ${offset}
      ) AS found
      ORDER BY found.product_id`.execute(database)
    return rows
  },

  countInCategories: (
    storeId: number,
    categoryIds: readonly number[],
  ): Promise<{ readonly categoryId: number; readonly count: string }[]> =>
    database
      .selectFrom('product_category_member')
      .select(({ fn }) => ['category_id as categoryId', fn.countAll<string>().as('count')])
      .where('store_id', '=', storeId)
      .where('category_id', '=', anyOf(categoryIds))
      .groupBy('category_id')
      .execute(),

  /** The texts of products in a language, of those that have any. */
  translations: (storeId: number, locale: string, productIds: readonly number[]): Promise<Translation[]> =>
    database
      .selectFrom('product_translation')
      .select([
        'product_id as productId',
        'name',
        'description',
        'page_title as pageTitle',
        'meta_description as metaDescription',
        'permalink',
      ])
      .where('store_id', '=', storeId)
      .where('locale', '=', locale)
      .where('product_id', '=', anyOf(productIds))
      .execute(),

  /** Locks the row until the transaction ends; null when there is none. */
  async lock(storeId: number, id: number): Promise<Product | null> {
    const [found] = await LOCKED(database, storeId, id)
    return found ?? null
  },

  async insert(storeId: number, fields: ProductFields, permalink: string, at: Date): Promise<number> {
    const { id } = await database
      .insertInto('product')
      // Columns are chosen at run time: kysely cannot infer the row.
      .values({ ...rowOfFields(fields), store_id: storeId, permalink, created_at: at, updated_at: at } as never)
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  async update(storeId: number, id: number, fields: ProductFields, permalink: string, at: Date): Promise<void> {
    await database
      .updateTable('product')
      .set((set) => ({ ...rowOfFields(fields), permalink, updated_at: at, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /** Counts a change of something that belongs to the product. */
  async touch(storeId: number, id: number, at: Date): Promise<void> {
    await database
      .updateTable('product')
      .set((set) => ({ updated_at: at, version: set('version', '+', 1) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /** Writes the texts of a language; undefined ones stay unchanged. */
  async translate(storeId: number, id: number, locale: string, texts: Partial<Omit<Translation, 'productId'>>): Promise<void> {
    const row = {
      ...(texts.name !== undefined && { name: texts.name }),
      ...(texts.description !== undefined && { description: texts.description }),
      ...(texts.pageTitle !== undefined && { page_title: texts.pageTitle }),
      ...(texts.metaDescription !== undefined && { meta_description: texts.metaDescription }),
      ...(texts.permalink !== undefined && { permalink: texts.permalink }),
    }
    const key = { store_id: storeId, product_id: id, locale }
    const query = database
      .insertInto('product_translation')
      .values({ ...key, name: null, description: null, page_title: null, meta_description: null, permalink: null, ...row })
    await query
      .onConflict((conflict) => {
        const same = conflict.columns(['store_id', 'product_id', 'locale'])
        return Object.keys(row).length === 0 ? same.doNothing() : same.doUpdateSet(row)
      })
      .execute()
  },

  /** Puts the product into these categories only. */
  async setCategories(storeId: number, id: number, categoryIds: readonly number[]): Promise<void> {
    await database.deleteFrom('product_category_member').where('store_id', '=', storeId).where('product_id', '=', id).execute()
    if (categoryIds.length === 0) return
    await database
      .insertInto('product_category_member')
      .values(categoryIds.map((category) => ({ store_id: storeId, product_id: id, category_id: category })))
      .execute()
  },

  async delete(storeId: number, id: number): Promise<void> {
    await database.deleteFrom('product').where('store_id', '=', storeId).where('id', '=', id).execute()
  },
})

type ProductQuery = SelectQueryBuilder<Tables, 'product', object>

// Column aliases are built from a table of fields, which their type cannot follow.
const withColumns = (query: ProductQuery, columns: Columns<Product>) =>
  // Columns are chosen at run time: kysely cannot infer the row.
  query.select(named(columns) as never) as unknown as SelectQueryBuilder<Tables, 'product', Product>

const BY_IDS = preparedPer((database: Kysely<Tables>, columns: Columns<Product>, storeId: number, ids: readonly number[]) =>
  withColumns(database.selectFrom('product').where('store_id', '=', storeId).where('id', '=', anyOf(ids)), columns).compile(),
)

/** Of all products, oldest first, behind one of them or the beginning. */
const PAGE = preparedPer(
  (database: Kysely<Tables>, columns: Columns<Product>, storeId: number, afterId: number, limit: number, offset: number) =>
    withColumns(database.selectFrom('product').where('store_id', '=', storeId).where('id', '>', afterId), columns)
      .orderBy('id')
      .limit(limit)
      .offset(offset)
      .compile(),
)

const LOCKED = prepared((database: Kysely<Tables>, storeId: number, id: number) =>
  withColumns(
    database.selectFrom('product').where('store_id', '=', storeId).where('id', '=', id).forUpdate(),
    PRODUCT_COLUMNS,
  ).compile(),
)

/** The stock of a product with variants is that of its variants. */
const HAS_LOW_STOCK = sql<boolean>`(CASE WHEN EXISTS (SELECT 1 FROM product_variant variant
    WHERE variant.store_id = product.store_id AND variant.product_id = product.id)
  THEN EXISTS (SELECT 1 FROM product_variant variant
    WHERE variant.store_id = product.store_id AND variant.product_id = product.id
      AND variant.stock_notification AND NOT variant.stock_unlimited AND variant.stock <= variant.stock_threshold)
  ELSE product.stock_notification AND NOT product.stock_unlimited AND product.stock <= product.stock_threshold END)`

function selected(database: Kysely<Tables>, storeId: number, which: ProductSelection): ProductQuery {
  const { status, featured, type, categoryIds, afterId, sku, priceMin, priceMax, updatedSince, lowStock, words } = which
  let query: ProductQuery = database.selectFrom('product').where('product.store_id', '=', storeId)
  if (status) query = query.where(sql<boolean>`status = ANY(${status}::text[])`)
  if (featured !== undefined) query = query.where('featured', '=', featured)
  if (type !== undefined) query = query.where('type', '=', type)
  if (afterId !== undefined) query = query.where('id', '>', afterId)
  if (priceMin !== undefined) query = query.where('price', '>=', priceMin)
  if (priceMax !== undefined) query = query.where('price', '<=', priceMax)
  if (updatedSince !== undefined) query = query.where('updated_at', '>=', updatedSince)
  if (sku !== undefined) {
    query = query.where(sql<boolean>`(sku = ${sku} OR EXISTS (SELECT 1 FROM product_variant variant
      WHERE variant.store_id = product.store_id AND variant.product_id = product.id AND variant.sku = ${sku}))`)
  }
  if (categoryIds) {
    query = query.where(sql<boolean>`id IN (SELECT product_id FROM product_category_member
      WHERE store_id = ${storeId} AND category_id = ANY(${categoryIds}::integer[]))`)
  }
  if (lowStock !== undefined) query = query.where(sql<boolean>`${HAS_LOW_STOCK} = ${lowStock}`)
  if (words) query = query.where(foundBy(storeId, words))
  return query
}
