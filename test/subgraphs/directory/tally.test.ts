import { beforeAll, expect, test } from 'vitest'
import { type Catalogue, catalogueOf, changedCatalogue } from '../../../subgraphs/directory/item/catalogue.ts'
import type { Item } from '../../../subgraphs/directory/item/item.ts'
import { scoreOf } from '../../../subgraphs/directory/item/quality.ts'
import { expansionOf } from '../../../subgraphs/directory/search/expansion.ts'
import { ranking } from '../../../subgraphs/directory/search/ranking.ts'
import { search } from '../../../subgraphs/directory/search/search.ts'
import { hitsIn, nameHitsIn, type Term, tally } from '../../../subgraphs/directory/search/tally.ts'
import { countOf, fieldsOf, recordOf } from '../../../subgraphs/directory/word-index/word-index.ts'
import { changesOf, generator, SAMPLE_QUERIES, snapshotOf } from './catalogue-answers.ts'

let catalogue: Catalogue

// Changed, so that postings of changed records stand between others.
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
  for (const least of [1, 2]) {
    const { records, scores, holdings } = tally(terms, catalogue.words, least)
    const tallied = Array.from(records, (record, at) => {
      const holding = holdings[at] as number
      return [record, { score: scores[at], hits: hitsIn(holding), nameHits: nameHitsIn(holding) }] as const
    })
    expect(tallied).toEqual([...wanted].filter(([, { hits }]) => hits >= least).sort(([one], [other]) => one - other))
  }
})

test('a tally of more records than one block is that of each record', async () => {
  const { item } = generator(31)
  const large = await catalogueOf(snapshotOf(Array.from({ length: 40_000 }, (_, id) => item(id))))
  const changed = catalogue
  catalogue = large
  const terms = termsOf(['slack', 'pdf7'], ['mail'])
  const wanted = plainTally(terms)
  catalogue = changed
  const { records, scores } = tally(terms, large.words, 1)
  expect([...records]).toEqual([...wanted.keys()].sort(numbers))
  expect([...scores]).toEqual(Array.from(records, (record) => wanted.get(record)?.score))
})

test('postings of a word are in the order of records, also of changed ones', () => {
  const { words, starts, postings } = catalogue.words
  for (let number = 0; number < words.length; number += 1) {
    const own = [...postings.subarray(starts[number], starts[number + 1])]
    expect(own).toEqual(own.toSorted(numbers))
  }
})

test('a prefix stands for the most frequent words that begin with it, those of one count in their order', () => {
  const { sorted, words, starts } = catalogue.words
  const counted = Array.from(sorted, (number) => ({ number, count: countOf(number, { starts }) }))
  for (const prefix of ['s', 'p', 'o', 'owner1']) {
    const known = counted.filter(({ number, count }) => count > 0 && words[number]?.startsWith(prefix))
    const first = known.toSorted((one, other) => other.count - one.count).slice(0, 400)
    const meant = expansionOf(prefix, true, catalogue.words)
    for (const { number } of first) expect(meant.has(number)).toBe(true)
    expect(meant.size).toBeLessThan(first.length + 20)
  }
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
