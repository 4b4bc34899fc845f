import { beforeAll, expect, test } from 'vitest'
import { type Catalogue, catalogueOf, changedCatalogue } from '../../../subgraphs/directory/item/catalogue.ts'
import type { Item } from '../../../subgraphs/directory/item/item.ts'
import { scoreOf } from '../../../subgraphs/directory/item/quality.ts'
import { expansionOf } from '../../../subgraphs/directory/search/expansion.ts'
import { ranking } from '../../../subgraphs/directory/search/ranking.ts'
import { search } from '../../../subgraphs/directory/search/search.ts'
import { addEmptyWords, type Term, tally } from '../../../subgraphs/directory/search/tally.ts'
import { fieldsOf, recordOf } from '../../../subgraphs/directory/word-index/word-index.ts'
import { changesOf, generator, SAMPLE_QUERIES, snapshotOf } from './catalogue-answers.ts'

let catalogue: Catalogue

// Changed, so that postings are not in the order of records.
beforeAll(async () => {
  const { item } = generator(29)
  const first = await catalogueOf(snapshotOf(Array.from({ length: 700 }, (_, id) => item(id))))
  const changed = await changedCatalogue(
    first,
    changesOf(
      Array.from({ length: 200 }, (_, id) => item(id)),
      ['300', '301'],
      1,
    ),
  )
  if (!changed) throw new Error('Expected a changed catalogue.')
  catalogue = changed
})

const termsOf = (words: readonly string[], empty: readonly string[] = []): readonly Term[] => [
  ...words.map((word, at) => ({ meant: expansionOf(word, true, catalogue.words), isRequired: true, rarity: 1 / (at + 3) })),
  ...empty.map((word) => ({ meant: expansionOf(word, true, catalogue.words), isRequired: false, rarity: 0.02 })),
]

/** What the best place of a term is worth, by record, and the records whose names hold it. */
function placesOf({ meant }: Term) {
  const { postings, starts, brevity } = catalogue.words
  const [best, named] = [new Map<number, number>(), new Set<number>()]
  for (const [number, weight] of meant)
    for (const posting of postings.subarray(starts[number], starts[number + 1])) {
      const [record, places] = [recordOf(posting), fieldsOf(posting)]
      const ofText = 1.5 * (brevity[record] as number)
      const place = places & 8 ? 10 + (places & 3) : places & 4 ? 5 + (places & 3) : places & 2 ? 4 + (places & 1) : ofText
      best.set(record, Math.max(best.get(record) ?? 0, weight * place))
      if (places & 12) named.add(record)
    }
  return { best, named }
}

/** As one reads it: term by term, and record by record. */
function plainTally(terms: readonly Term[]) {
  const records = new Map<number, { score: number; hits: number; nameHits: number }>()
  for (const term of terms) {
    const { best, named } = placesOf(term)
    for (const [record, value] of best) {
      const known = records.get(record) ?? { score: 0, hits: 0, nameHits: 0 }
      if (!term.isRequired && known.hits === 0) continue
      records.set(record, {
        score: known.score + value * term.rarity,
        hits: known.hits + Number(term.isRequired),
        nameHits: known.nameHits + Number(term.isRequired && named.has(record)),
      })
    }
  }
  return records
}

const numbers = (one: number, other: number): number => one - other

test.each([
  { words: ['data'], empty: [], why: 'one term' },
  { words: ['se', 'postgres', 'mail', 'kuberntes'], empty: ['s'], why: 'several, and a word that need not occur' },
  { words: ['nothing-of-that-name'], empty: ['slack'], why: 'no record' },
  { words: Array.from({ length: 300 }, (_, at) => `s${at % 50}`), empty: [], why: 'more terms than a byte counts' },
  { words: ['slack', 'audit'], empty: ['pdf', 'mail'], why: 'nothing is left of those before' },
])('a tally is the sum of the best places of each term: $why', ({ words, empty }) => {
  const terms = termsOf(words, empty)
  const wanted = plainTally(terms)
  const tallied = tally(terms, catalogue.words)
  const found = tallied.atLeast(1, null)
  addEmptyWords(terms, found, catalogue.words)
  expect([...found].sort(numbers)).toEqual([...wanted.keys()].sort(numbers))
  for (const record of found)
    expect({
      score: tallied.scoreOf(record),
      hits: tallied.hitsOf(record),
      nameHits: tallied.nameHitsOf(record),
    }).toEqual(wanted.get(record))
  const ofTwo = [...tallied.atLeast(2, (record) => record % 3 > 0)].sort(numbers)
  expect(ofTwo).toEqual([...wanted].flatMap(([record, { hits }]) => (hits >= 2 && record % 3 > 0 ? [record] : [])).sort(numbers))
})

test('a search that threw changes no other', () => {
  const before = search('postgres slack', catalogue.words)
  const refuse = () => {
    throw new Error('Refused.')
  }
  expect(() => search('data mail', catalogue.words, refuse)).toThrow('Refused.')
  expect(search('postgres slack', catalogue.words)).toEqual(before)
})

test('the position of a match is that of its whole score', () => {
  for (const query of SAMPLE_QUERIES) {
    const found = search(query, catalogue.words)
    const { order } = ranking(found, catalogue)
    for (const [at, record] of found.records.entries()) {
      const item = catalogue.items[record] as Item
      const { total } = scoreOf({ item, score: found.scores[at] as number })
      expect(order.positionOf(at)[0]).toBe(-Math.round(total * 1000))
    }
  }
})
