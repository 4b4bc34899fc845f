import {
  fieldsOf,
  firstPosting,
  IN_NAME,
  IN_NAME_PART,
  IN_TAGS,
  IN_TEXT,
  recordOf,
  type WordIndex,
} from '../word-index/word-index.ts'

/** One typed word and the known words it may mean. */
export type Term = { readonly meant: ReadonlyMap<number, number>; readonly isRequired: boolean; readonly rarity: number }

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
 * Records that are tallied together, by all terms: 330 kB of states, values and brevities, which the
 * second cache of a core holds. Over all records at once, most postings cost reads of memory.
 */
const BLOCK_RECORDS = 16_384

/** Of the block at hand. */
const block = {
  /** 0 for a record without any required term; all are 0 between blocks. */
  states: new Uint32Array(BLOCK_RECORDS),
  /** Two for each record: the sum of its terms but the last, and what its best place of the last one is worth. */
  values: new Float64Array(BLOCK_RECORDS * 2),
}

/** Records with enough required terms, ascending; of each the sum of its terms, and what it holds. */
export type Tallied = {
  readonly records: Uint32Array
  readonly scores: Float64Array
  /** As `hitsIn` and `nameHitsIn` read them. */
  readonly holdings: Uint32Array
}

/** Required terms that a record holds. */
export const hitsIn = (holding: number): number => holding & COUNT_MASK
/** Required terms that its names hold. */
export const nameHitsIn = (holding: number): number => holding >>> NAME_SHIFT

/** Words of a term with weights, and where the next posting of each is: postings are in the order of records. */
type Cursor = {
  readonly weights: Float64Array
  readonly ends: Uint32Array
  /** Moved by `visitBlock`; of words that are not at their end the first `count`. */
  readonly places: Uint32Array
  count: number
  readonly rarity: number
}

function cursorOf({ meant, rarity }: Term, { starts }: WordIndex): Cursor {
  const [weights, places, ends] = [new Float64Array(meant.size), new Uint32Array(meant.size), new Uint32Array(meant.size)]
  let count = 0
  for (const [number, weight] of meant) {
    weights[count] = weight
    places[count] = starts[number] as number
    ends[count] = starts[number + 1] as number
    count += 1
  }
  return { weights, places, ends, count, rarity }
}

/**
 * Per record the sum of what its best place of each term is worth, for those with `least` required
 * terms. Costs what the postings of these terms cost, and a look at each block that has some.
 */
export function tally(terms: readonly Term[], index: WordIndex, least: number): Tallied {
  const required = terms.filter(({ isRequired }) => isRequired).slice(0, MAX_TERMS)
  const rarities = Float64Array.from(required, ({ rarity }) => rarity)
  const cursors = required.map((term) => cursorOf(term, index))
  const empty = terms.filter(({ isRequired }) => !isRequired).map((term) => cursorOf(term, index))
  let postingCount = 0
  for (const { places, ends, count } of cursors)
    for (let at = 0; at < count; at += 1) postingCount += (ends[at] as number) - (places[at] as number)
  // Records hold a word once: there are no more of them than postings.
  const room = Math.min(index.size, postingCount)
  const [records, scores, holdings] = [new Uint32Array(room), new Float64Array(room), new Uint32Array(room)]
  let found = 0
  for (let start = 0; start < index.size; start += BLOCK_RECORDS) {
    const size = Math.min(BLOCK_RECORDS, index.size - start)
    let isTouched = false
    for (const [at, cursor] of cursors.entries()) if (addTerm(cursor, at + 1, rarities, start, size, index)) isTouched = true
    if (!isTouched) continue
    const first = found
    for (let at = 0; at < size; at += 1) {
      const state = block.states[at] as number
      if (state === 0) continue
      if ((state & COUNT_MASK) < least) {
        block.states[at] = 0
        continue
      }
      const rarity = rarities[(state >>> TERM_SHIFT) - 1] as number
      records[found] = start + at
      scores[found] = (block.values[at * 2] as number) + (block.values[at * 2 + 1] as number) * rarity
      holdings[found] = state & (IS_NAMED - 1)
      block.values[at * 2 + 1] = 0
      found += 1
    }
    for (const cursor of empty) {
      addEmptyTerm(cursor, start, size, index)
      for (let at = first; at < found; at += 1) {
        const place = ((records[at] as number) - start) * 2 + 1
        scores[at] = (scores[at] as number) + (block.values[place] as number) * cursor.rarity
        block.values[place] = 0
      }
    }
    for (let at = first; at < found; at += 1) block.states[(records[at] as number) - start] = 0
  }
  return { records: records.subarray(0, found), scores: scores.subarray(0, found), holdings: holdings.subarray(0, found) }
}

/** Adds the postings of one term, whose number is one more than its place in `rarities`, in a block. Whether there are any. */
function addTerm(
  cursor: Cursor,
  term: number,
  rarities: Float64Array,
  start: number,
  size: number,
  { postings, brevity }: WordIndex,
): boolean {
  const { states, values } = block
  const { weights, places, ends } = cursor
  const limit = firstPosting(start + size)
  let left = 0
  let isTouched = false
  for (let word = 0; word < cursor.count; word += 1) {
    const [weight, end] = [weights[word] as number, ends[word] as number]
    let place = places[word] as number
    for (; place < end; place += 1) {
      const posting = postings[place] as number
      if (posting >= limit) break
      isTouched = true
      const record = recordOf(posting) - start
      const fields = fieldsOf(posting)
      const placeWeight =
        fields === IN_TEXT ? TEXT_WEIGHT * (brevity[record + start] as number) : (PLACE_WEIGHTS[fields] as number)
      const value = weight * placeWeight
      const isNamed = (fields & (IN_NAME | IN_NAME_PART)) !== 0
      const state = states[record] as number
      const last = state >>> TERM_SHIFT
      if (last === term) {
        if (value > (values[record * 2 + 1] as number)) values[record * 2 + 1] = value
        if (isNamed && (state & IS_NAMED) === 0) states[record] = (state | IS_NAMED) + ONE_NAME
        continue
      }
      values[record * 2] =
        last === 0 ? 0 : (values[record * 2] as number) + (values[record * 2 + 1] as number) * (rarities[last - 1] as number)
      values[record * 2 + 1] = value
      const counts = (state & (IS_NAMED - 1)) + 1
      states[record] = (term << TERM_SHIFT) | (isNamed ? IS_NAMED | (counts + ONE_NAME) : counts)
    }
    if (place === end) continue
    weights[left] = weight
    places[left] = place
    ends[left] = end
    left += 1
  }
  cursor.count = left
  return isTouched
}

/** Notes what the best place of a word is worth that need not occur, for records of a block that have a state. */
function addEmptyTerm(cursor: Cursor, start: number, size: number, { postings, brevity }: WordIndex): void {
  const { states, values } = block
  const { weights, places, ends } = cursor
  const [from, limit] = [firstPosting(start), firstPosting(start + size)]
  let left = 0
  for (let word = 0; word < cursor.count; word += 1) {
    const [weight, end] = [weights[word] as number, ends[word] as number]
    let place = places[word] as number
    for (; place < end; place += 1) {
      const posting = postings[place] as number
      if (posting >= limit) break
      // Blocks without a required term were passed over.
      if (posting < from) continue
      const record = recordOf(posting) - start
      if (states[record] === 0) continue
      const fields = fieldsOf(posting)
      const placeWeight =
        fields === IN_TEXT ? TEXT_WEIGHT * (brevity[record + start] as number) : (PLACE_WEIGHTS[fields] as number)
      const value = weight * placeWeight
      if (value > (values[record * 2 + 1] as number)) values[record * 2 + 1] = value
    }
    if (place === end) continue
    weights[left] = weight
    places[left] = place
    ends[left] = end
    left += 1
  }
  cursor.count = left
}
