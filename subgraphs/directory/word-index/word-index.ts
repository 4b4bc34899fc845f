import { type LayeredMap, layeredMap } from '../../../platform/collections/layered-map.ts'
import { packLabel } from './labels.ts'
import { CHEAP, createPace, type Pace } from './pace.ts'
import { growingNumbers, type PackedLists, packPairs, replaceLists } from './packed-lists.ts'
import { sortedWords, withSortedWords } from './sorted-words.ts'
import { createVocabulary, type NumberedWords, type Vocabulary } from './vocabulary.ts'
import { fold } from './words.ts'
import { type WordsByLength, wordsByLength } from './words-by-length.ts'

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
 * Which records hold which words, and where. Immutable, but for words that later versions add at the
 * end of the vocabulary, which all versions share: `countOf` is 0 for them here.
 */
export type WordIndex = {
  /** Numbers of records are below it; those of removed ones hold no words. */
  readonly size: number
  /** Records that are there. */
  readonly count: number
  readonly vocabulary: Vocabulary
  /** Those of the vocabulary; `isKnown` says whether a record has one. */
  readonly words: readonly string[]
  /** Numbers of words in code-unit order, for prefixes. */
  readonly sorted: Uint32Array
  /** Of each 64 words of `sorted`, how many records hold the most frequent one: a prefix may begin 100,000 words. */
  readonly maxCounts: Uint32Array
  /** Letters of each word as a bit set: two words within n changes differ in at most 2n bits. */
  readonly letters: Uint32Array
  /** The first words by their length, for typing errors. */
  readonly byLength: WordsByLength
  /** Of all words, one after the other, those of a word ascending: record number shifted left by four, and the places. */
  readonly postings: Uint32Array
  /** Per word: index of its first posting; the next word's is where they end. */
  readonly starts: Uint32Array
  /** Per record: its labels, as `packLabel` writes them. */
  readonly labels: PackedLists
  /**
   * Records by the name of a tool, as `toolKey` spells it. Apart from the words: `get`, `list` and
   * `search` begin tools of most servers, and would find them all.
   */
  readonly byTool: LayeredMap<string, readonly number[]>
  /** Per record: words of its text. */
  readonly lengths: Float32Array
  /** Per record: less than 1 when its text is longer than the average, more when it is shorter. */
  readonly brevity: Float32Array
}

/** A record that is another now; null: it was not there before, or is gone. */
export type RecordChange = { readonly before: Indexed | null; readonly after: Indexed | null }

/** What one record gives to an index: words and where they stand, and the rest as the index holds it. */
type RecordEntry = {
  readonly words: readonly number[]
  /** At the same places as `words`. */
  readonly places: readonly number[]
  readonly labels: readonly number[]
  readonly tools: readonly string[]
  readonly length: number
}

const NO_ENTRY: RecordEntry = { words: [], places: [], labels: [], tools: [], length: 0 }
/** Words between two offers to pause, where only numbers are compared. */
const PAUSE_STARTS = 50_000
/** So many words more are looked through one by one; then all are grouped anew. */
const MAX_FRESH_WORDS = 20_000
/** Records between two offers to pause, where only numbers of them are read. */
const PAUSE_RECORDS = 10_000

/** Reads records into entries, whose new words it adds to the vocabulary. */
function entryReader(vocabulary: Vocabulary): (indexed: Indexed) => RecordEntry {
  const found: NumberedWords = { wholes: [], parts: [] }
  /** By word, for the record at hand. */
  let placesOf = new Uint8Array(vocabulary.words.length + 1_024)
  let numbers: number[] = []
  let places: number[] = []
  const add = (number: number, where: number): void => {
    if (number >= placesOf.length) {
      const larger = new Uint8Array(number * 2)
      larger.set(placesOf)
      placesOf = larger
    }
    if (placesOf[number] === 0) numbers.push(number)
    placesOf[number] = (placesOf[number] as number) | where
  }
  const read = (text: string, where: number, wherePart: number): void => {
    vocabulary.read(text, found)
    for (const number of found.wholes) add(number, where)
    for (const number of found.parts) add(number, wherePart)
  }
  return ({ labels, tags, tools = [], text }) => {
    numbers = []
    places = []
    const packed: number[] = []
    for (const label of labels) {
      read(label, IN_NAME, IN_NAME_PART)
      const { wholes } = found
      for (let at = 1; at < wholes.length; at += 1)
        add(vocabulary.addJoined(wholes[at - 1] as number, wholes[at] as number), IN_NAME_PART)
      packLabel(packed, wholes, vocabulary.words)
    }
    for (const tag of tags) read(tag, IN_TAGS, IN_TAGS)
    read(text, IN_TEXT, IN_TEXT)
    for (const number of numbers) {
      places.push(placesOf[number] as number)
      placesOf[number] = 0
    }
    return { words: numbers, places, labels: packed, tools: [...new Set(tools.map(toolKey))], length: found.wholes.length }
  }
}

/** Builds the index, in slices. */
export async function buildWordIndex(records: Iterable<Indexed>, pace: Pace = createPace()): Promise<WordIndex> {
  const vocabulary = createVocabulary()
  const entryOf = entryReader(vocabulary)
  // In the order of records: word and posting, word and posting. An array for each word would be a million of them.
  const [pairs, labels] = [growingNumbers(), growingNumbers()]
  const [labelStarts, lengths] = [growingNumbers(), growingNumbers()]
  labelStarts.push(0)
  let record = 0
  const byTool = new Map<string, number[]>()
  for (const indexed of records) {
    const entry = entryOf(indexed)
    for (let at = 0; at < entry.words.length; at += 1) {
      pairs.push(entry.words[at] as number)
      pairs.push((record << FIELD_BITS) | (entry.places[at] as number))
    }
    for (const number of entry.labels) labels.push(number)
    labelStarts.push(labels.count())
    lengths.push(entry.length)
    for (const key of entry.tools) {
      const list = byTool.get(key)
      if (list) list.push(record)
      else byTool.set(key, [record])
    }
    record += 1
    const pause = pace(1)
    if (pause) await pause
  }
  const { words } = vocabulary
  const sorted = await sortedWords(words, 0, pace)
  const postings = postingsIn(await packPairs(pairs.all(), words.length, pace))
  return {
    vocabulary,
    words,
    size: record,
    count: record,
    sorted,
    maxCounts: await maxCountsOf(sorted, postings.starts, pace),
    letters: vocabulary.letters(),
    byLength: await wordsByLength(words, pace),
    ...postings,
    labels: { data: labels.all().slice(), starts: labelStarts.all().slice() },
    byTool: layeredMap<string, readonly number[]>(byTool),
    ...(await lengthsIn(Float32Array.from(lengths.all()), record, pace)),
  }
}

type StoredIndex = Pick<WordIndex, 'vocabulary' | 'count' | 'sorted' | 'postings' | 'starts' | 'labels' | 'byTool' | 'lengths'>

/** The index of parts that one had before; the others follow from them. */
export async function restoredWordIndex({ lengths, count, ...stored }: StoredIndex, pace: Pace): Promise<WordIndex> {
  const { vocabulary } = stored
  return {
    ...stored,
    words: vocabulary.words,
    size: lengths.length,
    count,
    maxCounts: await maxCountsOf(stored.sorted, stored.starts, pace),
    letters: vocabulary.letters(),
    byLength: await wordsByLength(vocabulary.words, pace),
    ...(await lengthsIn(lengths, count, pace)),
  }
}

/**
 * The index with changed records, which keep their numbers: the same as one that is built anew, but
 * for the order of words and records. Costs what the changes cost, and copies of arrays.
 */
export async function changedWordIndex(
  index: WordIndex,
  changes: ReadonlyMap<number, RecordChange>,
  pace: Pace = createPace(),
): Promise<WordIndex> {
  // Versions share the words, and only add to them.
  const { vocabulary, words } = index
  await vocabulary.reserve(pace)
  const entryOf = entryReader(vocabulary)
  const knownWords = index.starts.length - 1
  let { size } = index
  for (const record of changes.keys()) size = Math.max(size, record + 1)
  const isChanged = new Uint8Array(size)
  /** Places of words that changed records have or had. */
  const placeOfWord = new Map<number, number>()
  const placeIn = (number: number): number => {
    const place = placeOfWord.get(number) ?? placeOfWord.size
    if (place === placeOfWord.size) placeOfWord.set(number, place)
    return place
  }
  // Numbers alone, as a list for each word would be tens of thousands that outlive the young generation.
  const additions = growingNumbers()
  const labels = new Map<number, readonly number[]>()
  const lengths = new Float32Array(size)
  lengths.set(index.lengths)
  const tools = new Map<string, readonly number[] | undefined>()
  let count = index.count
  // Postings of a word are in the order of records.
  for (const record of Uint32Array.from(changes.keys()).sort()) {
    // A key of `changes`.
    const { before, after } = changes.get(record) as RecordChange
    isChanged[record] = 1
    count += Number(after !== null) - Number(before !== null)
    const old = before === null ? NO_ENTRY : entryOf(before)
    const entry = after === null ? NO_ENTRY : entryOf(after)
    for (const number of old.words) placeIn(number)
    for (let at = 0; at < entry.words.length; at += 1) {
      additions.push(placeIn(entry.words[at] as number))
      additions.push((record << FIELD_BITS) | (entry.places[at] as number))
    }
    labels.set(record, entry.labels)
    lengths[record] = entry.length
    const toolsOf = (key: string) => (tools.has(key) ? tools.get(key) : index.byTool.get(key)) ?? []
    for (const key of old.tools)
      tools.set(
        key,
        toolsOf(key).filter((one) => one !== record),
      )
    for (const key of entry.tools) tools.set(key, [...toolsOf(key), record])
    const pause = pace(2)
    if (pause) await pause
  }
  for (const [key, list] of tools) if (list?.length === 0) tools.set(key, undefined)
  const sorted = await withSortedWords(index.sorted, await sortedWords(words, knownWords, pace), words, pace)
  const postings = await repacked(index, { placeOfWord, additions: additions.all(), isChanged, wordCount: words.length }, pace)
  return {
    vocabulary,
    words,
    size,
    count,
    sorted,
    maxCounts: await maxCountsOf(sorted, postings.starts, pace),
    letters: vocabulary.letters(),
    byLength: words.length - index.byLength.count > MAX_FRESH_WORDS ? await wordsByLength(words, pace) : index.byLength,
    ...postings,
    labels: await withLabels(index.labels, labels, size, pace),
    byTool: await index.byTool.with(tools, (entries) => pace(entries * CHEAP)),
    ...(await lengthsIn(lengths, count, pace)),
  }
}

/** BM25's length normalisation with b = 0.4: descriptions differ in length by habit more than by content. */
async function lengthsIn(lengths: Float32Array, count: number, pace: Pace): Promise<Pick<WordIndex, 'lengths' | 'brevity'>> {
  let sum = 0
  for (let record = 0; record < lengths.length; record += 1) {
    sum += lengths[record] as number
    if (record % PAUSE_RECORDS === 0) await pace(PAUSE_RECORDS * (CHEAP / 50))
  }
  const average = Math.max(1, sum / Math.max(1, count))
  const brevity = new Float32Array(lengths.length)
  for (let record = 0; record < lengths.length; record += 1) {
    brevity[record] = 1 / (0.6 + (0.4 * (lengths[record] as number)) / average)
    if (record % PAUSE_RECORDS === 0) await pace(PAUSE_RECORDS * (CHEAP / 50))
  }
  return { lengths, brevity }
}

async function withLabels(
  known: PackedLists,
  labels: ReadonlyMap<number, readonly number[]>,
  size: number,
  pace: Pace,
): Promise<PackedLists> {
  let room = 0
  for (const list of labels.values()) room += list.length
  const write = (record: number, into: Uint32Array, start: number): number => {
    const list = labels.get(record) ?? []
    into.set(list, start)
    return start + list.length
  }
  return replaceLists(known, { numbers: Uint32Array.from(labels.keys()).sort(), room, write }, size, pace)
}

const postingsIn = ({ data, starts }: PackedLists): Pick<WordIndex, 'postings' | 'starts'> => ({ postings: data, starts })

type Repacking = {
  /** Of words that changed records have or had. */
  readonly placeOfWord: ReadonlyMap<number, number>
  /** New postings: place of the word and posting, place and posting. */
  readonly additions: Uint32Array
  readonly isChanged: Uint8Array
  readonly wordCount: number
}

/** Postings without those of changed records, and with their new ones. */
async function repacked(
  { postings, starts }: WordIndex,
  { placeOfWord, additions, isChanged, wordCount }: Repacking,
  pace: Pace,
): Promise<Pick<WordIndex, 'postings' | 'starts'>> {
  const added = await packPairs(additions, placeOfWord.size, pace)
  const write = (number: number, into: Uint32Array, start: number): number => {
    const to = starts[number + 1] ?? 0
    let end = start
    // Only words that have one are written.
    const place = placeOfWord.get(number) as number
    const lastAdded = added.starts[place + 1] as number
    let next = added.starts[place] as number
    for (let at = starts[number] ?? to; at < to; at += 1) {
      const posting = postings[at] as number
      if (isChanged[recordOf(posting)] === 1) continue
      while (next < lastAdded && (added.data[next] as number) < posting) into[end++] = added.data[next++] as number
      into[end++] = posting
    }
    while (next < lastAdded) into[end++] = added.data[next++] as number
    return end
  }
  const numbers = Uint32Array.from(placeOfWord.keys()).sort()
  await pace(numbers.length * (CHEAP / 10))
  const room = added.data.length
  return postingsIn(await replaceLists({ data: postings, starts }, { numbers, room, write }, wordCount, pace))
}

/** Words of `sorted` that one number of `maxCounts` is about. */
export const COUNTED_WORDS = 64

async function maxCountsOf(sorted: Uint32Array, starts: Uint32Array, pace: Pace): Promise<Uint32Array> {
  const maxCounts = new Uint32Array(Math.ceil(sorted.length / COUNTED_WORDS))
  for (let group = 0; group < maxCounts.length; group += 1) {
    const end = Math.min(sorted.length, (group + 1) * COUNTED_WORDS)
    let max = 0
    for (let at = group * COUNTED_WORDS; at < end; at += 1) max = Math.max(max, countOf(sorted[at] as number, { starts }))
    maxCounts[group] = max
    const pause = pace(COUNTED_WORDS * (CHEAP / 50))
    if (pause) await pause
  }
  return maxCounts
}

/** A name of a tool in the form in which names are compared: `createIssue` is `create_issue`. */
export const toolKey = (name: string): string => fold(name).replace(/[^\p{L}\p{N}]+/gu, '')

/** How many records hold a word; 0 for one that only a later version of the index knows. */
export const countOf = (number: number, { starts }: Pick<WordIndex, 'starts'>): number =>
  number + 1 < starts.length ? (starts[number + 1] as number) - (starts[number] as number) : 0

/** Words that the index and its later versions know, and no record of this one has. */
export async function unusedWords({ words, starts }: Pick<WordIndex, 'words' | 'starts'>, pace: Pace): Promise<number> {
  const known = starts.length - 1
  let unused = words.length - known
  for (let number = 0; number < known; number += 1) {
    if (starts[number + 1] === starts[number]) unused += 1
    if (number % PAUSE_STARTS === 0) await pace(PAUSE_STARTS * (CHEAP / 100))
  }
  return unused
}

/** Whether a record has the word. */
export function isKnown(word: string, index: Pick<WordIndex, 'vocabulary' | 'starts'>): boolean {
  const number = index.vocabulary.numberOf(word)
  return number !== undefined && countOf(number, index) > 0
}

/** Postings of a record and of those behind it are not below this. */
export const firstPosting = (record: number): number => record * 2 ** FIELD_BITS
export const recordOf = (posting: number): number => posting >>> FIELD_BITS
export const fieldsOf = (posting: number): number => posting & FIELD_MASK
