import { keyHash, keyOf } from '../word-index/labels.ts'
import type { WordIndex } from '../word-index/word-index.ts'
import type { Term } from './tally.ts'

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
/** A word that counts this much was meant: typed, in another form, or under another name. */
const MEANT = 0.75
/** A word that counts less was typed with an error: no label says it. */
const GUESSED = 0.1

/** Bits of words by the last bits of their numbers: most words of a label are no word of a query. */
const FILTER_SIZE = 4_096

/**
 * What the labels of a record add: everything when the query is a label, a share when its words all
 * stand in one. `key`: the words of the query, without what is between them. `terms`: the required
 * ones.
 */
export function nameBonusOf(
  key: string,
  terms: readonly Term[],
  { labels, words }: WordIndex,
): (record: number, nameHits: number) => number {
  const { data, starts } = labels
  const hash = keyHash(key)
  const filter = new Uint32Array(FILTER_SIZE)
  const certaintyOf = weightTable(terms)
  let allBits = 0
  for (const [at, { meant }] of terms.entries()) {
    const bit = 1 << (at & 31)
    allBits |= bit
    for (const number of meant.keys()) filter[number & (FILTER_SIZE - 1)] = (filter[number & (FILTER_SIZE - 1)] as number) | bit
  }
  const bonusOfLabel = (from: number, to: number): number => {
    let [bits, significant] = [0, 0]
    for (let at = from; at < to; at += 1) {
      const entry = data[at] as number
      if ((entry & 1) === 0) continue
      significant += 1
      bits |= filter[(entry >>> 1) & (FILTER_SIZE - 1)] as number
    }
    if (bits !== allBits) return 0
    const certainty = certaintyOf(data, from, to)
    if (certainty < GUESSED) return 0
    const share = Math.min(1, terms.length / significant)
    if (certainty < MEANT) return NEARLY_IN_LABEL * certainty * share
    return certainty * (share === 1 ? IS_LABEL_IN_SUBSTANCE : (ALL_IN_LABEL * (1 + share)) / 2)
  }
  return (record, nameHits) => {
    const isWhole = nameHits >= terms.length
    const end = starts[record + 1] ?? 0
    let bonus = 0
    for (let at = starts[record] ?? 0; at < end; ) {
      const [from, to] = [at + 2, at + 2 + (data[at + 1] as number)]
      // Hashes that agree are compared as texts. Nothing adds more.
      if (data[at] === hash && keyOf(data.subarray(from, to), words) === key) return IS_LABEL
      if (isWhole) bonus = Math.max(bonus, bonusOfLabel(from, to))
      at = to
    }
    return bonus
  }
}

/** Weights of words for each term, in one table of hashes: a label of most records is looked up. */
function weightTable(terms: readonly Term[]) {
  let count = 0
  for (const { meant } of terms) count += meant.size
  let slots = 64
  while (slots < count * 4) slots *= 2
  /** Of each slot the number of a word and 1, or 0 when it is free. A word that several terms mean has several slots. */
  const words = new Uint32Array(slots)
  const termsOf = new Uint32Array(slots)
  const weights = new Float64Array(slots)
  const slotOf = (number: number): number => Math.imul(number, 0x9e3779b1) >>> Math.clz32(slots - 1)
  for (const [term, { meant }] of terms.entries())
    for (const [number, weight] of meant) {
      let slot = slotOf(number)
      while (words[slot] !== 0) slot = (slot + 1) & (slots - 1)
      words[slot] = number + 1
      termsOf[slot] = term
      weights[slot] = weight
    }
  const best = new Float64Array(terms.length)
  /** How much the term counts that counts least among words of a label; 0 when one of them is not there. */
  return (data: Uint32Array, from: number, to: number): number => {
    best.fill(0)
    for (let at = from; at < to; at += 1) {
      const entry = data[at] as number
      if ((entry & 1) === 0) continue
      const wanted = (entry >>> 1) + 1
      for (let slot = slotOf(wanted - 1); words[slot] !== 0; slot = (slot + 1) & (slots - 1)) {
        if (words[slot] !== wanted) continue
        const term = termsOf[slot] as number
        if ((weights[slot] as number) > (best[term] as number)) best[term] = weights[slot] as number
      }
    }
    let certainty = 1
    for (let term = 0; term < best.length; term += 1) certainty = Math.min(certainty, best[term] as number)
    return certainty
  }
}
