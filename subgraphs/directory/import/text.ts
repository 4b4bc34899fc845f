/**
 * Changes of direction, invisible marks and letters that show nothing: they make text look like
 * something else.
 */
const INVISIBLE =
  /\u034f|[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu

/**
 * Text for people: NFC, one line, no control characters and no changes of direction, at most
 * `maxLength` UTF-16 units. Null when it is not text or nothing is left.
 */
export function cleanText(value: unknown, maxLength: number): string | null {
  if (typeof value !== 'string') return null
  // Four times as long leaves room for what is collapsed; the rest of a huge text is never looked
  // at.
  const text = value
    .slice(0, maxLength * 4)
    .toWellFormed()
    .replace(INVISIBLE, '')
    .normalize('NFC')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, maxLength)
    .replace(/[\ud800-\udbff]$/, '')
    .trim()
  return text === '' ? null : text
}

/** Tags of HTML; text in angle brackets that is none stays. */
const HTML_TAG =
  /<\/?(?:a|b|br|center|code|details|div|em|font|h[1-6]|hr|i|img|kbd|li|ol|p|picture|pre|source|span|strong|sub|summary|sup|svg|table|td|th|tr|u|ul)\b[^<>]*(?:>|$)/gi

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
])

/**
 * A description without the marks of Markdown and HTML: links become their text, images, badges and
 * tags vanish. Null when nothing is left.
 */
export function plainText(text: string | null): string | null {
  if (text === null) return null
  const plain = text
    .replace(HTML_TAG, ' ')
    .replace(/!\[[^\][]{0,200}\](?:\([^()\s]{0,500}\)|\[[^\][]{0,200}\])/g, ' ')
    .replace(/\[([^\][]{1,200})\]\([^()]{0,500}(?:\)|$)/g, '$1')
    .replace(/(^|\s)#{1,6}\s+/g, '$1')
    .replace(/\*{2,3}|`+/g, '')
    .replace(/&(amp|lt|gt|quot|apos|nbsp);/g, (entity, name: string) => ENTITIES.get(name) ?? entity)
  return cleanText(plain, text.length + 10)
}

/**
 * Lower-case tags without repeats, in the order of the list; values that are no text or too long
 * for a tag are left out.
 */
export function cleanTags(value: unknown): string[] {
  if (!Array.isArray(value)) return []
  const tags = value.slice(0, 200).flatMap((tag) => cleanText(tag, 200)?.toLowerCase() ?? [])
  return [...new Set(tags.filter((tag) => tag.length <= 50))].slice(0, 30)
}

/**
 * Text as a URL segment: `a` to `z`, digits, single hyphens; at most 100 characters, empty when
 * nothing fits.
 */
export function slugOf(text: string): string {
  return text
    .slice(0, 1_000)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 100)
    .replace(/^-+|-+$/g, '')
}
