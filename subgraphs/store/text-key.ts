/**
 * Key of a unique name: in lower case, with single white space. Everything else makes another name:
 * accents, superscript digits, and the signs by which ガ is not カ. Migration
 * 20261124090000_name_keys defines the same in SQL.
 */
export const identityKey = (text: string): string => text.toLowerCase().normalize('NFC').replace(/\s+/g, ' ').trim()

/**
 * Ignored by search and permalinks: accents of Latin, Greek and Cyrillic letters, the points of
 * Hebrew and Arabic, which are mostly omitted in writing, and variation selectors. Signs of other
 * scripts are outside these ranges, and count as letters.
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
 * Condition to find this word anywhere: a pattern for `LIKE`, which a trigram index answers, and a
 * text that must occur besides; null for none. Of an e-mail address the index is used only for the
 * part before "@": a common domain matches too many rows.
 */
export function finding(word: string): { readonly pattern: string; readonly text: string | null } {
  const key = textKey(word)
  const name = key.slice(0, key.indexOf('@') + 1)
  // Without three characters in a row there is no trigram.
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
