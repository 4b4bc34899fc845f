import { fieldsOf, IN_NAME, IN_NAME_PART, IN_TAGS, IN_TEXT, recordOf, type WordIndex } from '../word-index/word-index.ts'

/** One typed word and the known words it may mean. */
export type Term = { readonly meant: ReadonlyMap<number, number>; readonly isRequired: boolean; readonly rarity: number }

/** Which records may be found; null: all. */
export type Accepts = ((record: number) => boolean) | null

/**
 * How much the place of a word counts: a name says what a thing is, a description also what it is
 * not.
 */
const NAME_WEIGHT = 10
const NAME_PART_WEIGHT = 5
const TAG_WEIGHT = 4
const TEXT_WEIGHT = 1.5

/** By the places of a word but `IN_TEXT` alone, which depends on the length of the text. */
const PLACE_WEIGHTS = Float64Array.from({ length: 16 }, (_, places) => {
  if (places & IN_NAME) return NAME_WEIGHT + (places & (IN_TAGS | IN_TEXT))
  if (places & IN_NAME_PART) return NAME_PART_WEIGHT + (places & (IN_TAGS | IN_TEXT))
  return TAG_WEIGHT + (places & IN_TEXT)
})

/** Bits of a state: required terms that a record holds, those that its names hold, … */
const COUNT_MASK = 0x3ff
const NAME_SHIFT = 10
const ONE_NAME = 1 << NAME_SHIFT
/** … whether its names hold the last of them, and the number of that, from 1. */
const IS_NAMED = 1 << 20
const TERM_SHIFT = 21
/** Most terms of a query that the bits can number; 200 characters hold fewer. */
const MAX_TERMS = 1_000

/**
 * Per record, for one query. Made anew only for a larger index: a query would fill megabytes. Few
 * arrays, as most postings are far apart and each array costs a read of memory.
 */
type Scratch = {
  /** 0 for a record without any required term. */
  readonly states: Uint32Array
  /** Two for each record: the sum of its terms but the last, and what its best place of the last one is worth. */
  readonly values: Float64Array
  /** Whether the record is among those that were found; 0 between calls. */
  readonly isFound: Uint8Array
  /** Records with a state, the first `knownCount`. */
  readonly known: Uint32Array
  knownCount: number
}
let scratch: Scratch = scratchFor(0)

function scratchFor(size: number): Scratch {
  return {
    states: new Uint32Array(size),
    values: new Float64Array(size * 2),
    isFound: new Uint8Array(size),
    known: new Uint32Array(size),
    knownCount: 0,
  }
}

/**
 * Per record the sum of what its best place of each required term is worth, and how many of them it
 * holds. Costs what the postings of these terms cost, whatever the size of the index. What it
 * returns holds until the next call.
 */
export function tally(terms: readonly Term[], index: WordIndex) {
  if (scratch.states.length < index.size) scratch = scratchFor(index.size)
  const { states, values, known } = scratch
  // A call that threw leaves its states behind, too.
  for (let at = 0; at < scratch.knownCount; at += 1) states[known[at] as number] = 0
  scratch.knownCount = 0
  const required = terms.filter(({ isRequired }) => isRequired).slice(0, MAX_TERMS)
  const rarities = Float64Array.from(required, ({ rarity }) => rarity)
  for (const [at, { meant }] of required.entries()) addTerm(meant, at + 1, rarities, index)
  const { knownCount } = scratch
  for (let at = 0; at < knownCount; at += 1) {
    const record = known[at] as number
    const rarity = rarities[((states[record] as number) >>> TERM_SHIFT) - 1] as number
    values[record * 2] = (values[record * 2] as number) + (values[record * 2 + 1] as number) * rarity
  }
  return {
    scoreOf: (record: number): number => values[record * 2] as number,
    /** Required terms that a record holds. */
    hitsOf: (record: number): number => (states[record] as number) & COUNT_MASK,
    /** Required terms that its names hold. */
    nameHitsOf: (record: number): number => ((states[record] as number) >>> NAME_SHIFT) & COUNT_MASK,
    /** Accepted records with so many required terms, in no order. */
    atLeast(least: number, accepts: Accepts): Uint32Array {
      if (least <= 1 && accepts === null) return known.slice(0, knownCount)
      const found = new Uint32Array(knownCount)
      let count = 0
      for (let at = 0; at < knownCount; at += 1) {
        const record = known[at] as number
        if (((states[record] as number) & COUNT_MASK) < least || (accepts !== null && !accepts(record))) continue
        found[count] = record
        count += 1
      }
      return found.subarray(0, count)
    },
  }
}

/** Adds the postings of one term, whose number is one more than its place in `rarities`. */
function addTerm(
  meant: ReadonlyMap<number, number>,
  term: number,
  rarities: Float64Array,
  { postings, starts, brevity }: WordIndex,
): void {
  const { states, values, known } = scratch
  let { knownCount } = scratch
  for (const [number, weight] of meant) {
    const end = starts[number + 1] as number
    for (let at = starts[number] as number; at < end; at += 1) {
      const posting = postings[at] as number
      const record = recordOf(posting)
      const fields = fieldsOf(posting)
      const place = fields === IN_TEXT ? TEXT_WEIGHT * (brevity[record] as number) : (PLACE_WEIGHTS[fields] as number)
      const value = weight * place
      const isNamed = (fields & (IN_NAME | IN_NAME_PART)) !== 0
      const state = states[record] as number
      const last = state >>> TERM_SHIFT
      if (last === term) {
        if (value > (values[record * 2 + 1] as number)) values[record * 2 + 1] = value
        if (isNamed && (state & IS_NAMED) === 0) states[record] = (state | IS_NAMED) + ONE_NAME
        continue
      }
      if (last === 0) {
        known[knownCount] = record
        knownCount += 1
        values[record * 2] = 0
      } else {
        const rarity = rarities[last - 1] as number
        values[record * 2] = (values[record * 2] as number) + (values[record * 2 + 1] as number) * rarity
      }
      values[record * 2 + 1] = value
      const counts = (state & (IS_NAMED - 1)) + 1
      states[record] = (term << TERM_SHIFT) | (isNamed ? IS_NAMED | (counts + ONE_NAME) : counts)
    }
  }
  scratch.knownCount = knownCount
}

/**
 * Adds what words are worth that need not occur, to the records that were found by the last tally.
 * Nearly all records have such words: of the others nothing is written.
 */
export function addEmptyWords(terms: readonly Term[], found: Uint32Array, { postings, starts, brevity }: WordIndex): void {
  const empty = terms.filter(({ isRequired }) => !isRequired)
  if (empty.length === 0 || found.length === 0) return
  const { values, isFound } = scratch
  for (let at = 0; at < found.length; at += 1) {
    const record = found[at] as number
    isFound[record] = 1
    values[record * 2 + 1] = 0
  }
  for (const { meant, rarity } of empty) {
    for (const [number, weight] of meant) {
      const end = starts[number + 1] as number
      for (let at = starts[number] as number; at < end; at += 1) {
        const posting = postings[at] as number
        const record = recordOf(posting)
        if (isFound[record] === 0) continue
        const fields = fieldsOf(posting)
        const place = fields === IN_TEXT ? TEXT_WEIGHT * (brevity[record] as number) : (PLACE_WEIGHTS[fields] as number)
        const value = weight * place
        if (value > (values[record * 2 + 1] as number)) values[record * 2 + 1] = value
      }
    }
    for (let at = 0; at < found.length; at += 1) {
      const record = found[at] as number
      values[record * 2] = (values[record * 2] as number) + (values[record * 2 + 1] as number) * rarity
      values[record * 2 + 1] = 0
    }
  }
  // What one query leaves behind, the next would read.
  for (let at = 0; at < found.length; at += 1) isFound[found[at] as number] = 0
}
