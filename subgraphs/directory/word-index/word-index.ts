import { setImmediate as breathe } from 'node:timers/promises'
import { fold, STOP_WORDS, stem, tokenize, type Word } from './words.ts'

/** Where in a record a word stands; bits, because one word may stand in several places. */
export const IN_NAME = 8
/**
 * Inside an identifier of the name (`hub` in `GitHub`), or two neighbours of the name read as one
 * word (`timescale` in `time-scale`).
 */
export const IN_NAME_PART = 4
export const IN_TAGS = 2
export const IN_TEXT = 1
const FIELD_BITS = 4
const FIELD_MASK = 15

/** What one record gives to the index. */
export type Indexed = {
  /** What people call it, the best first: title, repository name. */
  readonly labels: readonly string[]
  /** Tags, category, owner: words about it. */
  readonly tags: readonly string[]
  /** Names of tools, which are looked for as a whole. */
  readonly tools?: readonly string[]
  readonly text: string
}

/**
 * Which records hold which words, and where. Immutable; records are numbered in the order in which
 * they were given.
 */
export type WordIndex = {
  readonly size: number
  /** Number of a known word. */
  readonly numberOf: ReadonlyMap<string, number>
  /** Known words in code-unit order, for prefixes. */
  readonly sorted: readonly string[]
  readonly words: readonly string[]
  /** Letters of each word as a bit set: two words within n changes differ in at most 2n bits. */
  readonly letters: Uint32Array
  /** Words that share a stem. */
  readonly byStem: ReadonlyMap<string, readonly number[]>
  /** Of all words, one after the other: record number shifted left by four, and the places. */
  readonly postings: Uint32Array
  /** Per word: index of its first posting; the next word's is where they end. */
  readonly starts: Uint32Array
  /**
   * Per record and label: the numbers of its words, without those that say little unless there are
   * no others.
   */
  readonly labelWords: readonly (readonly (readonly number[])[])[]
  /** Per record and label: the letters and digits of it, folded, without anything between. */
  readonly labelKeys: readonly (readonly string[])[]
  /**
   * Records by the name of a tool, as `toolKey` spells it. Apart from the words: `get`, `list` and
   * `search` begin tools of most servers, and would find them all.
   */
  readonly byTool: ReadonlyMap<string, readonly number[]>
  /** Per record: less than 1 when its text is longer than the average, more when it is shorter. */
  readonly brevity: Float32Array
}

/**
 * Records that are indexed between two turns of the event loop, so that a refresh does not hold up
 * requests. About 5 ms.
 */
const SLICE_RECORDS = 100

/** Builds the index; takes about 50 µs a record, in slices. */
export async function buildWordIndex(records: readonly Indexed[]): Promise<WordIndex> {
  const numberOf = new Map<string, number>()
  const words: string[] = []
  const collected: number[][] = []
  const labelWords: (readonly (readonly number[])[])[] = []
  const labelKeys: (readonly string[])[] = []
  const lengths = new Float32Array(records.length)
  const byTool = new Map<string, number[]>()

  const addPosting = (word: string, record: number, where: number): number => {
    let number = numberOf.get(word)
    if (number === undefined) {
      number = words.length
      numberOf.set(word, number)
      words.push(word)
      collected.push([])
    }
    const list = collected[number] as number[]
    const last = list.length - 1
    // A record's words arrive together: its entry is the last one or does not exist.
    if (last >= 0 && (list[last] as number) >>> FIELD_BITS === record) list[last] = (list[last] as number) | where
    else list.push((record << FIELD_BITS) | where)
    return number
  }
  const addPostings = (found: readonly Word[], record: number, where: number, wherePart: number): void => {
    for (const { whole, parts } of found) {
      addPosting(whole, record, where)
      for (const part of parts) addPosting(part, record, wherePart)
    }
  }

  for (const [record, { labels, tags, tools = [], text }] of records.entries()) {
    if (record % SLICE_RECORDS === SLICE_RECORDS - 1) await breathe()
    const labelsRead = labels.map(tokenize)
    labelWords.push(
      labelsRead.map((found) => {
        addPostings(found, record, IN_NAME, IN_NAME_PART)
        for (const [index, { whole }] of found.entries()) {
          const next = found[index + 1]
          if (next) addPosting(whole + next.whole, record, IN_NAME_PART)
        }
        // Every word has a number.
        return significant(found).map((word) => numberOf.get(word) as number)
      }),
    )
    labelKeys.push(labelsRead.map((found) => found.map(({ whole }) => whole).join('')))
    for (const key of new Set(tools.map(toolKey))) {
      const records = byTool.get(key)
      if (records) records.push(record)
      else byTool.set(key, [record])
    }
    for (const tag of tags) addPostings(tokenize(tag), record, IN_TAGS, IN_TAGS)
    const found = tokenize(text)
    addPostings(found, record, IN_TEXT, IN_TEXT)
    lengths[record] = found.length
  }

  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, records.length)
  const byStem = new Map<string, number[]>()
  for (const [number, word] of words.entries()) {
    const key = stem(word)
    const list = byStem.get(key)
    if (list) list.push(number)
    else byStem.set(key, [number])
  }
  return {
    size: records.length,
    numberOf,
    sorted: words.toSorted(),
    words,
    letters: Uint32Array.from(words, lettersOf),
    byStem,
    ...packed(collected),
    labelWords,
    labelKeys,
    byTool,
    // BM25's length normalisation with b = 0.4: descriptions differ in length by habit more than by
    // content.
    brevity: lengths.map((length) => 1 / (0.6 + (0.4 * length) / Math.max(1, average))),
  }
}

/** One array for all: 30,000 small ones would take more room than what they hold. */
function packed(lists: readonly (readonly number[])[]): Pick<WordIndex, 'postings' | 'starts'> {
  const starts = new Uint32Array(lists.length + 1)
  for (const [number, list] of lists.entries()) starts[number + 1] = (starts[number] as number) + list.length
  const postings = new Uint32Array(starts.at(-1) ?? 0)
  for (const [number, list] of lists.entries()) postings.set(list, starts[number])
  return { postings, starts }
}

/** A name of a tool in the form in which names are compared: `createIssue` is `create_issue`. */
export const toolKey = (name: string): string => fold(name).replace(/[^\p{L}\p{N}]+/gu, '')

/** How many records hold a word. */
export const countOf = (number: number, { starts }: WordIndex): number =>
  (starts[number + 1] as number) - (starts[number] as number)

/** The words that tell things apart; all of them when none does. */
export function significant(found: readonly Word[]): string[] {
  const wholes = [...new Set(found.map(({ whole }) => whole))]
  const notifying = wholes.filter((word) => !STOP_WORDS.has(word))
  return notifying.length > 0 ? notifying : wholes
}

export const recordOf = (posting: number): number => posting >>> FIELD_BITS
export const fieldsOf = (posting: number): number => posting & FIELD_MASK

/** The set of letters of a word in 32 bits; letters beyond a to z and digits share bits. */
export function lettersOf(word: string): number {
  let set = 0
  for (let index = 0; index < word.length; index += 1) set |= 1 << (word.charCodeAt(index) % 32)
  return set >>> 0
}
