/** The palettes of web/style/style.css that a shop's colours are put into. */
const LIGHT = { ground: '#fbfbf9', raised: '#ffffff', sunken: '#f1f2f0', text: '#1d232b', quiet: '#56606d' } as const
const DARK = { ground: '#13171c', raised: '#1a1f26', sunken: '#0e1115', text: '#e3e7eb', quiet: '#a0aab5' } as const

/** What WCAG 2.2 §1.4.3 demands of text. */
const MIN_CONTRAST = 4.5

type Rgb = readonly [red: number, green: number, blue: number]
type Palette = Readonly<Record<keyof typeof LIGHT, string>>

/**
 * The stylesheet of a shop with these colours (#rrggbb, or null for those of the site). A colour
 * that could not be read is darkened or lightened until it can; a background on which no text of
 * ours could be read is left out.
 */
export function themeStyles({
  accentColor,
  backgroundColor,
  serifHeadings,
}: {
  readonly accentColor: string | null
  readonly backgroundColor: string | null
  readonly serifHeadings: boolean | null
}): string {
  const light = withGround(LIGHT, backgroundColor)
  const dark = withGround(DARK, backgroundColor)
  // A dark background is dark in either scheme.
  const isDark = light === null && dark !== null && backgroundColor !== null
  const rules = isDark
    ? [`:root{color-scheme:dark;${variablesOf(dark, accentColor)}}`, darkRules(dark, accentColor)]
    : [`:root{${variablesOf(light ?? LIGHT, accentColor)}}`, darkRules(DARK, accentColor)]
  if (serifHeadings) rules.push('h1,h2,.shop-name{font-family:"Iowan Old Style","Palatino Linotype",Palatino,Georgia,serif}')
  return `${rules.join('\n')}\n`
}

const darkRules = (palette: Palette, accent: string | null): string =>
  `@media (prefers-color-scheme:dark){:root{${variablesOf(palette, accent)}}}`

/** The palette on another ground; null when its texts cannot be read there. */
function withGround(palette: Palette, ground: string | null): Palette | null {
  if (ground === null) return palette
  const isReadable = [palette.text, palette.quiet].every((text) => contrastOf(text, ground) >= MIN_CONTRAST)
  return isReadable ? { ...palette, ground } : null
}

function variablesOf(palette: Palette, accentColor: string | null): string {
  const { ground, raised, sunken, text, quiet } = palette
  const colors = `--ground:${ground};--raised:${raised};--sunken:${sunken};--text:${text};--quiet:${quiet};`
  if (accentColor === null) return colors
  const accent = readableOn([ground, raised, sunken], accentColor)
  const onAccent = contrastOf('#ffffff', accent) >= contrastOf('#10161d', accent) ? '#ffffff' : '#10161d'
  return `${colors}--accent:${accent};--on-accent:${onAccent};`
}

/** The colour, or the nearest one towards black or white that can be read on all these grounds. */
function readableOn(grounds: readonly string[], color: string): string {
  const end: Rgb = luminanceOf(grounds[0] ?? '#ffffff') > 0.2 ? [0, 0, 0] : [255, 255, 255]
  for (let step = 0; step < 20; step += 1) {
    const mixed = hexOf(rgbOf(color).map((part, index) => Math.round(part + (((end[index] ?? 0) - part) * step) / 20)))
    if (grounds.every((ground) => contrastOf(mixed, ground) >= MIN_CONTRAST)) return mixed
  }
  return hexOf(end)
}

/** WCAG 2.2: from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

/** WCAG 2.2, relative luminance. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = rgbOf(color).map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const rgbOf = (color: string): Rgb => {
  const value = Number.parseInt(color.slice(1, 7), 16)
  return [value >> 16, (value >> 8) & 0xff, value & 0xff]
}

const hexOf = (parts: readonly number[]): string => `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
