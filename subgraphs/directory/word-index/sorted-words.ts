import { CHEAP, type Pace } from './pace.ts'

/** Words that are sorted at once: some 2 ms. More that begin alike are told apart by their next letters. */
const MAX_SORTED_AT_ONCE = 2_000
/** Words between two offers to pause. */
const PAUSE_WORDS = 5_000

/** Numbers of the words from `first` on, in code-unit order, with pauses. */
export async function sortedWords(words: readonly string[], first: number, pace: Pace): Promise<Uint32Array> {
  const sorted = new Uint32Array(words.length - first)
  for (let at = 0; at < sorted.length; at += 1) sorted[at] = first + at
  const byWord = (one: number, other: number): number => ((words[one] as string) < (words[other] as string) ? -1 : 1)
  /** Sorts a stretch of words that have their first `depth` letters in common. */
  const sortStretch = async (stretch: Uint32Array, depth: number): Promise<void> => {
    if (stretch.length <= MAX_SORTED_AT_ONCE) {
      stretch.sort(byWord)
      await pace(stretch.length * CHEAP)
      return
    }
    const groups = new Map<number, number[]>()
    for (let at = 0; at < stretch.length; at += 1) {
      const word = words[stretch[at] as number] as string
      // Two units, each one more: an end comes first.
      const key = (word.charCodeAt(depth) + 1 || 0) * 2 ** 17 + (word.charCodeAt(depth + 1) + 1 || 0)
      const group = groups.get(key)
      if (group) group.push(stretch[at] as number)
      else groups.set(key, [stretch[at] as number])
      if (at % PAUSE_WORDS === 0) await pace(PAUSE_WORDS * (CHEAP / 10))
    }
    let end = 0
    for (const key of [...groups.keys()].sort((one, other) => one - other)) {
      const group = groups.get(key) ?? []
      stretch.set(group, end)
      const part = stretch.subarray(end, end + group.length)
      end += group.length
      if (group.length > 1) await sortStretch(part, depth + 2)
    }
  }
  await sortStretch(sorted, 0)
  return sorted
}

/** Both sorted, without any word in common; costs a copy, and the search of places for `added`. */
export async function withSortedWords(
  sorted: Uint32Array,
  added: Uint32Array,
  words: readonly string[],
  pace: Pace,
): Promise<Uint32Array> {
  if (added.length === 0) return sorted
  const next = new Uint32Array(sorted.length + added.length)
  let from = 0
  for (let at = 0; at < added.length; at += 1) {
    const number = added[at] as number
    const to = placeOf(words[number] as string, sorted, words, from)
    next.set(sorted.subarray(from, to), from + at)
    next[to + at] = number
    from = to
    const pause = pace(CHEAP)
    if (pause) await pause
  }
  next.set(sorted.subarray(from), from + added.length)
  return next
}

/** Index, from `from` on, of the first word that is not before this one. */
export function placeOf(word: string, sorted: Uint32Array, words: readonly string[], from = 0): number {
  let [low, high] = [from, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((words[sorted[middle] as number] as string) < word) low = middle + 1
    else high = middle
  }
  return low
}
