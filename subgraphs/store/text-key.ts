/** Text as it is compared and searched: in lower case, without accents and repeated white space. */
export const textKey = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim()

/** A pattern for `LIKE` that finds this text anywhere, whatever wildcards it holds. */
export const containing = (text: string): string => `%${textKey(text).replace(/[\\%_]/g, '\\$&')}%`

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
