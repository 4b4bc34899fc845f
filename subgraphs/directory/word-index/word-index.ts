import { type LayeredMap, layeredMap } from '../../../platform/collections/layered-map.ts'
import { packLabel } from './labels.ts'
import { CHEAP, createPace, type Pace } from './pace.ts'
import { growingNumbers, type PackedLists, packLists, packPairs, replaceLists } from './packed-lists.ts'
import { changedList, sortedBy } from './sorted-list.ts'
import { fold, hasStem, stem, tokenize, type Word } from './words.ts'

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
 * end of `words`, `numberOf` and `byStem`, which all versions share: `countOf` is 0 for them here.
 */
export type WordIndex = {
  /** Numbers of records are below it; those of removed ones hold no words. */
  readonly size: number
  /** Records that are there. */
  readonly count: number
  /** Number of a word; `isKnown` says whether a record has it. */
  readonly numberOf: ReadonlyMap<string, number>
  /** Words in code-unit order, for prefixes. */
  readonly sorted: readonly string[]
  readonly words: readonly string[]
  /** Letters of each word as a bit set: two words within n changes differ in at most 2n bits. */
  readonly letters: Uint32Array
  /** The first words by their length, for typing errors. */
  readonly byLength: WordsByLength
  /** Words that share a stem; those that are their own stem in any case, such as identifiers, are not listed. */
  readonly byStem: ReadonlyMap<string, readonly number[]>
  /** Of all words, one after the other: record number shifted left by four, and the places. */
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

/** The words of an index and of its later versions. */
type Vocabulary = { readonly numberOf: Map<string, number>; readonly words: string[]; readonly byStem: Map<string, number[]> }

/** What one record gives to an index: places by word, and the rest as the index holds it. */
type RecordEntry = {
  readonly places: ReadonlyMap<number, number>
  readonly labels: readonly number[]
  readonly tools: readonly string[]
  readonly length: number
}

const NO_ENTRY: RecordEntry = { places: new Map(), labels: [], tools: [], length: 0 }
/** Words between two offers to pause. */
const PAUSE_WORDS = 500

function numberIn({ numberOf, words, byStem }: Vocabulary, word: string): number {
  const known = numberOf.get(word)
  if (known !== undefined) return known
  const number = words.length
  numberOf.set(word, number)
  words.push(word)
  if (!hasStem(word)) return number
  const key = stem(word)
  const list = byStem.get(key)
  if (list) list.push(number)
  else byStem.set(key, [number])
  return number
}

function entryOf({ labels, tags, tools = [], text }: Indexed, vocabulary: Vocabulary): RecordEntry {
  const places = new Map<number, number>()
  const add = (word: string, where: number): number => {
    const number = numberIn(vocabulary, word)
    places.set(number, (places.get(number) ?? 0) | where)
    return number
  }
  const addAll = (found: readonly Word[], where: number, wherePart: number): void => {
    for (const { whole, parts } of found) {
      add(whole, where)
      for (const part of parts) add(part, wherePart)
    }
  }
  const packed: number[] = []
  for (const label of labels) {
    const found = tokenize(label)
    addAll(found, IN_NAME, IN_NAME_PART)
    for (const [index, { whole }] of found.entries()) {
      const next = found[index + 1]
      if (next) add(whole + next.whole, IN_NAME_PART)
    }
    packLabel(packed, found, (word) => numberIn(vocabulary, word))
  }
  for (const tag of tags) addAll(tokenize(tag), IN_TAGS, IN_TAGS)
  const found = tokenize(text)
  addAll(found, IN_TEXT, IN_TEXT)
  return {
    places,
    labels: packed,
    tools: [...new Set(tools.map(toolKey))],
    length: found.length,
  }
}

/** Builds the index; takes about 50 µs a record, in slices. */
export async function buildWordIndex(records: readonly Indexed[], pace: Pace = createPace()): Promise<WordIndex> {
  const vocabulary: Vocabulary = { numberOf: new Map(), words: [], byStem: new Map() }
  // In the order of records: word and posting, word and posting. An array for each word would be a million of them.
  const pairs = growingNumbers()
  const labels: RecordEntry['labels'][] = []
  const lengths = new Float32Array(records.length)
  const byTool = new Map<string, number[]>()
  for (const [record, indexed] of records.entries()) {
    const entry = entryOf(indexed, vocabulary)
    for (const [number, where] of entry.places) pairs.push(number, (record << FIELD_BITS) | where)
    labels.push(entry.labels)
    lengths[record] = entry.length
    for (const key of entry.tools) {
      const list = byTool.get(key)
      if (list) list.push(record)
      else byTool.set(key, [record])
    }
    const pause = pace(1)
    if (pause) await pause
  }
  const { words } = vocabulary
  return {
    ...vocabulary,
    size: records.length,
    count: records.length,
    sorted: await sortedWords([], words, pace),
    letters: Uint32Array.from(words, lettersOf),
    byLength: await wordsByLength(words, pace),
    ...postingsIn(await packPairs(pairs.all(), words.length, pace)),
    labels: await packLists(labels, pace),
    byTool: layeredMap<string, readonly number[]>(byTool),
    lengths,
    brevity: brevityOf(lengths, records.length),
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
  const vocabulary = index as unknown as Vocabulary
  const knownWords = index.starts.length - 1
  let { size } = index
  for (const record of changes.keys()) size = Math.max(size, record + 1)
  const isChanged = new Uint8Array(size)
  const additions = new Map<number, number[]>()
  const labels = new Map<number, readonly number[]>()
  const lengths = new Float32Array(size)
  lengths.set(index.lengths)
  const tools = new Map<string, readonly number[] | undefined>()
  let count = index.count
  for (const [record, { before, after }] of changes) {
    isChanged[record] = 1
    count += Number(after !== null) - Number(before !== null)
    const old = before === null ? NO_ENTRY : entryOf(before, vocabulary)
    const entry = after === null ? NO_ENTRY : entryOf(after, vocabulary)
    for (const number of old.places.keys()) if (!additions.has(number)) additions.set(number, [])
    for (const [number, where] of entry.places) {
      const list = additions.get(number)
      if (list) list.push((record << FIELD_BITS) | where)
      else additions.set(number, [(record << FIELD_BITS) | where])
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
  const { words, numberOf } = index
  const fresh = words.slice(knownWords)
  const letters = new Uint32Array(words.length)
  letters.set(index.letters)
  for (const [at, word] of fresh.entries()) letters[knownWords + at] = lettersOf(word)
  return {
    numberOf,
    words,
    byStem: index.byStem,
    size,
    count,
    sorted: await sortedWords(index.sorted, fresh, pace),
    letters,
    byLength: words.length - index.byLength.count > MAX_FRESH_WORDS ? await wordsByLength(words, pace) : index.byLength,
    ...(await repacked(index, { additions, isChanged, wordCount: words.length }, pace)),
    labels: await replaceLists(index.labels, labels, size, pace),
    byTool: await index.byTool.with(tools, (entries) => pace(entries * CHEAP)),
    lengths,
    brevity: brevityOf(lengths, count),
  }
}

/** BM25's length normalisation with b = 0.4: descriptions differ in length by habit more than by content. */
function brevityOf(lengths: Float32Array, count: number): Float32Array {
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, count)
  return lengths.map((length) => 1 / (0.6 + (0.4 * length) / Math.max(1, average)))
}

async function sortedWords(sorted: readonly string[], fresh: readonly string[], pace: Pace): Promise<readonly string[]> {
  if (fresh.length === 0) return sorted
  const added = await sortedBy(fresh, (word) => [word], pace)
  return sorted.length === 0 ? added : changedList(sorted, { removed: [], added }, (word) => [word], pace)
}

const postingsIn = ({ data, starts }: PackedLists): Pick<WordIndex, 'postings' | 'starts'> => ({ postings: data, starts })

type Repacking = {
  /** New postings of each word that a changed record has or had. */
  readonly additions: ReadonlyMap<number, readonly number[]>
  readonly isChanged: Uint8Array
  readonly wordCount: number
}

/** Postings without those of changed records, and with their new ones. */
async function repacked(
  { postings, starts }: WordIndex,
  { additions, isChanged, wordCount }: Repacking,
  pace: Pace,
): Promise<Pick<WordIndex, 'postings' | 'starts'>> {
  const lists = new Map<number, ArrayLike<number>>()
  for (const [number, added] of additions) {
    const [from, to] = [starts[number] ?? 0, starts[number + 1] ?? 0]
    const list = new Uint32Array(Math.max(0, to - from) + added.length)
    let end = 0
    for (let at = from; at < to; at += 1) {
      const posting = postings[at] as number
      if (isChanged[recordOf(posting)] === 0) list[end++] = posting
    }
    list.set(added, end)
    lists.set(number, list.subarray(0, end + added.length))
    const pause = pace(CHEAP + list.length * (CHEAP / 20))
    if (pause) await pause
  }
  return postingsIn(await replaceLists({ data: postings, starts }, lists, wordCount, pace))
}

/** Numbers of words without digits by their length: in one with digits no typing error is assumed. */
export type WordsByLength = {
  /** Words from this number on are not among them: later versions brought them. */
  readonly count: number
  readonly numbers: readonly (readonly number[] | undefined)[]
}

/** So many words more are looked through one by one; then all are grouped anew. */
const MAX_FRESH_WORDS = 20_000

async function wordsByLength(words: readonly string[], pace: Pace): Promise<WordsByLength> {
  const count = words.length
  const numbers: number[][] = []
  for (let number = 0; number < count; number += 1) {
    const word = words[number] as string
    if (!/\d/.test(word)) {
      const group = numbers[word.length]
      if (group) group.push(number)
      else numbers[word.length] = [number]
    }
    if (number % PAUSE_WORDS === 0) await pace(PAUSE_WORDS * (CHEAP / 10))
  }
  return { count, numbers }
}

/** A name of a tool in the form in which names are compared: `createIssue` is `create_issue`. */
export const toolKey = (name: string): string => fold(name).replace(/[^\p{L}\p{N}]+/gu, '')

/** How many records hold a word; 0 for one that only a later version of the index knows. */
export const countOf = (number: number, { starts }: Pick<WordIndex, 'starts'>): number =>
  number + 1 < starts.length ? (starts[number + 1] as number) - (starts[number] as number) : 0

/** Words that the index and its later versions know, and no record of this one has. */
export function unusedWords({ words, starts }: Pick<WordIndex, 'words' | 'starts'>): number {
  let unused = 0
  for (let number = 0; number < words.length; number += 1) if (countOf(number, { starts }) === 0) unused += 1
  return unused
}

/** Whether a record has the word. */
export function isKnown(word: string, index: Pick<WordIndex, 'numberOf' | 'starts'>): boolean {
  const number = index.numberOf.get(word)
  return number !== undefined && countOf(number, index) > 0
}

export const recordOf = (posting: number): number => posting >>> FIELD_BITS
export const fieldsOf = (posting: number): number => posting & FIELD_MASK

/** The set of letters of a word in 32 bits; letters beyond a to z and digits share bits. */
export function lettersOf(word: string): number {
  let set = 0
  for (let index = 0; index < word.length; index += 1) set |= 1 << (word.charCodeAt(index) % 32)
  return set >>> 0
}
