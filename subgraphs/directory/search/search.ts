import { FOREIGN_STOP_WORDS, type Translated, translationsIn } from '../word-index/translations.ts'
import { countOf, isKnown, toolKey, type WordIndex } from '../word-index/word-index.ts'
import { phraseOf, STOP_WORDS, tokenize } from '../word-index/words.ts'
import { expansionOf, withTypingErrors } from './expansion.ts'
import { nameBonusOf } from './name-bonus.ts'
import { hitsIn, nameHitsIn, type Tallied, type Term, tally } from './tally.ts'

/** Which records may be found; null: all. */
type Accepts = ((record: number) => boolean) | null

/** Records that match, and how well, at the same places; only the order of scores means something. */
export type Matches = { readonly records: Uint32Array; readonly scores: Float64Array }

/** Words that nearly every record has order equals, no more. */
const STOP_WORD_WEIGHT = 0.02

/**
 * A record with a tool that the query names as identifiers are written: more than all words in a
 * label, less than the label itself.
 */
const HAS_TOOL = 200
/** How much the English of a word counts: it is meant, though typed otherwise. */
const TRANSLATED = 0.85

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

/** New ones each time: what is remembered of matches, as long as they are, refers to their catalogue. */
const noMatches = (): Matches => ({ records: new Uint32Array(0), scores: new Float64Array(0) })

/** An identifier of several words: `create_issue`, `createIssue`. */
const IDENTIFIER = /[\p{L}\p{N}]+(?:[_-][\p{L}\p{N}]+)+|\p{Ll}+(?:\p{Lu}\p{Ll}+)+/gu

/** Names of tools in a query, by how they are compared. */
const toolsIn = (query: string): readonly string[] => (query.match(IDENTIFIER) ?? []).map(toolKey)

function wordMatches(query: string, index: WordIndex, accepts: Accepts): Matches {
  const { rest, found: translated } = translationsIn(query)
  const typed = typedWords(rest, index)
  if (typed.length + translated.length === 0) return noMatches()
  const required = requiredAmong(typed, translated.length > 0)
  const foreign = translated.map((part) => translatedTerm(part, index))
  const count = required.size + foreign.length

  const exact = termsOf(typed, required, index)
  let terms = [...exact, ...foreign]
  const least = minMatches(count)
  let tallied = tally(terms, index, least)
  let found = placesOf(tallied, count, accepts)
  if (found.length === 0 && count > 1) {
    terms = [...exact.map((term, at) => forgivingTerm(term, typed[at] as string, index)), ...foreign]
    tallied = tally(terms, index, least)
    found = placesOf(tallied, count, accepts)
  }
  const isFull = found.length >= ENOUGH_MATCHES || count <= 1
  if (!isFull) found = placesOf(tallied, least, accepts)

  const key = [...typed, ...translated.map(({ original }) => original)].join('')
  const bonusOf = nameBonusOf(
    key,
    terms.filter(({ isRequired }) => isRequired),
    index,
  )
  const [records, scores] = [new Uint32Array(found.length), new Float64Array(found.length)]
  for (let at = 0; at < found.length; at += 1) {
    const place = found[at] as number
    const record = tallied.records[place] as number
    const holding = tallied.holdings[place] as number
    let score = tallied.scores[place] as number
    // Most records of a frequent word have it in their texts alone.
    const named = nameHitsIn(holding)
    if (named > 0) score += bonusOf(record, named)
    if (hitsIn(holding) < count) score += PARTIAL_STEP
    records[at] = record
    scores[at] = score
  }
  return { records, scores }
}

/** Places in a tally of the accepted records with so many required terms. */
function placesOf({ records, holdings }: Tallied, least: number, accepts: Accepts): Uint32Array {
  const places = new Uint32Array(records.length)
  let count = 0
  for (let place = 0; place < records.length; place += 1) {
    if (hitsIn(holdings[place] as number) < least || (accepts !== null && !accepts(records[place] as number))) continue
    places[count] = place
    count += 1
  }
  return places.subarray(0, count)
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

function termsOf(typed: readonly string[], required: ReadonlySet<string>, index: WordIndex): readonly Term[] {
  return typed.map((word, at) => {
    const isRequired = required.has(word)
    const meant = expansionOf(word, at === typed.length - 1, index)
    return { meant, isRequired, rarity: isRequired ? rarityOf(meant, index) : STOP_WORD_WEIGHT }
  })
}

/** The term of a typed word that may have typing errors, too; itself when it need not occur. */
function forgivingTerm(term: Term, typed: string, index: WordIndex): Term {
  if (!term.isRequired) return term
  const meant = withTypingErrors(term.meant, typed, index)
  return { ...term, meant, rarity: rarityOf(meant, index) }
}

/** Words of a query; an identifier that no record holds as it is stands for the words inside it. */
function typedWords(query: string, index: WordIndex): string[] {
  const words = tokenize(query)
    .flatMap(({ whole, parts }) => (parts.length > 0 && !isKnown(whole, index) ? parts : [whole]))
    .flatMap(phraseOf)
  return [...new Set(words)]
}
