/**
 * Whether a text matches a pattern in which `*` stands for any characters, also none. Takes at most
 * the product of both lengths: no pattern of a configuration, and no text of a client, can make it
 * slower, as regular expressions can be.
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
