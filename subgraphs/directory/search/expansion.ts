import { placeOf } from '../word-index/sorted-words.ts'
import { lettersOf } from '../word-index/vocabulary.ts'
import { COUNTED_WORDS, countOf, type WordIndex } from '../word-index/word-index.ts'
import { formsOf, stem, synonymsOf } from '../word-index/words.ts'

/** How much a known word counts for a word that was typed, at most 1. */
const AS_TYPED = 1
const SAME_STEM = 0.9
const SYNONYM = 0.8
/** A word that begins with what was typed: between these, by how much of it was typed. */
const MIN_PREFIX_WEIGHT = 0.45
const MAX_PREFIX_WEIGHT = 0.85
/** So little that a name with an error stays behind a long description without one. */
const ONE_TYPING_ERROR = 0.06
const TWO_TYPING_ERRORS = 0.04
/** Times as much where nothing else is known: then the word was typed with an error for sure. */
const SURE_OF_ERROR = 8

/**
 * Prefixes of this many letters are completed wherever they stand; shorter ones only at the end,
 * where a person is still typing.
 */
const WHOLE_PREFIX = 4
/** A word that fewer records hold may be a typing error that one of them made as well. */
const RARE = 10
/** Most known words that one typed word stands for: a short prefix begins thousands. */
const MAX_EXPANSIONS = 400

/**
 * The known words that `typed` may mean, by number, with how much each counts. Empty when nothing
 * is near. Typing errors are assumed in words that hardly occur.
 */
export function expansionOf(typed: string, isLast: boolean, index: WordIndex): Map<number, number> {
  const meant = new Map<number, number>()
  const add = (number: number | undefined, weight: number): void => {
    if (number === undefined || countOf(number, index) === 0) return
    if (weight > (meant.get(number) ?? 0)) meant.set(number, weight)
  }
  const { numberOf } = index.vocabulary
  add(numberOf(typed), AS_TYPED)
  for (const synonym of synonymsOf(typed)) add(numberOf(synonym), SYNONYM)
  for (const number of sameStem(typed, index)) add(number, SAME_STEM)
  // The beginning of a number is another number.
  if (!isNumber(typed) && (isLast || typed.length >= WHOLE_PREFIX)) {
    for (const number of beginningWith(typed, index)) {
      const share = typed.length / (index.words[number] as string).length
      add(number, MIN_PREFIX_WEIGHT + (MAX_PREFIX_WEIGHT - MIN_PREFIX_WEIGHT) * share)
    }
  }
  let records = 0
  for (const number of meant.keys()) records += countOf(number, index)
  if (records < RARE) addTypingErrors(meant, typed, index, meant.size === 0)
  return meant
}

/** What `expansionOf` has found, and words that nearly are `typed`, however many records hold it. */
export function withTypingErrors(
  meant: ReadonlyMap<number, number>,
  typed: string,
  index: WordIndex,
): ReadonlyMap<number, number> {
  const forgiven = new Map(meant)
  addTypingErrors(forgiven, typed, index, false)
  return forgiven
}

function addTypingErrors(meant: Map<number, number>, typed: string, index: WordIndex, isUnknown: boolean): void {
  const certainty = isUnknown ? SURE_OF_ERROR : 1
  for (const [number, changes] of misspelled(typed, index, isUnknown)) {
    const weight = certainty * (changes === 1 ? ONE_TYPING_ERROR : TWO_TYPING_ERRORS)
    if (weight > (meant.get(number) ?? 0)) meant.set(number, weight)
  }
}

/** Numbers of known words with the stem of a word, which is one of them when it is known. */
export function sameStem(word: string, { vocabulary }: Pick<WordIndex, 'vocabulary'>): readonly number[] {
  const base = stem(word)
  return formsOf(base).flatMap((form) => {
    // Most forms are no words, which is found out faster than a stem.
    const number = vocabulary.numberOf(form)
    return number !== undefined && stem(form) === base ? number : []
  })
}

const isNumber = (word: string): boolean => /^\p{N}+$/u.test(word)

/** Known words that begin with `prefix`: the `MAX_EXPANSIONS` that most records hold. */
function beginningWith(prefix: string, index: WordIndex): readonly number[] {
  const { sorted, words, starts, maxCounts } = index
  const from = placeOf(prefix, sorted, words)
  const end = endOfPrefix(prefix, from, index)
  const countAt = (at: number): number => countOf(sorted[at] as number, { starts })
  // Equal counts in the order of the words.
  const byCount = (one: number, other: number): number => countAt(other) - countAt(one) || one - other
  let found: number[] = []
  let [least, isCut] = [0, false]
  for (let at = from; at < end; ) {
    // What is not more frequent than all that were found stands behind them.
    if (at % COUNTED_WORDS === 0 && (maxCounts[at / COUNTED_WORDS] as number) <= least) {
      at += COUNTED_WORDS
      continue
    }
    if (countAt(at) > least) found.push(at)
    at += 1
    if (found.length < MAX_EXPANSIONS * 2) continue
    found = found.sort(byCount).slice(0, MAX_EXPANSIONS)
    // `MAX_EXPANSIONS` is above 0: there is a last one.
    least = countAt(found.at(-1) as number)
    isCut = true
  }
  if (isCut || found.length > MAX_EXPANSIONS) found = found.sort(byCount).slice(0, MAX_EXPANSIONS)
  return found.map((at) => sorted[at] as number)
}

/** Index, from that of the first word that begins with `prefix` on, of the first one that does not. */
function endOfPrefix(prefix: string, from: number, { sorted, words }: WordIndex): number {
  let [low, high] = [from, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (words[sorted[middle] as number]?.startsWith(prefix)) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Typing errors that are forgiven by length, as in Typesense and Meilisearch; more in a word that
 * means nothing as it is. None in words with digits, where each sign matters.
 */
function tolerance(word: string, isUnknown: boolean): number {
  if (/\p{N}/u.test(word)) return 0
  const [one, two] = isUnknown ? [4, 6] : [5, 9]
  return word.length < one ? 0 : word.length < two ? 1 : 2
}

/**
 * Known words within the tolerance of `typed`, with the number of changes; only the nearest ones.
 */
function misspelled(typed: string, { words, letters, byLength, starts }: WordIndex, isUnknown: boolean): Map<number, number> {
  const max = tolerance(typed, isUnknown)
  const near = new Map<number, number>()
  if (max === 0) return near
  const set = lettersOf(typed)
  let least = max
  const compare = (number: number): void => {
    // The cheap test first: a change of one letter flips at most two bits.
    if (bits((letters[number] as number) ^ set) > 2 * max) return
    if (countOf(number, { starts }) === 0) return
    const changes = distance(typed, words[number] as string, max)
    if (changes > max || changes === 0) return
    near.set(number, changes)
    least = Math.min(least, changes)
  }
  for (let length = typed.length - max; length <= typed.length + max; length += 1)
    for (const number of byLength.numbers[length] ?? []) compare(number)
  for (let number = byLength.count; number < letters.length; number += 1) {
    const word = words[number] as string
    if (Math.abs(word.length - typed.length) <= max && !/\d/.test(word)) compare(number)
  }
  for (const [number, changes] of near) if (changes > least) near.delete(number)
  return near
}

function bits(value: number): number {
  let rest = value - ((value >>> 1) & 0x55555555)
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333)
  return (((rest + (rest >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}

/**
 * Letters to insert, drop, replace or swap with a neighbour (optimal string alignment); `most + 1`
 * when there are more than `most`.
 */
export function distance(one: string, other: string, max: number): number {
  let before: number[] = []
  let above = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    let least = row
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1]
      let changes = Math.min(
        (above[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (above[column - 1] as number) + (same ? 0 : 1),
      )
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]) {
        changes = Math.min(changes, (before[column - 2] as number) + 1)
      }
      current.push(changes)
      least = Math.min(least, changes)
    }
    if (least > max) return max + 1
    before = above
    above = current
  }
  return Math.min(above[other.length] as number, max + 1)
}
