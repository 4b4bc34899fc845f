import { describe, expect, test } from 'vitest'
import { sameStem } from '../../../../subgraphs/directory/search/expansion.ts'
import { createPace } from '../../../../subgraphs/directory/word-index/pace.ts'
import { sortedWords, withSortedWords } from '../../../../subgraphs/directory/word-index/sorted-words.ts'
import { createVocabulary, type NumberedWords } from '../../../../subgraphs/directory/word-index/vocabulary.ts'
import { stem, tokenize } from '../../../../subgraphs/directory/word-index/words.ts'
import { randomFrom } from '../random.ts'

const random = randomFrom(19)
const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value
const many = <Value>(count: number, make: () => Value): Value[] => Array.from({ length: count }, make)

const LETTERS = [...'aaabcdefgnopABCDEFN0123456789']
const SIGNS = [' ', ' ', '-', '_', '.', '/', '\n', ', ', '#', '+', '\u0000']
const FOREIGN = [...'éÄßКнига数据库ｗＩ\u0301\ud83d\ude80']
const NAMES = ['C#', 'c++', '.NET', 'asp.net', 'example.net', 'HTTPServer2', 'constructor', '__proto__', 'x'.repeat(90)]

const textOf = (isForeign: boolean): string =>
  many(1 + Math.floor(random() * 12), () =>
    random() < 0.1
      ? pick(NAMES)
      : many(1 + Math.floor(random() * 9), () => (isForeign && random() < 0.1 ? pick(FOREIGN) : pick(LETTERS))).join('') +
        pick(SIGNS),
  ).join('')

describe('a vocabulary', () => {
  test('reads every text as the reader of single words does, and gives equal words one number', () => {
    const vocabulary = createVocabulary()
    const found: NumberedWords = { wholes: [], parts: [] }
    const wordsAt = (numbers: readonly number[]) => numbers.map((number) => vocabulary.words[number])
    for (const text of many(4_000, () => textOf(random() < 0.4))) {
      const read = tokenize(text)
      vocabulary.read(text, found)
      expect(wordsAt(found.wholes), text).toEqual(read.map(({ whole }) => whole))
      expect(wordsAt(found.parts), text).toEqual(read.flatMap(({ parts }) => parts))
    }
    expect(new Set(vocabulary.words).size).toBe(vocabulary.words.length)
    expect(vocabulary.words.length).toBeGreaterThan(10_000)
    for (const [number, word] of vocabulary.words.entries()) expect(vocabulary.numberOf(word)).toBe(number)
    expect(vocabulary.numberOf('nobodyhasthisword')).toBeUndefined()
  })

  test('makes room in slices before a revision is read, and knows the same words after that', async () => {
    const vocabulary = createVocabulary()
    // 64 % of 16,384 slots, which move in several slices.
    for (let number = 0; number < 10_500; number += 1) vocabulary.add(`w${number}`)
    const before = vocabulary.letters().slice()
    await vocabulary.reserve(createPace())
    for (let number = 0; number < 10_500; number += 1) expect(vocabulary.numberOf(`w${number}`)).toBe(number)
    expect(vocabulary.letters()).toEqual(before)
    expect(vocabulary.addJoined(vocabulary.add('time'), vocabulary.add('scale'))).toBe(vocabulary.numberOf('timescale'))
  })

  test('finds every form of a word by its stem', () => {
    const vocabulary = createVocabulary()
    const words =
      'debug debugs debugger debugging debugged database databases data dat organizations organize rudders rud class classes a go going flies fly s3'
    for (const word of words.split(' ')) vocabulary.add(word)
    for (const word of vocabulary.words) {
      const wanted = /^[a-z]+$/.test(word) ? vocabulary.words.filter((other) => stem(other) === stem(word)) : []
      expect(sameStem(word, { vocabulary }).map((number) => vocabulary.words[number])).toEqual(expect.arrayContaining(wanted))
      expect(new Set(sameStem(word, { vocabulary })).size).toBe(wanted.length)
    }
  })
})

describe('words in their order', () => {
  test('are those of a sort by code units, however many begin alike, also with words that are added', async () => {
    const pool = [
      ...many(9_000, () => `same-beginning-${Math.floor(random() * 1e9).toString(36)}`),
      ...many(3_000, () => many(1 + Math.floor(random() * 4), () => pick([...LETTERS, ...FOREIGN, '\uffff'])).join('')),
    ]
    const words = [...new Set(pool)]
    const byCodeUnits = words.toSorted()
    const half = Math.floor(words.length / 2)
    const slices: number[] = []
    const pace = createPace((records) => slices.push(records))
    const first = await sortedWords(words.slice(0, half), 0, pace)
    const all = await withSortedWords(first, await sortedWords(words, half, pace), words, pace)
    expect(Array.from(all, (number) => words[number])).toEqual(byCodeUnits)
    expect(Array.from(await sortedWords(words, 0, pace), (number) => words[number])).toEqual(byCodeUnits)
    // A step that is not divided adds at most as much again.
    expect(Math.max(...slices)).toBeLessThan(200)
  })
})
