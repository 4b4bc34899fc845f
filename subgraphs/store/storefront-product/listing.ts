import { badInput } from '../../../platform/graphql/errors.ts'
import { checkPageSize, type PageInfo } from '../../toolkit/connection.ts'
import { decodeCursor, encodeCursor, foreignCursorError } from '../../toolkit/cursor.ts'
import { isText } from '../../toolkit/validation.ts'
import { amountOf, textOf } from '../amount.ts'
import { searchWords } from '../lists.ts'
import type { Product } from '../product/product.ts'
import type { SearchSynonymRepository } from '../search-synonym/repository.ts'
import { phrasesOf, type SearchTerm, searchTerms } from '../search-synonym/search-synonym.ts'
import { convertedCharge, inStoreCurrency, type OrderCurrency } from '../store-currency/exchange.ts'
import { isPermalink, type Storefront } from '../storefront/storefront.ts'
import { identityKey } from '../text-key.ts'
import type { FacetRow, ListedProduct, ListedProducts, ListingRepository, ProductSort } from './listing-repository.ts'
import { MIN_CORRECTED_LENGTH, nearestWords } from './spelling.ts'

/** A product as shoppers see it. */
export type StorefrontProduct = { readonly storefront: Storefront; readonly product: Product }

/** A page of products; what costs another statement is read on demand. */
export type StorefrontProductPage = {
  readonly nodes: readonly StorefrontProduct[]
  readonly edges: readonly { readonly node: StorefrontProduct; readonly cursor: string }[]
  readonly pageInfo: PageInfo
  readonly searchedFor: string | null
  readonly count: () => Promise<number>
  readonly facets: () => Promise<readonly FacetRow[]>
}

type ListArguments = {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
  readonly query?: string | null | undefined
  readonly filter?: FilterInput | null | undefined
  readonly sort?: ProductSort | null | undefined
}

type FilterInput = {
  readonly collection?: string | null | undefined
  readonly brands?: readonly string[] | null | undefined
  readonly options?: readonly { readonly name: string; readonly values: readonly string[] }[] | null | undefined
  readonly priceMin?: string | null | undefined
  readonly priceMax?: string | null | undefined
  readonly available?: boolean | null | undefined
  readonly ratingMin?: number | null | undefined
  readonly featured?: boolean | null | undefined
}

const DEFAULT_PAGE_SIZE = 24
const MAX_PAGE_SIZE = 50
const MAX_VALUES = 20
const MAX_OPTIONS = 10
const MAX_TEXT_LENGTH = 255

/**
 * A page of published products of a shop. Throws BAD_USER_INPUT for arguments outside the limits of
 * the schema.
 */
export async function listProducts(
  { listings, searchSynonyms }: { readonly listings: ListingRepository; readonly searchSynonyms: SynonymReader },
  storefront: Storefront,
  { first, after, query, filter, sort: wanted }: ListArguments,
): Promise<StorefrontProductPage> {
  const size = checkPageSize('first', first ?? DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)
  const storeId = storefront.store.id
  const typed = query == null ? [] : searchWords('query', query)
  const sort = sortOf(wanted, typed)
  const from = positionIn(sort, after)
  const conditions = filtered(filter ?? {}, storefront.currency)
  const collection = filter?.collection
  const [terms, categoryIds] = await Promise.all([
    searched({ listings, searchSynonyms }, storeId, typed),
    collection == null ? null : listings.categoriesBelow(storeId, collection),
  ])
  const which = { terms, ...conditions, ...(categoryIds && { categoryIds }) }
  const words = terms.flatMap((term) => term.words)
  const rows = await listings.list(storeId, which, { sort, after: from, size: size + 1 })
  const products = await storefront.load.productById.loadMany(rows.slice(0, size).map(({ id }) => id))
  const edges = rows.slice(0, size).flatMap(({ id, key }, index) => {
    const product = products[index]
    // One that was deleted in between is left out.
    if (!product || product instanceof Error) return []
    return [{ node: { storefront, product }, cursor: encodeCursor(`storefront ${sort}`, [key, id]) }]
  })
  return {
    nodes: edges.map(({ node }) => node),
    edges,
    pageInfo: {
      hasNextPage: rows.length > size,
      hasPreviousPage: from !== null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    searchedFor: words.join(' ') === typed.join(' ') ? null : words.join(' '),
    count: () => listings.count(storeId, which),
    facets: async () => (await listings.facets(storeId, which)).map((row) => facetIn(row, storefront.currency)),
  }
}

/** Lowest and highest price in a currency; other facets as they are. */
function facetIn(row: FacetRow, currency: OrderCurrency): FacetRow {
  if (row.facet !== 'price' || currency.exchange === null) return row
  const inCurrency = (price: string) => textOf(convertedCharge(amountOf(price), currency))
  return { ...row, value: inCurrency(row.value), label: row.label && inCurrency(row.label) }
}

const sortOf = (sort: ProductSort | null | undefined, words: readonly string[]): ProductSort =>
  words.length === 0 && (sort ?? 'RELEVANCE') === 'RELEVANCE' ? 'NEWEST' : (sort ?? 'RELEVANCE')

/** What keys of sort orders look like; a cursor with another one is not ours. */
const KEYS: Readonly<Record<ProductSort, RegExp>> = {
  RELEVANCE: /^[0-3]$/,
  NEWEST: /^\d{1,9}$|^1\d{9}$|^2[01]\d{8}$/,
  PRICE_ASC: /^\d{1,10}(\.\d{1,4})?$/,
  PRICE_DESC: /^\d{1,10}(\.\d{1,4})?$/,
  NAME: /^.{1,400}$/s,
}

function positionIn(sort: ProductSort, after: string | null | undefined): ListedProduct | null {
  const [key, id] = decodeCursor(`storefront ${sort}`, ['text', 'number'], after) ?? []
  if (key === undefined) return null
  if (typeof key !== 'string' || !KEYS[sort].test(key) || !isText(key)) throw foreignCursorError(after)
  if (typeof id !== 'number' || id !== Math.trunc(id) || id < 0 || id >= 2 ** 31) throw foreignCursorError(after)
  return { key, id }
}

type SynonymReader = Pick<SearchSynonymRepository, 'ofPhrases'>

/** Words of a query, corrected, with what else the merchant finds by them. */
async function searched(
  { listings, searchSynonyms }: { readonly listings: ListingRepository; readonly searchSynonyms: SynonymReader },
  storeId: number,
  typed: readonly string[],
): Promise<readonly SearchTerm[]> {
  if (typed.length === 0) return []
  const [words, ofTyped] = await Promise.all([
    corrected(listings, storeId, typed),
    searchSynonyms.ofPhrases(storeId, phrasesOf(typed)),
  ])
  const isCorrected = words.join(' ') !== typed.join(' ')
  return searchTerms(words, isCorrected ? await searchSynonyms.ofPhrases(storeId, phrasesOf(words)) : ofTyped)
}

/** Words of a query with misspelt ones replaced; those that nothing is similar to stay. */
async function corrected(listings: ListingRepository, storeId: number, words: readonly string[]): Promise<readonly string[]> {
  const unknown = await listings.unknownWords(storeId, words)
  const known = new Map(
    await Promise.all(
      unknown
        .filter((word) => word.length >= MIN_CORRECTED_LENGTH)
        .map(async (word) => {
          const near = nearestWords(word, await listings.vocabulary(storeId, word))
          // The vocabulary has words of hidden products as well.
          const hidden = new Set(near.length === 0 ? [] : await listings.unknownWords(storeId, near))
          return [word, near.find((candidate) => !hidden.has(candidate)) ?? word] as const
        }),
    ),
  )
  return words.map((word) => known.get(word) ?? word)
}

/** Conditions of a filter; its prices are in a currency. */
function filtered(input: FilterInput, { exchange }: OrderCurrency): Omit<ListedProducts, 'terms' | 'categoryIds'> {
  const { collection, brands, options, priceMin, priceMax, available, ratingMin, featured } = input
  if (collection != null && !isPermalink(collection)) throw badInput('filter.collection', 'a permalink', collection)
  if (brands) checkTexts('filter.brands', brands, 0)
  if (options && options.length > MAX_OPTIONS) throw badInput('filter.options', `at most ${MAX_OPTIONS} options`, options.length)
  for (const [index, { name, values }] of (options ?? []).entries()) {
    checkTexts(`filter.options.${index}.name`, [name], 1)
    checkTexts(`filter.options.${index}.values`, values, 1)
  }
  if (ratingMin != null && (ratingMin < 1 || ratingMin > 5)) throw badInput('filter.ratingMin', '1 to 5', ratingMin)
  return {
    ...(brands && brands.length > 0 && { brands }),
    ...(options && {
      options: options.map(({ name, values }) => ({ name: identityKey(name), values: values.map(identityKey) })),
    }),
    ...(priceMin != null && { priceMin: textOf(inStoreCurrency(amountOf(priceMin), exchange)) }),
    ...(priceMax != null && { priceMax: textOf(inStoreCurrency(amountOf(priceMax), exchange)) }),
    ...(available && { isAvailable: true }),
    ...(ratingMin != null && { ratingMin }),
    ...(featured && { isFeatured: true }),
  }
}

function checkTexts(argument: string, texts: readonly string[], least: number): void {
  if (texts.length < least || texts.length > MAX_VALUES)
    throw badInput(argument, `${least === 0 ? 'at most' : `${least} to`} ${MAX_VALUES} texts`, texts.length)
  const wrong = texts.find((text) => text.length > MAX_TEXT_LENGTH || !isText(text))
  if (wrong !== undefined) throw badInput(argument, `texts of at most ${MAX_TEXT_LENGTH} characters`, wrong)
}
