/**
 * Glob match in which `*` matches any characters, also none. Time is at most the product of both
 * lengths, unlike regular expressions, which can be exponential.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  let [at, textAt] = [0, 0]
  let [star, resumeAt] = [-1, 0]
  while (textAt < text.length) {
    if (pattern[at] === '*') {
      star = at++
      resumeAt = textAt
    } else if (at < pattern.length && pattern[at] === text[textAt]) {
      at++
      textAt++
    } else if (star >= 0) {
      at = star + 1
      textAt = ++resumeAt
    } else return false
  }
  while (pattern[at] === '*') at++
  return at === pattern.length
}
