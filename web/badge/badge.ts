import type { ItemBadgeFragment } from '#generated/operations.ts'
import { html, textOf } from '../frame/html.ts'
import { releaseOf } from '../item/release.ts'

type Level = ItemBadgeFragment['itemTrust']['level']

/** Advance widths of Verdana, which badges are drawn in where it is installed, in thousandths of its size. */
const WIDTHS: ReadonlyMap<string, number> = new Map(
  [
    ['il', 274],
    ['j', 344],
    [' frtI.,', 372],
    ['-:/', 454],
    ['JcszL', 545],
    ['aekvxyFTYP', 602],
    ['bdghnopqu0123456789_X', 634],
    ['ABCERSZKV', 690],
    ['DGHNOQU', 775],
    ['mwMW+%&@', 960],
  ].flatMap(([letters, width]) => [...String(letters)].map((letter) => [letter, Number(width)] as const)),
)
/** Of all other letters: as wide as any. */
const MAX_WIDTH = 1_000
const FONT_SIZE = 11
/** Space on both sides of a text. All lengths here are pixels. */
const PADDING_PIXELS = 7
const HEIGHT_PIXELS = 20

/** White letters on each have a contrast of at least 4.5. */
const LABEL_COLOR = '#24292f'
const NEUTRAL_COLOR = '#57606a'
const COLORS: Readonly<Record<Level, string>> = {
  GOOD: '#1a7f37',
  UNKNOWN: NEUTRAL_COLOR,
  CAUTION: '#8a5a00',
  WARNING: '#b42318',
}
const WORDS: Readonly<Record<Level, string>> = { GOOD: 'good', UNKNOWN: 'little known', CAUTION: 'caution', WARNING: 'warning' }

/** Longest version on a badge. */
const MAX_VERSION_LENGTH = 20

/** How wide a text is. Pixels. */
const widthOf = (text: string): number =>
  Math.ceil(([...text].reduce((sum, letter) => sum + (WIDTHS.get(letter) ?? MAX_WIDTH), 0) * FONT_SIZE) / 1_000)

/** A badge of parts beside each other. Each text is as wide as reckoned here, in whatever font. */
function badge(parts: readonly { readonly text: string; readonly color: string }[]): string {
  let end = 0
  const placed = parts.map(({ text, color }) => {
    const [start, width] = [end, widthOf(text) + 2 * PADDING_PIXELS]
    end += width
    return { text, color, start, width }
  })
  const title = parts.map(({ text }) => text).join(', ')
  return textOf(html`<svg xmlns="http://www.w3.org/2000/svg" width="${end}" height="${HEIGHT_PIXELS}" role="img" aria-label="${title}">
<title>${title}</title>
${placed.map(({ color, start, width }) => html`<rect x="${start}" width="${width}" height="${HEIGHT_PIXELS}" fill="${color}"/>`)}
<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="${FONT_SIZE}">
${placed.map(({ text, start, width }) => html`<text x="${start + PADDING_PIXELS}" y="14" textLength="${width - 2 * PADDING_PIXELS}" lengthAdjust="spacingAndGlyphs">${text}</text>`)}
</g></svg>
`)
}

/**
 * Says that an item is listed, its version, whether somebody verified its publisher, and the trust of the item itself
 * on the day of `now`.
 */
export function itemBadge({ itemTrust: { level, parts }, ...item }: ItemBadgeFragment, now: Date): string {
  const release = 'registryEntry' in item ? releaseOf(item.registryEntry.version) : null
  const isVerified = parts.some((part) => part.subject === 'PUBLISHER' && part.level === 'GOOD')
  return badge([
    { text: 'on Atrium', color: LABEL_COLOR },
    ...(release === null ? [] : [{ text: shortVersion(release), color: NEUTRAL_COLOR }]),
    ...(isVerified ? [{ text: 'verified publisher', color: COLORS.GOOD }] : []),
    { text: `item trust: ${WORDS[level]}, ${now.toISOString().slice(0, 10)}`, color: COLORS[level] },
  ])
}

const shortVersion = (version: string): string =>
  `v${version.length > MAX_VERSION_LENGTH ? `${version.slice(0, MAX_VERSION_LENGTH - 1).toWellFormed()}…` : version}`

/** Says that there is no such item. */
export const missingBadge = (): string =>
  badge([
    { text: 'on Atrium', color: LABEL_COLOR },
    { text: 'no such item', color: NEUTRAL_COLOR },
  ])
