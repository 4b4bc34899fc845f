/**
 * Text as names are told apart by: in lower case, without repeated white space. Everything else
 * makes another name: accents, raised digits, and the signs by which ガ is not カ. Where one of two
 * is meant, nobody is to get the other. Migration 20261124090000_name_keys says the same in SQL.
 */
export const identityKey = (text: string): string => text.toLowerCase().normalize('NFC').replace(/\s+/g, ' ').trim()

/**
 * What searches and addresses do without: accents of Latin, Greek and Cyrillic letters, the points
 * of Hebrew and Arabic, which are mostly left out in writing, and what only says how a character is
 * drawn. Signs of other scripts lie elsewhere, and are as good as letters there.
 */
const ACCENTS =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: they are meant one by one, as they stand in texts that were taken apart
  /[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f]/g

/**
 * Text as it is searched: in lower case, in plain characters, without accents and repeated white
 * space.
 */
export const textKey = (text: string): string =>
  text.normalize('NFKD').replace(ACCENTS, '').toLowerCase().replace(/\s+/g, ' ').trim()

/** A pattern for `LIKE` that finds this text anywhere, whatever wildcards it holds. */
export const containing = (text: string): string => pattern(textKey(text))

/**
 * What finds this word anywhere: a pattern for `LIKE`, which an index of trigrams can be asked for,
 * and a text that has to be there besides; null for none. Of an e-mail address the index is asked
 * only for what is in front of "@": a domain that many have is in so many rows that it takes
 * longest to look for.
 */
export function finding(word: string): { readonly pattern: string; readonly text: string | null } {
  const key = textKey(word)
  const name = key.slice(0, key.indexOf('@') + 1)
  // Without three in a row there is no trigram to look for.
  return /[\p{L}\p{N}]{3}/u.test(name) ? { pattern: pattern(name), text: key } : { pattern: pattern(key), text: null }
}

const pattern = (key: string): string => `%${key.replace(/[\\%_]/g, '\\$&')}%`

/**
 * Part of an address: letters and digits of the text with their signs, in lower case, with hyphens
 * between; at most 100 characters, `item` for none.
 */
export const permalinkOf = (text: string): string =>
  textKey(text)
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^[-\p{M}]+/u, '')
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
