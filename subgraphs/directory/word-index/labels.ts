import type { PackedLists } from './packed-lists.ts'
import { STOP_WORDS, type Word } from './words.ts'

/**
 * Appends a label: the hash of its letters and digits, how many words it has, and the words in their
 * order. Each is its number shifted left by one; the last bit says whether it tells things apart.
 */
export function packLabel(packed: number[], found: readonly Word[], numberOf: (word: string) => number): void {
  const significant = new Set(significantIn(found))
  packed.push(keyHash(found.map(({ whole }) => whole).join('')), found.length)
  for (const { whole } of found) packed.push((numberOf(whole) << 1) | Number(significant.delete(whole)))
}

/** The words that tell things apart; all of them when none does. */
function significantIn(found: readonly Word[]): readonly string[] {
  const wholes = found.map(({ whole }) => whole)
  const notifying = wholes.filter((word) => !STOP_WORDS.has(word))
  return notifying.length > 0 ? notifying : wholes
}

/** 32 bits of the letters and digits of a label (FNV-1a). */
export function keyHash(key: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < key.length; index += 1) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

type Labels = { readonly labels: PackedLists; readonly words: readonly string[] }

/**
 * Calls `visit` for each label of a record, with where its words begin and end in `labels.data`, and
 * whether it is `key` but for what is between its words. Hashes that agree are compared as texts.
 */
export function visitLabels(
  record: number,
  { key, hash }: { readonly key: string; readonly hash: number },
  { labels: { data, starts }, words }: Labels,
  visit: (from: number, to: number, isKey: boolean) => void,
): void {
  const end = starts[record + 1] ?? 0
  for (let at = starts[record] ?? 0; at < end; ) {
    const [from, to] = [at + 2, at + 2 + (data[at + 1] as number)]
    visit(from, to, data[at] === hash && keyOf(data.subarray(from, to), words) === key)
    at = to
  }
}

const keyOf = (entries: Uint32Array, words: readonly string[]): string =>
  Array.from(entries, (entry) => words[entry >>> 1]).join('')
