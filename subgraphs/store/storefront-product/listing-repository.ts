import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { SearchTerm } from '../search-synonym/search-synonym.ts'
import type { Tables } from '../tables.ts'
import { containing } from '../text-key.ts'

/** Which published products of a store; absent means all. */
export type ListedProducts = {
  /** Each occurs in the texts of the product: all of its words, or one of its synonyms. */
  readonly terms: readonly SearchTerm[]
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
        : sql`AND (${key}, product_id) ${isDescending ? sql`<` : sql`>`} (${after.key}::${sql.raw(type)}, ${after.id}::integer)`
    const direction = isDescending ? sql`DESC` : sql`ASC`
    // Scores are made from search texts, once for each product that is found.
    const from =
      sort === 'RELEVANCE' && which.terms.length > 0
        ? sql`(SELECT product_id, ${scoreOf(which.terms)} AS score FROM product_facet
            JOIN product_search USING (store_id, product_id) WHERE ${matching(storeId, which)} OFFSET 0) AS scored WHERE true`
        : sql`product_facet WHERE ${matching(storeId, which)}`
    const { rows } = await sql<ListedProduct>`
      SELECT product_id AS id, (${key})::text AS key FROM ${from} ${behind}
      ORDER BY ${key} ${direction}, product_id ${direction} LIMIT ${size}`.execute(database)
    return rows
  },

  /** At most 10,000. */
  async count(storeId: number, which: ListedProducts): Promise<number> {
    const { categoryIds, terms, ...others } = which
    if (categoryIds && terms.length === 0 && Object.keys(others).length === 0)
      return countInCategories(database, storeId, categoryIds)
    const { rows } = await sql<{ readonly count: string }>`
      SELECT count(*) AS count FROM (SELECT 1 FROM product_facet WHERE ${matching(storeId, which)} LIMIT ${MAX_COUNT}) AS found`.execute(
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

  /** Those of `words` that occur in no published product, and in no term of synonyms. */
  async unknownWords(storeId: number, words: readonly string[]): Promise<readonly string[]> {
    const { rows } = await sql<{ readonly word: string }>`
      SELECT word FROM unnest(${words}::text[], ${words.map(containing)}::text[]) AS wanted (word, pattern)
      WHERE NOT EXISTS (
        SELECT 1 FROM product_search JOIN product ON product.store_id = product_search.store_id AND product.id = product_id
        WHERE product_search.store_id = ${storeId} AND text_key LIKE pattern AND ${isPublic(sql`pattern`)} AND status <> 'DISABLED')
        AND NOT EXISTS (SELECT 1 FROM search_synonym WHERE store_id = ${storeId} AND word = ANY (${WORDS_OF_TERMS}))`.execute(
      database,
    )
    return rows.map(({ word }) => word)
  },

  /** Words of the store's names and synonyms that begin like this one, and differ in length by two at most. */
  async vocabulary(storeId: number, word: string): Promise<readonly string[]> {
    const beginnings = [...word].slice(0, 2).map((letter) => `${letter.replace(/[\\%_]/g, '\\$&')}%`)
    const isLike = sql`word LIKE ANY (${beginnings}::text[]) AND length(word) BETWEEN ${word.length - 2} AND ${word.length + 2}`
    const { rows } = await sql<{ readonly word: string }>`
      (SELECT word FROM product_search_word WHERE store_id = ${storeId} AND ${isLike} LIMIT ${MAX_VOCABULARY})
      UNION
      (SELECT word FROM search_synonym, unnest(${WORDS_OF_TERMS}) AS word WHERE store_id = ${storeId} AND ${isLike})`.execute(
      database,
    )
    return rows.map((row) => row.word)
  },

  /** Values to filter by, of the first 5,000 products; the most frequent first. */
  async facets(storeId: number, which: ListedProducts): Promise<FacetRow[]> {
    const { rows } = await sql<FacetRow>`
      WITH found AS MATERIALIZED (
        SELECT product_id, brand, price, available, stars, category_ids, option_keys FROM product_facet
        WHERE ${matching(storeId, which)} LIMIT ${MAX_FACET_PRODUCTS}
      )
      (SELECT 'collection' AS facet, category.name AS label, category.permalink AS value, counted.count
        FROM (SELECT category_id, count(*)::integer AS count FROM found, unnest(category_ids) AS category_id GROUP BY category_id) AS counted
        JOIN product_category category ON category.store_id = ${storeId} AND category.id = counted.category_id
        ORDER BY counted.count DESC, category.permalink COLLATE "C" LIMIT ${MAX_FACET_VALUES})
      UNION ALL
      (SELECT 'brand', NULL, brand, count(*)::integer AS count FROM found WHERE brand IS NOT NULL
        GROUP BY brand ORDER BY count DESC, brand COLLATE "C" LIMIT ${MAX_FACET_VALUES})
      UNION ALL
      (SELECT 'option', option.name, value.name, counted.count
        FROM (SELECT key, count(*)::integer AS count, min(product_id) AS product_id FROM found, unnest(option_keys) AS key
          GROUP BY key ORDER BY count DESC, key COLLATE "C" LIMIT ${MAX_OPTION_VALUES}) AS counted
        JOIN product_option option ON option.store_id = ${storeId} AND option.product_id = counted.product_id
          AND option.name_key = split_part(key, ${BETWEEN}, 2)
        JOIN product_option_value value ON value.store_id = ${storeId} AND value.option_id = option.id
          AND value.name_key = split_part(key, ${BETWEEN}, 3)
        ORDER BY counted.count DESC, key COLLATE "C")
      UNION ALL
      (SELECT 'price', max(price)::text, min(price)::text, count(*)::integer FROM found HAVING count(*) > 0)
      UNION ALL
      (SELECT 'available', NULL, 'true', count(*)::integer FROM found WHERE available)
      UNION ALL
      (SELECT 'rating', NULL, stars::text, count(*)::integer AS products
        FROM found WHERE stars IS NOT NULL GROUP BY stars ORDER BY stars DESC)`.execute(database)
    return rows
  },
})

/**
 * Number of published products of categories: reading those that are DISABLED, which are few, takes
 * a third of reading all others.
 */
async function countInCategories(database: Kysely<Tables>, storeId: number, categoryIds: readonly number[]): Promise<number> {
  const { rows } = await sql<{ readonly count: string }>`
    SELECT count(*) AS count FROM (
      SELECT DISTINCT product_id FROM product_category_member member
      WHERE store_id = ${storeId} AND category_id = ANY (${categoryIds}::integer[]) AND NOT EXISTS (
        SELECT FROM product WHERE product.store_id = ${storeId} AND product.status = 'DISABLED' AND product.id = member.product_id)
      LIMIT ${MAX_COUNT}) AS found`.execute(database)
  return Number(rows[0]?.count ?? 0)
}

/** Words of the terms of synonyms. */
const WORDS_OF_TERMS = sql`string_to_array(array_to_string(term_keys, ' '), ' ')`

/** What parts store, option and value in `product_facet.option_keys`. */
const BETWEEN = '\u001f'

/** What shoppers can read of the texts of a product: no barcodes and custom fields. */
const PUBLIC_TEXTS = sql`concat_ws(E'\\n', keys ->> 'name', keys ->> 'brand', keys ->> 'sku', keys ->> 'option_name',
  keys ->> 'variants', keys ->> 'description')`

type Sort = { readonly key: RawBuilder<unknown>; readonly type: 'integer' | 'numeric' | 'text'; readonly isDescending: boolean }

const NEWEST: Sort = { key: sql`product_id`, type: 'integer', isDescending: true }

const SORTS: Readonly<Record<ProductSort, (which: ListedProducts) => Sort>> = {
  NEWEST: () => NEWEST,
  PRICE_ASC: () => ({ key: sql`price`, type: 'numeric', isDescending: false }),
  PRICE_DESC: () => ({ key: sql`price`, type: 'numeric', isDescending: true }),
  NAME: () => ({ key: sql`name_key`, type: 'text', isDescending: false }),
  RELEVANCE: ({ terms }) => (terms.length === 0 ? NEWEST : { key: sql`score`, type: 'integer', isDescending: true }),
}

/**
 * 3: the name equals the search text; 2: it starts with it; 1: it has all words, or synonyms of
 * them; 0: other texts have.
 */
function scoreOf(terms: readonly SearchTerm[]): RawBuilder<number> {
  const name = sql`(keys ->> 'name')`
  const whole = terms.flatMap(({ words }) => words).join(' ')
  const isNamed = terms.map((term) => anyPart(term, (patterns) => sql`${name} LIKE ALL (${patterns}::text[])`))
  return sql`(CASE WHEN ${name} = ${whole} THEN 3 WHEN starts_with(${name}, ${whole}) THEN 2
    WHEN ${sql.join(isNamed, sql` AND `)} THEN 1 ELSE 0 END)`
}

/** A condition of the words of a term, or of one of its synonyms, which are patterns for `LIKE`. */
function anyPart(
  { words, synonyms }: SearchTerm,
  condition: (patterns: readonly string[]) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const parts = [words, ...synonyms.map((synonym) => [synonym])].map((texts) => condition(texts.map(containing)))
  return parts.length === 1
    ? sql`${parts[0]}`
    : sql`(${sql.join(
        parts.map((part) => sql`(${part})`),
        sql` OR `,
      )})`
}

/** Whether shoppers see a word in the texts of a product: mostly in its name, so that is read first. */
const isPublic = (pattern: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`(keys ->> 'name' LIKE ${pattern} OR ${PUBLIC_TEXTS} LIKE ${pattern})`

function matching(storeId: number, which: ListedProducts): RawBuilder<unknown> {
  const { terms, categoryIds, brands, options, priceMin, priceMax, isAvailable, ratingMin, isFeatured } = which
  const conditions = [sql`store_id = ${storeId}`]
  if (terms.length > 0) {
    // Only of the whole is there an index; what shoppers do not see must not be found either.
    const isThere = terms.map((term) =>
      anyPart(term, (patterns) =>
        sql.join(
          patterns.map((pattern) => sql`text_key LIKE ${pattern} AND ${isPublic(sql`${pattern}::text`)}`),
          sql` AND `,
        ),
      ),
    )
    conditions.push(
      sql`product_id IN (SELECT product_id FROM product_search WHERE store_id = ${storeId} AND ${sql.join(isThere, sql` AND `)})`,
    )
  }
  if (categoryIds) {
    conditions.push(
      sql`product_id IN (SELECT product_id FROM product_category_member WHERE store_id = ${storeId} AND category_id = ANY (${categoryIds}::integer[]))`,
    )
  }
  if (brands) conditions.push(sql`brand = ANY (${brands}::text[])`)
  for (const { name, values } of options ?? []) {
    const keys = values.map((value) => [storeId, name, value].join(BETWEEN))
    conditions.push(sql`option_keys && ${keys}::text[]`)
  }
  if (priceMin !== undefined) conditions.push(sql`price >= ${priceMin}::numeric`)
  if (priceMax !== undefined) conditions.push(sql`price <= ${priceMax}::numeric`)
  if (isAvailable) conditions.push(sql`available`)
  if (isFeatured) conditions.push(sql`featured`)
  if (ratingMin !== undefined) conditions.push(sql`stars >= ${ratingMin}::integer`)
  return sql.join(conditions, sql` AND `)
}
