import { Kind, parse, visit } from 'graphql'
import { expect, test } from 'vitest'
import { releaseGarbage } from '../../../platform/process/release-garbage.ts'
import { catalogueOf, changedCatalogue } from '../../../subgraphs/directory/item/catalogue.ts'
import { matching } from '../../../subgraphs/directory/search/matching.ts'
import { recentMatches } from '../../../subgraphs/directory/search/recent-matches.ts'
import { search } from '../../../subgraphs/directory/search/search.ts'
import { changesOf, generator, snapshotOf } from './catalogue-answers.ts'

const { item } = generator(67)
const catalogue = await catalogueOf(snapshotOf(Array.from({ length: 60 }, (_, id) => item(id))))
const all = { argument: 'query', accepts: null }

test('a repeated search reads what the first one found, and one of the next revision does not', async () => {
  const first = matching('slack', catalogue, all)
  expect(first.records.length).toBeGreaterThan(0)
  expect(matching('slack', catalogue, all)).toBe(first)
  expect(matching('slack', catalogue, { ...all, accepts: () => false }).records.length).toBe(0)
  const next = await changedCatalogue(catalogue, changesOf([], [String(first.records[0])], 1))
  if (!next) throw new Error('Expected a changed catalogue.')
  expect(matching('slack', next, all).records.length).toBe(first.records.length - 1)
})

test('of many matches or queries those are forgotten that were used least of late', () => {
  const searched: string[] = []
  const find = (query: string, size: number) =>
    recentMatches(query, catalogue.words, () => {
      searched.push(query)
      return { records: new Uint32Array(size), scores: new Float64Array(size) }
    })
  for (const query of ['a', 'b', 'a', 'c', 'a', 'b']) find(query, 150_000)
  expect(searched).toEqual(['a', 'b', 'c', 'b'])
  find('larger than all', 400_001)
  find('a', 1)
  find('larger than all', 400_001)
  expect(searched.slice(4)).toEqual(['larger than all', 'a', 'larger than all'])
  searched.length = 0
  for (let number = 0; number <= 1_000; number += 1) find(`query ${number}`, 0)
  find('query 0', 0)
  find('query 1000', 0)
  expect(searched.length).toBe(1_002)
})

test('what finds nothing is of one catalogue as well, which would stay in memory', () => {
  for (const query of ['', '!', 'nothing-of-that-name'])
    expect(search(query, catalogue.words)).not.toBe(search(query, catalogue.words))
})

test('a remembered query does not keep the text of its request in memory', async () => {
  const { words } = await catalogueOf(snapshotOf([item(1)]))
  const requestOf = (number: number) => `{ search(query: "a query of several words ${number}") } # ${'x'.repeat(100_000)}`
  const heapMegabytes = () => {
    releaseGarbage()
    return process.memoryUsage().heapUsed / 1e6
  }
  const before = heapMegabytes()
  for (let number = 0; number < 300; number += 1)
    visit(parse(requestOf(number), { noLocation: true }), {
      [Kind.STRING]: ({ value }) => void recentMatches(value, words, () => search(value, words)),
    })
  expect(heapMegabytes() - before).toBeLessThan(15)
})
