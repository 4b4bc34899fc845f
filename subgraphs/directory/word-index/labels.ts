import { STOP_WORDS } from './words.ts'

/**
 * Appends a label of these words: the hash of its letters and digits, how many words it has, and the
 * words in their order. Each is its number shifted left by one; the last bit says whether it tells
 * things apart: those that are no stop words, at their first place, or all when there are no others.
 */
export function packLabel(packed: number[], found: readonly number[], words: readonly string[]): void {
  let [hash, hasSignificant] = [HASH_START, false]
  for (const number of found) {
    const word = words[number] as string
    hash = hashWith(hash, word)
    if (!STOP_WORDS.has(word)) hasSignificant = true
  }
  packed.push(hash >>> 0, found.length)
  const seen = new Set<number>()
  for (const number of found) {
    const isSignificant = !hasSignificant || !STOP_WORDS.has(words[number] as string)
    packed.push((number << 1) | Number(isSignificant && !seen.has(number)))
    seen.add(number)
  }
}

/** 32 bits of the letters and digits of a label (FNV-1a). */
export const keyHash = (key: string): number => hashWith(HASH_START, key) >>> 0

const HASH_START = 0x811c9dc5

function hashWith(start: number, text: string): number {
  let hash = start
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash
}

/** Letters and digits of the label that these entries are, as `keyHash` takes them. */
export const keyOf = (entries: Uint32Array, words: readonly string[]): string =>
  Array.from(entries, (entry) => words[entry >>> 1]).join('')
