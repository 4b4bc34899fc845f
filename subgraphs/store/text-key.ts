/** Text as it is compared and searched: in lower case, without accents and repeated white space. */
export const textKey = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim()

/** A pattern for `LIKE` that finds this text anywhere, whatever wildcards it holds. */
export const containing = (text: string): string => pattern(textKey(text))

/**
 * What finds this word anywhere: a pattern for `LIKE`, which an index of trigrams can be asked for, and a text that has to be there besides; null for none. Of an e-mail
 * address the index is asked only for what is in front of "@": a domain that many have is in so many rows that it takes longest to look for.
 */
export function finding(word: string): { readonly pattern: string; readonly text: string | null } {
  const key = textKey(word)
  const name = key.slice(0, key.indexOf('@') + 1)
  // Without three in a row there is no trigram to look for.
  return /[\p{L}\p{N}]{3}/u.test(name) ? { pattern: pattern(name), text: key } : { pattern: pattern(key), text: null }
}

const pattern = (key: string): string => `%${key.replace(/[\\%_]/g, '\\$&')}%`

/** Part of an address: letters and digits of the text, in lower case, with hyphens between; at most 100 characters, `item` for none. */
export const permalinkOf = (text: string): string =>
  textKey(text)
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+/, '')
    .slice(0, 100)
    .replace(/-+$/, '')
    .toWellFormed() || 'item'

/** The first of `wanted`, `wanted-1`, `wanted-2` … that is not among `taken`. */
export function freePermalink(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted
  let suffix = 1
  while (taken.has(`${wanted}-${suffix}`)) suffix += 1
  return `${wanted}-${suffix}`
}
