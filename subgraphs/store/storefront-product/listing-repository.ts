import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { containing } from '../text-key.ts'

/** Which published products of a store; absent means all. */
export type ListedProducts = {
  /** Words as search keys have them; each occurs in the texts of the product. */
  readonly words: readonly string[]
  readonly categoryIds?: readonly number[]
  readonly brands?: readonly string[]
  /** Keys of options and their values, in lower case. */
  readonly options?: readonly { readonly name: string; readonly values: readonly string[] }[]
  readonly priceMin?: string
  readonly priceMax?: string
  readonly isAvailable?: boolean
  readonly ratingMin?: number
  readonly isFeatured?: boolean
}

export type ProductSort = 'RELEVANCE' | 'NEWEST' | 'PRICE_ASC' | 'PRICE_DESC' | 'NAME'

/** A product at its position of a list: `key` is what the list is sorted by, as text. */
export type ListedProduct = { readonly id: number; readonly key: string }

/** A value with the number of products that have it. */
export type FacetRow = {
  readonly facet: 'collection' | 'brand' | 'option' | 'price' | 'available' | 'rating'
  /** Of options, the name of the option; of collections, its name. */
  readonly label: string | null
  readonly value: string
  readonly count: number
}

/** Counting more takes longer than a shopper waits for a number. */
const MAX_COUNT = 10_000
const MAX_FACET_PRODUCTS = 5_000
const MAX_FACET_VALUES = 50
const MAX_OPTION_VALUES = 100
/** Words of a shop that begin with one letter, and are about as long as a misspelt one. */
const MAX_VOCABULARY = 10_000

export type ListingRepository = ReturnType<typeof listingRepository>

/** Lists of published products in the database; every call is about one store. */
export const listingRepository = (database: Kysely<Tables>) => ({
  /** After a position, `size` at most. */
  async list(
    storeId: number,
    which: ListedProducts,
    { sort, after, size }: { readonly sort: ProductSort; readonly after: ListedProduct | null; readonly size: number },
  ): Promise<ListedProduct[]> {
    const { key, isDescending, type } = SORTS[sort](which)
    const behind =
      after === null
        ? sql``
        : sql`AND (${key}, id) ${isDescending ? sql`<` : sql`>`} (${after.key}::${sql.raw(type)}, ${after.id}::integer)`
    const direction = isDescending ? sql`DESC` : sql`ASC`
    const { rows } = await sql<ListedProduct>`
      SELECT id, (${key})::text AS key FROM product WHERE ${matching(storeId, which)} ${behind}
      ORDER BY ${key} ${direction}, id ${direction} LIMIT ${size}`.execute(database)
    return rows
  },

  /** At most 10,000. */
  async count(storeId: number, which: ListedProducts): Promise<number> {
    const { rows } = await sql<{ readonly count: string }>`
      SELECT count(*) AS count FROM (SELECT 1 FROM product WHERE ${matching(storeId, which)} LIMIT ${MAX_COUNT}) AS found`.execute(
      database,
    )
    return Number(rows[0]?.count ?? 0)
  },

  /** Ids of the category with this permalink and of all below it; empty when there is none. */
  async categoriesBelow(storeId: number, permalink: string): Promise<readonly number[]> {
    const { rows } = await sql<{ readonly id: number }>`
      WITH RECURSIVE below AS (
        SELECT id FROM product_category WHERE store_id = ${storeId} AND permalink = ${permalink}
        UNION
        SELECT category.id FROM product_category category JOIN below ON category.parent_id = below.id WHERE store_id = ${storeId}
      )
      SELECT id FROM below`.execute(database)
    return rows.map(({ id }) => id)
  },

  /** Those of `words` that occur in no published product. */
  async unknownWords(storeId: number, words: readonly string[]): Promise<readonly string[]> {
    const { rows } = await sql<{ readonly word: string }>`
      SELECT word FROM unnest(${words}::text[], ${words.map(containing)}::text[]) AS wanted (word, pattern)
      WHERE NOT EXISTS (
        SELECT 1 FROM product_search JOIN product ON product.store_id = product_search.store_id AND product.id = product_id
        WHERE product_search.store_id = ${storeId} AND text_key LIKE pattern AND ${PUBLIC_TEXTS} LIKE pattern AND status <> 'DISABLED')`.execute(
      database,
    )
    return rows.map(({ word }) => word)
  },

  /** Words of the store's names that begin like this one, and differ in length by two at most. */
  async vocabulary(storeId: number, word: string): Promise<readonly string[]> {
    const { rows } = await sql<{ readonly word: string }>`
      SELECT word FROM product_search_word
      WHERE store_id = ${storeId} AND word LIKE ANY (${[...word].slice(0, 2).map((letter) => `${letter.replace(/[\\%_]/g, '\\$&')}%`)}::text[])
        AND length(word) BETWEEN ${word.length - 2} AND ${word.length + 2}
      LIMIT ${MAX_VOCABULARY}`.execute(database)
    return rows.map((row) => row.word)
  },

  /** Values to filter by, of the first 5,000 products; the most frequent first. */
  async facets(storeId: number, which: ListedProducts): Promise<FacetRow[]> {
    const { rows } = await sql<FacetRow>`
      WITH found AS MATERIALIZED (
        SELECT id, brand, price - discount AS price, ${AVAILABLE} AS is_available FROM product
        WHERE ${matching(storeId, which)} LIMIT ${MAX_FACET_PRODUCTS}
      )
      (SELECT 'collection' AS facet, category.name AS label, category.permalink AS value, count(*)::integer AS count
        FROM found JOIN product_category_member member ON member.store_id = ${storeId} AND member.product_id = found.id
        JOIN product_category category ON category.store_id = ${storeId} AND category.id = member.category_id
        GROUP BY category.id, category.name, category.permalink ORDER BY count DESC, category.permalink COLLATE "C" LIMIT ${MAX_FACET_VALUES})
      UNION ALL
      (SELECT 'brand', NULL, brand, count(*)::integer AS count FROM found WHERE brand IS NOT NULL
        GROUP BY brand ORDER BY count DESC, brand COLLATE "C" LIMIT ${MAX_FACET_VALUES})
      UNION ALL
      (SELECT 'option', min(option.name), min(value.name), count(DISTINCT found.id)::integer AS count
        FROM found JOIN product_option option ON option.store_id = ${storeId} AND option.product_id = found.id
        JOIN product_option_value value ON value.store_id = ${storeId} AND value.option_id = option.id
        GROUP BY option.name_key, value.name_key ORDER BY count DESC, option.name_key COLLATE "C", value.name_key COLLATE "C"
        LIMIT ${MAX_OPTION_VALUES})
      UNION ALL
      (SELECT 'price', max(price)::text, min(price)::text, count(*)::integer FROM found HAVING count(*) > 0)
      UNION ALL
      (SELECT 'available', NULL, 'true', count(*)::integer FROM found WHERE is_available)
      UNION ALL
      (SELECT 'rating', NULL, (sum / count)::text, count(*)::integer AS products
        FROM found JOIN product_rating ON product_rating.store_id = ${storeId} AND product_id = found.id
        GROUP BY sum / count ORDER BY sum / count DESC)`.execute(database)
    return rows
  },
})

/** Whether a product can be bought now; with variants, one of them. */
const AVAILABLE = sql<boolean>`(status = 'AVAILABLE' AND coalesce(
  (SELECT bool_or(variant.stock_unlimited OR variant.stock > 0) FROM product_variant variant
    WHERE variant.store_id = product.store_id AND variant.product_id = product.id),
  stock_unlimited OR stock > 0))`

/** What shoppers can read of the texts of a product: no barcodes and custom fields. */
const PUBLIC_TEXTS = sql`concat_ws(E'\\n', keys ->> 'name', keys ->> 'brand', keys ->> 'sku', keys ->> 'option_name',
  keys ->> 'variants', keys ->> 'description')`

type Sort = { readonly key: RawBuilder<unknown>; readonly type: 'integer' | 'numeric' | 'text'; readonly isDescending: boolean }

const NEWEST: Sort = { key: sql`id`, type: 'integer', isDescending: true }

const SORTS: Readonly<Record<ProductSort, (which: ListedProducts) => Sort>> = {
  NEWEST: () => NEWEST,
  PRICE_ASC: () => ({ key: sql`(price - discount)`, type: 'numeric', isDescending: false }),
  PRICE_DESC: () => ({ key: sql`(price - discount)`, type: 'numeric', isDescending: true }),
  NAME: () => ({ key: sql`(lower(name) COLLATE "C")`, type: 'text', isDescending: false }),
  RELEVANCE: ({ words }) => (words.length === 0 ? NEWEST : { key: scoreOf(words), type: 'integer', isDescending: true }),
}

/**
 * 3: the name equals the search text; 2: it starts with it; 1: it has all words; 0: other texts
 * have.
 */
function scoreOf(words: readonly string[]): RawBuilder<number> {
  const name = sql`(SELECT keys ->> 'name' FROM product_search WHERE product_search.store_id = product.store_id AND product_id = product.id)`
  const whole = words.join(' ')
  return sql`(CASE WHEN ${name} = ${whole} THEN 3 WHEN starts_with(${name}, ${whole}) THEN 2
    WHEN ${name} LIKE ALL (${words.map(containing)}::text[]) THEN 1 ELSE 0 END)`
}

function matching(storeId: number, which: ListedProducts): RawBuilder<unknown> {
  const { words, categoryIds, brands, options, priceMin, priceMax, isAvailable, ratingMin, isFeatured } = which
  const conditions = [sql`store_id = ${storeId}`, sql`status <> 'DISABLED'`]
  if (words.length > 0) {
    // Only of the whole is there an index; what shoppers do not see must not be found either.
    const isThere = words.map(containing).map((pattern) => sql`text_key LIKE ${pattern} AND ${PUBLIC_TEXTS} LIKE ${pattern}`)
    conditions.push(
      sql`id IN (SELECT product_id FROM product_search WHERE store_id = ${storeId} AND ${sql.join(isThere, sql` AND `)})`,
    )
  }
  if (categoryIds) {
    conditions.push(
      sql`id IN (SELECT product_id FROM product_category_member WHERE store_id = ${storeId} AND category_id = ANY (${categoryIds}::integer[]))`,
    )
  }
  if (brands) conditions.push(sql`brand = ANY (${brands}::text[])`)
  for (const { name, values } of options ?? []) {
    conditions.push(sql`id IN (
      SELECT option.product_id FROM product_option option
      JOIN product_option_value value ON value.store_id = option.store_id AND value.option_id = option.id
      WHERE option.store_id = ${storeId} AND option.name_key = ${name} AND value.name_key = ANY (${values}::text[]))`)
  }
  if (priceMin !== undefined) conditions.push(sql`(price - discount) >= ${priceMin}::numeric`)
  if (priceMax !== undefined) conditions.push(sql`(price - discount) <= ${priceMax}::numeric`)
  if (isAvailable) conditions.push(AVAILABLE)
  if (isFeatured) conditions.push(sql`featured`)
  if (ratingMin !== undefined) {
    conditions.push(
      sql`id IN (SELECT product_id FROM product_rating WHERE store_id = ${storeId} AND sum >= count * ${ratingMin}::integer)`,
    )
  }
  return sql.join(conditions, sql` AND `)
}
