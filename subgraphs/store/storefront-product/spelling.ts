/** Shorter words are searched for as they are: too many words are one edit away. */
export const MIN_CORRECTED_LENGTH = 4

/** Edits that a word may be away from the one that was meant. */
const maxDistance = (word: string): number => (word.length < 7 ? 1 : 2)

/** Candidates worth a look at whether products have them. */
const MAX_CANDIDATES = 5

/** The words of a shop nearest to a misspelt one, nearest first, then in alphabetical order; at most 5. */
export function nearestWords(word: string, words: readonly string[]): readonly string[] {
  const max = maxDistance(word)
  return words
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate.slice(0, word.length + max), max) }))
    .filter(({ distance }) => distance <= max)
    .sort((one, other) => one.distance - other.distance || (one.candidate < other.candidate ? -1 : 1))
    .slice(0, MAX_CANDIDATES)
    .map(({ candidate }) => candidate)
}

/**
 * Edit distance with transpositions of neighbours (optimal string alignment); `max + 1` for anything
 * above `max`. Compares UTF-16 code units.
 */
export function editDistance(one: string, other: string, max: number): number {
  if (Math.abs(one.length - other.length) > max) return max + 1
  let [before, previous]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, index) => index)]
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    ;[before, previous] = [previous, current]
  }
  return Math.min(previous[other.length] ?? 0, max + 1)
}
