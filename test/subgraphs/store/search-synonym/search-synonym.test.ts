import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  MAX_SEARCHED_SYNONYMS,
  MAX_SYNONYMS,
  phrasesOf,
  searchTerms,
} from '../../../../subgraphs/store/search-synonym/search-synonym.ts'
import { agreedApp } from '../support/app.ts'
import { ANONYMOUS, type StoreStack, startStore, type TestStore } from '../support/store.ts'

let stack: StoreStack
let shop: TestStore
beforeAll(async () => {
  stack = await startStore()
})
afterAll(() => stack.close())
beforeEach(async () => {
  shop = await stack.aStore({ name: 'Furniture' })
  for (const name of ['Couch blue', 'Sofa red', 'Settee', 'Coffee table', 'Side table oak', 'Shoe rack'])
    await done(
      'mutation ($input: CreateProductInput!) { result: createProduct(input: $input) { __typename ... on ValidationError { message } } }',
      {
        input: { name, price: '10' },
      },
    )
})

async function done(query: string, variables: Record<string, unknown> = {}) {
  const { data, errors } = await stack.ask(shop, query, variables)
  expect(errors).toBeUndefined()
  return data
}
const FAILURES =
  '... on ValidationError { errors { field message } } ... on NotFoundError { message } ... on ConflictError { message currentVersion }'
const add = async (terms: readonly string[], targets?: readonly string[], more: object = {}) =>
  (
    await done(
      `mutation ($input: CreateSearchSynonymInput!) { result: createSearchSynonym(input: $input) { __typename
        ... on SearchSynonymSuccess { searchSynonym { id number terms targets version } } ${FAILURES} } }`,
      { input: { terms, ...(targets && { targets }), ...more } },
    )
  ).result
const change = async (id: string, input: object) =>
  (
    await done(
      `mutation ($id: ID!, $input: UpdateSearchSynonymInput!) { result: updateSearchSynonym(id: $id, input: $input) { __typename
        ... on SearchSynonymSuccess { searchSynonym { terms targets version } } ${FAILURES} } }`,
      { id, input },
    )
  ).result
/** Names that a shopper finds, in alphabetical order, and what was searched for instead; null: the words themselves. */
async function search(query: string) {
  const { data, errors } = await stack.ask(
    ANONYMOUS,
    `query ($store: String!, $query: String) { storefront(store: $store) { products(query: $query) { searchedFor totalCount nodes { name } facets { availableCount } } } }`,
    { store: shop.code, query },
  )
  expect(errors).toBeUndefined()
  const { searchedFor, totalCount, nodes, facets } = data.storefront.products
  expect([totalCount, facets.availableCount]).toEqual([nodes.length, facets.availableCount])
  return { names: nodes.map(({ name }: { name: string }) => name).toSorted(), searchedFor }
}
const SOFAS = ['Couch blue', 'Settee', 'Sofa red']

describe('synonyms in the search of a shop', () => {
  test('find each other, whatever their case and accents, and only in their shop', async () => {
    expect((await search('couch')).names).toEqual(['Couch blue'])
    const { searchSynonym } = await add(['Sófa', ' couch ', 'settee'])
    expect(searchSynonym).toMatchObject({ terms: ['Sófa', 'couch', 'settee'], targets: [], version: 1 })
    for (const query of ['couch', 'SOFA', 'settée']) expect(await search(query)).toEqual({ names: SOFAS, searchedFor: null })
    expect((await search('red couch')).names).toEqual(['Sofa red'])
    const other = shop
    shop = await stack.aStore({ name: 'Other shop' })
    await done('mutation { createProduct(input: { name: "Sofa", price: "1" }) { __typename } }')
    expect((await search('couch')).names).toEqual([])
    shop = other
  })

  test('of one direction find their targets, which do not find them', async () => {
    await add(['seat', 'bench'], ['couch', 'sofa'])
    expect((await search('bench')).names).toEqual(['Couch blue', 'Sofa red'])
    expect((await search('seat blue')).names).toEqual(['Couch blue'])
    expect((await search('couch')).names).toEqual(['Couch blue'])
  })

  test('may be phrases, of which the longest counts', async () => {
    await add(['low table', 'coffee table'])
    await add(['low'], ['shoe'])
    expect((await search('low table')).names).toEqual(['Coffee table'])
    expect((await search('low')).names).toEqual(['Shoe rack'])
    expect((await search('table')).names).toEqual(['Coffee table', 'Side table oak'])
  })

  test('are found with typing errors, and words of synonyms are not corrected to names', async () => {
    await add(['davenport', 'sofa'])
    expect(await search('davenprot')).toEqual({ names: ['Sofa red'], searchedFor: 'davenport' })
    expect(await search('davenport')).toEqual({ names: ['Sofa red'], searchedFor: null })
    // Two edits from "settee", which it would be corrected to.
    await add(['setees', 'couch'])
    expect(await search('setees')).toEqual({ names: ['Couch blue'], searchedFor: null })
    expect(await search('cuoch')).toMatchObject({ names: ['Couch blue'], searchedFor: 'couch' })
  })

  test('find by wildcards and quotes as they are written', async () => {
    await add(['100%', "o'clock_"])
    for (const query of ['100%', "o'clock_", '%', '_']) expect((await search(query)).names).toEqual([])
  })

  test('are read anew after each change', async () => {
    const { searchSynonym } = await add(['bank', 'couch'])
    expect((await search('bank')).names).toEqual(['Couch blue'])
    expect((await change(searchSynonym.id, { terms: ['bank', 'settee'], expectedVersion: 1 })).searchSynonym).toEqual({
      terms: ['bank', 'settee'],
      targets: [],
      version: 2,
    })
    expect((await search('bank')).names).toEqual(['Settee'])
    const { result } = await done(
      'mutation ($id: ID!) { result: deleteSearchSynonym(id: $id, expectedVersion: 2) { __typename } }',
      {
        id: searchSynonym.id,
      },
    )
    expect(result.__typename).toBe('DeleteSearchSynonymSuccess')
    expect((await search('bank')).names).toEqual([])
    const log = await stack.sql(
      `SELECT kind, fields FROM audit_entry WHERE store_id = $1 AND noun = 'SEARCH_SYNONYM' ORDER BY id`,
      [shop.storeId],
    )
    expect(log.map(({ kind }) => kind)).toEqual(['CREATED', 'UPDATED', 'DELETED'])
    expect(log[1]?.fields).toEqual({
      terms: [
        ['bank', 'couch'],
        ['bank', 'settee'],
      ],
    })
  })
})

describe('a merchant', () => {
  test.each<[string, readonly string[], readonly string[], string]>([
    ['one word', ['sofa'], [], 'terms'],
    ['none', [], ['sofa'], 'terms'],
    ['eleven', Array.from({ length: 11 }, (_, index) => `word${index}`), [], 'terms'],
    ['eleven targets', ['sofa'], Array.from({ length: 11 }, (_, index) => `word${index}`), 'targets'],
    ['a blank one', ['sofa', ' '], [], 'terms.1'],
    ['four words', ['sofa', 'a b c d'], [], 'terms.1'],
    ['a long one', ['sofa', 'x'.repeat(51)], [], 'terms.1'],
    ['one that grows as a search key', ['sofa', 'ﷺ'.repeat(50)], [], 'terms.1'],
    ['half a character', ['sofa', '\ud800'], [], 'terms.1'],
    ['a null character', ['sofa', 'a\0b'], [], 'terms.1'],
    ['the same twice', ['sofa', 'SÓFA'], [], 'terms.1'],
    ['a target that is a term', ['sofa'], ['couch', 'Sofa'], 'targets.1'],
  ])('cannot write %s, and is told which', async (_, terms, targets, field) => {
    const { __typename, errors } = await add(terms, targets)
    expect([__typename, errors?.[0]?.field]).toEqual(['ValidationError', field])
  })

  test('has at most 100, repeats a request with its key, and overwrites no newer version', async () => {
    const first = await add(['a1', 'b1'], [], { idempotencyKey: 'once' })
    expect(await add(['a1', 'b1'], [], { idempotencyKey: 'once' })).toEqual(first)
    await change(first.searchSynonym.id, { targets: ['c1'] })
    expect(await change(first.searchSynonym.id, { terms: ['d1'], expectedVersion: 1 })).toMatchObject({
      __typename: 'ConflictError',
      currentVersion: 2,
    })
    expect((await change(first.searchSynonym.id, { targets: null })).errors?.[0]?.field).toBe('targets')
    expect((await change('999999', { terms: ['d1', 'e1'] })).__typename).toBe('NotFoundError')
    await stack.sql(
      `INSERT INTO search_synonym (store_id, terms, targets, term_keys, target_keys, created_at, updated_at)
      SELECT $1, ARRAY['x' || number, 'y'], '{}', ARRAY['x' || number, 'y'], '{}', now(), now() FROM generate_series(2, $2::int) AS number`,
      [shop.storeId, MAX_SYNONYMS],
    )
    expect((await add(['z', 'zz'])).__typename).toBe('ConflictError')
    const { searchSynonyms } = await done(
      '{ searchSynonyms(first: 2) { totalCount nodes { terms targets } pageInfo { hasNextPage } } }',
    )
    expect(searchSynonyms).toMatchObject({ totalCount: MAX_SYNONYMS, pageInfo: { hasNextPage: true } })
    expect(searchSynonyms.nodes[0]).toEqual({ terms: ['a1', 'b1'], targets: ['c1'] })
  })

  test('lets an app read and write them by the scopes of settings alone', async () => {
    const reader = await agreedApp(stack, shop, { scopes: ['read_settings'] })
    const products = await agreedApp(stack, shop, { scopes: ['read_products', 'write_products'] })
    expect((await stack.ask(reader.caller, '{ searchSynonyms { totalCount } }')).data).toEqual({
      searchSynonyms: { totalCount: 0 },
    })
    const write = 'mutation { createSearchSynonym(input: { terms: ["a", "b"] }) { __typename } }'
    for (const [who, query] of [
      [reader.caller, write],
      [products.caller, write],
      [products.caller, '{ searchSynonyms { totalCount } }'],
    ] as const)
      expect((await stack.ask(who, query)).errors?.[0]?.extensions.code).toBe('FORBIDDEN')
  })
})

test('one search looks for at most 30 synonyms, and all other words stay', () => {
  const words = Array.from({ length: 10 }, (_, index) => `w${index}`)
  const synonyms = words.map((word) => ({
    termKeys: [word, ...Array.from({ length: 9 }, (_, index) => `${word}-${index}`)],
    targetKeys: [],
  }))
  const terms = searchTerms(words, synonyms)
  expect(terms.flatMap((term) => term.words)).toEqual(words)
  expect(terms.flatMap((term) => term.synonyms)).toHaveLength(MAX_SEARCHED_SYNONYMS)
  expect(phrasesOf(words)).toHaveLength(27)
})
