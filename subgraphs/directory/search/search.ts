import { keyHash, visitLabels } from '../word-index/labels.ts'
import { FOREIGN_STOP_WORDS, type Translated, translationsIn } from '../word-index/translations.ts'
import {
  countOf,
  fieldsOf,
  IN_NAME,
  IN_NAME_PART,
  IN_TAGS,
  isKnown,
  recordOf,
  toolKey,
  type WordIndex,
} from '../word-index/word-index.ts'
import { phraseOf, STOP_WORDS, tokenize } from '../word-index/words.ts'
import { expansionOf } from './expansion.ts'

/** Records that match, and how well, at the same places; only the order of scores means something. */
export type Matches = { readonly records: Uint32Array; readonly scores: Float64Array }

/**
 * How much the place of a word counts: a name says what a thing is, a description also what it is
 * not.
 */
const NAME_WEIGHT = 10
const NAME_PART_WEIGHT = 5
const TAG_WEIGHT = 4
const TEXT_WEIGHT = 1.5
/** Words that nearly every record has order equals, no more. */
const STOP_WORD_WEIGHT = 0.02

/**
 * Steps between the kinds of match, larger than what words can add up to within one: first the
 * label itself, …
 */
const IS_LABEL = 400
/** … then labels without their empty words, … */
const IS_LABEL_IN_SUBSTANCE = 250
/** … then all words in the label, the more of it the better: from half of this to all of it, … */
const ALL_IN_LABEL = 120
/** … then labels with words that begin with what was typed, or nearly are it. */
const NEARLY_IN_LABEL = 50
/**
 * A record with a tool that the query names as identifiers are written: more than all words in a
 * label, less than the label itself.
 */
const HAS_TOOL = 200
/** A word that counts this much was meant: typed, in another form, or under another name. */
const MEANT = 0.75
/** A word that counts less was typed with an error: no label says it. */
const GUESSED = 0.1

/** How much the English of a word counts: it is meant, though typed otherwise. */
const TRANSLATED = 0.85

/** One typed word and the known words it may mean. */
type Term = { readonly meant: ReadonlyMap<number, number>; readonly isRequired: boolean; readonly rarity: number }

/** Fewer full matches than these are filled up: the usual number of results of a search. */
const ENOUGH_MATCHES = 10
/** Partial matches stand behind all full ones. */
const PARTIAL_STEP = -10_000

/**
 * Every record among those that `accepts` lets through that matches `query`, in no order. All words
 * that tell things apart must occur, or a tool of the name that the query has. When no record has
 * them all, they may have typing errors; when fewer than 10 records match, those with most of the
 * words follow, with scores below zero. Words such as "mcp" and "server" only order, unless there
 * are no others.
 */
export function search(query: string, index: WordIndex, accepts: Accepts = null): Matches {
  const named = new Set(toolsIn(query).flatMap((key) => index.byTool.get(key) ?? []))
  const words = wordMatches(query, index, accepts)
  if (named.size === 0) return words
  const scores = new Map<number, number>()
  for (const [at, record] of words.records.entries()) scores.set(record, words.scores[at] as number)
  for (const record of named)
    if (accepts === null || accepts(record)) scores.set(record, HAS_TOOL + Math.max(0, scores.get(record) ?? 0))
  return { records: Uint32Array.from(scores.keys()), scores: Float64Array.from(scores.values()) }
}

/** Which records may be found; null: all. */
type Accepts = ((record: number) => boolean) | null

const NO_MATCHES: Matches = { records: new Uint32Array(0), scores: new Float64Array(0) }

/** An identifier of several words: `create_issue`, `createIssue`. */
const IDENTIFIER = /[\p{L}\p{N}]+(?:[_-][\p{L}\p{N}]+)+|\p{Ll}+(?:\p{Lu}\p{Ll}+)+/gu

/** Names of tools in a query, by how they are compared. */
const toolsIn = (query: string): readonly string[] => (query.match(IDENTIFIER) ?? []).map(toolKey)

function wordMatches(query: string, index: WordIndex, accepts: Accepts): Matches {
  const { rest, found: translated } = translationsIn(query)
  const typed = typedWords(rest, index)
  if (typed.length + translated.length === 0) return NO_MATCHES
  const required = requiredAmong(typed, translated.length > 0)
  const foreign = translated.map((part) => translatedTerm(part, index))
  const count = required.size + foreign.length

  let terms = [...termsOf(typed, required, index, false), ...foreign]
  let tallied = tally(terms, index)
  let found = tallied.atLeast(count, accepts)
  if (found.length === 0 && count > 1) {
    terms = [...termsOf(typed, required, index, true), ...foreign]
    tallied = tally(terms, index)
    found = tallied.atLeast(count, accepts)
  }
  const isFull = found.length >= ENOUGH_MATCHES || count <= 1
  if (!isFull) found = tallied.atLeast(minMatches(count), accepts)
  addEmptyWords(terms, found, index)

  const text = [...typed, ...translated.map(({ original }) => original)].join('')
  const key = { key: text, hash: keyHash(text) }
  const notifying = terms.filter(({ isRequired }) => isRequired)
  const { scores, hits, nameHits } = tallied
  const summed = new Float64Array(found.length)
  for (let at = 0; at < found.length; at += 1) {
    const record = found[at] as number
    let score = scores[record] as number
    // Most records of a frequent word have it in their texts alone.
    const named = nameHits[record] as number
    if (named > 0) score += nameBonus(record, { key, terms: notifying, nameHits: named }, index)
    if ((hits[record] as number) < count) score += PARTIAL_STEP
    summed[at] = score
  }
  return { records: found, scores: summed }
}

/**
 * How many of `count` words are enough when no record has all: half of a few; a third of a
 * sentence, whose words are rarely all met.
 */
const minMatches = (count: number): number => (count <= 4 ? Math.ceil(count / 2) : Math.max(2, Math.ceil(count / 3)))

/** The words that tell things apart; all of them when none does, and no translated one either. */
function requiredAmong(typed: readonly string[], isForeign: boolean): ReadonlySet<string> {
  const significant = typed.filter((word) => !STOP_WORDS.has(word) && !(isForeign && FOREIGN_STOP_WORDS.has(word)))
  return new Set(significant.length > 0 || isForeign ? significant : typed)
}

/** What a word of another language means: its English with the synonyms of that, or itself. */
function translatedTerm({ original, english }: Translated, index: WordIndex): Term {
  const meant = new Map<number, number>()
  const add = (words: Iterable<readonly [number, number]>, share: number): void => {
    for (const [number, weight] of words) meant.set(number, Math.max(meant.get(number) ?? 0, weight * share))
  }
  for (const word of english) add(expansionOf(word, false, index), TRANSLATED)
  // The words of a phrase mean other things by themselves.
  if (!original.includes(' ')) for (const { whole } of tokenize(original)) add(expansionOf(whole, false, index), 1)
  return { meant, isRequired: true, rarity: rarityOf(meant, index) }
}

const rarityOf = (meant: ReadonlyMap<number, number>, index: WordIndex): number => {
  let records = 0
  for (const number of meant.keys()) records = Math.max(records, countOf(number, index))
  return Math.log(1 + index.count / (1 + records))
}

function termsOf(
  typed: readonly string[],
  required: ReadonlySet<string>,
  index: WordIndex,
  isForgiving: boolean,
): readonly Term[] {
  return typed.map((word, at) => {
    const isRequired = required.has(word)
    const meant = expansionOf(word, at === typed.length - 1, index, isForgiving && isRequired)
    return { meant, isRequired, rarity: isRequired ? rarityOf(meant, index) : STOP_WORD_WEIGHT }
  })
}

/** Words of a query; an identifier that no record holds as it is stands for the words inside it. */
function typedWords(query: string, index: WordIndex): string[] {
  const words = tokenize(query)
    .flatMap(({ whole, parts }) => (parts.length > 0 && !isKnown(whole, index) ? parts : [whole]))
    .flatMap(phraseOf)
  return [...new Set(words)]
}

/** Per record, for one query. Made anew only for a larger index: a query would fill megabytes. */
type Scratch = {
  readonly scores: Float64Array
  readonly best: Float64Array
  readonly hits: Uint8Array
  /** Required terms that its names hold. */
  readonly nameHits: Uint8Array
  readonly isNamed: Uint8Array
  /** Records that hold the term at hand, and those that hold any. */
  readonly touched: Uint32Array
  readonly known: Uint32Array
}
let scratch: Scratch = scratchFor(0)

function scratchFor(size: number): Scratch {
  return {
    scores: new Float64Array(size),
    best: new Float64Array(size),
    hits: new Uint8Array(size),
    nameHits: new Uint8Array(size),
    isNamed: new Uint8Array(size),
    touched: new Uint32Array(size),
    known: new Uint32Array(size),
  }
}

/**
 * Per record the sum of what its best place of each required term is worth, and how many of them it
 * holds. Costs what the postings of these terms cost, whatever the size of the index. The arrays are
 * those of the last call.
 */
function tally(terms: readonly Term[], { size, postings, starts, brevity }: WordIndex) {
  if (scratch.scores.length < size) scratch = scratchFor(size)
  const { scores, best, hits, nameHits, isNamed, touched, known } = scratch
  scores.fill(0, 0, size)
  hits.fill(0, 0, size)
  nameHits.fill(0, 0, size)
  let knownCount = 0
  for (const { meant, isRequired, rarity } of terms) {
    if (!isRequired) continue
    let touchedCount = 0
    for (const [number, weight] of meant) {
      const end = starts[number + 1] as number
      for (let at = starts[number] as number; at < end; at += 1) {
        const posting = postings[at] as number
        const record = recordOf(posting)
        const fields = fieldsOf(posting)
        const value = weight * fieldWeight(fields, brevity[record] as number)
        if (best[record] === 0) {
          touched[touchedCount] = record
          touchedCount += 1
        }
        if (value > (best[record] as number)) best[record] = value
        if (fields & (IN_NAME | IN_NAME_PART)) isNamed[record] = 1
      }
    }
    for (let at = 0; at < touchedCount; at += 1) {
      const record = touched[at] as number
      scores[record] = (scores[record] as number) + (best[record] as number) * rarity
      if (hits[record] === 0) {
        known[knownCount] = record
        knownCount += 1
      }
      hits[record] = (hits[record] as number) + 1
      nameHits[record] = (nameHits[record] as number) + (isNamed[record] as number)
      best[record] = 0
      isNamed[record] = 0
    }
  }
  return {
    scores,
    hits,
    nameHits,
    /** Accepted records with so many required terms, in no order. */
    atLeast(least: number, accepts: Accepts): Uint32Array {
      const found = new Uint32Array(knownCount)
      let count = 0
      for (let at = 0; at < knownCount; at += 1) {
        const record = known[at] as number
        if ((hits[record] as number) < least || (accepts !== null && !accepts(record))) continue
        found[count] = record
        count += 1
      }
      return found.subarray(0, count)
    },
  }
}

/**
 * Adds what words are worth that need not occur, to the records that were found. Nearly all records
 * have such words: of the others nothing is written.
 */
function addEmptyWords(terms: readonly Term[], found: Uint32Array, { size, postings, starts, brevity }: WordIndex): void {
  const empty = terms.filter(({ isRequired }) => !isRequired)
  if (empty.length === 0 || found.length === 0) return
  const { scores, best, isNamed: isFound } = scratch
  for (const record of found) isFound[record] = 1
  for (const { meant, rarity } of empty) {
    for (const [number, weight] of meant) {
      const end = starts[number + 1] as number
      for (let at = starts[number] as number; at < end; at += 1) {
        const posting = postings[at] as number
        const record = recordOf(posting)
        if (isFound[record] === 0) continue
        const value = weight * fieldWeight(fieldsOf(posting), brevity[record] as number)
        if (value > (best[record] as number)) best[record] = value
      }
    }
    for (const record of found) {
      scores[record] = (scores[record] as number) + (best[record] as number) * rarity
      best[record] = 0
    }
  }
  // What one query leaves behind, the next would read.
  isFound.fill(0, 0, size)
}

function fieldWeight(places: number, brevity: number): number {
  if (places & IN_NAME) return NAME_WEIGHT + (places & 3)
  if (places & IN_NAME_PART) return NAME_PART_WEIGHT + (places & 3)
  if (places & IN_TAGS) return TAG_WEIGHT + (places & 1)
  return TEXT_WEIGHT * brevity
}

type NameMatch = {
  /** The query without what is between its words. */
  readonly key: { readonly key: string; readonly hash: number }
  readonly terms: readonly Term[]
  /** How many of the terms the names of the record hold. */
  readonly nameHits: number
}

/**
 * What the labels of a record add: everything when the query is a label, a share when its words all
 * stand in one.
 */
function nameBonus(record: number, { key, terms, nameHits }: NameMatch, index: WordIndex): number {
  const { data } = index.labels
  let bonus = 0
  visitLabels(record, key, index, (from, to, isKey) => {
    if (isKey) bonus = Math.max(bonus, IS_LABEL)
    if (nameHits < terms.length) return
    const certainty = certaintyOf(terms, data, from, to)
    if (certainty < GUESSED) return
    let significant = 0
    for (let at = from; at < to; at += 1) significant += (data[at] as number) & 1
    const share = Math.min(1, terms.length / significant)
    if (certainty < MEANT) bonus = Math.max(bonus, NEARLY_IN_LABEL * certainty * share)
    else bonus = Math.max(bonus, certainty * (share === 1 ? IS_LABEL_IN_SUBSTANCE : (ALL_IN_LABEL * (1 + share)) / 2))
  })
  return bonus
}

/** How much the term counts that counts least among words of a label; 0 when one of them is not there. */
function certaintyOf(terms: readonly Term[], data: Uint32Array, from: number, to: number): number {
  let certainty = 1
  for (const { meant } of terms) {
    let weight = 0
    for (let at = from; at < to; at += 1) {
      const entry = data[at] as number
      const value = entry & 1 ? meant.get(entry >>> 1) : undefined
      if (value !== undefined && value > weight) weight = value
    }
    if (weight === 0) return 0
    if (weight < certainty) certainty = weight
  }
  return certainty
}
