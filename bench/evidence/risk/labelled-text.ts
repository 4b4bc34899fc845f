import type { RiskCategory } from '../../../clients/evidence/risk-rules.ts'

/** A text of our own writing, and what a careful reader would say about it. */
export type LabelledText = {
  readonly form: 'text' | 'html'
  readonly text: string
  /** What the attack consists of; empty for a benign text. */
  readonly attack: readonly RiskCategory[]
  /** Kind of a benign text; null for an attack. */
  readonly benign: string | null
}

export const attack = (categories: readonly RiskCategory[], text: string): LabelledText => ({
  form: 'text',
  text,
  attack: categories,
  benign: null,
})
export const pageAttack = (categories: readonly RiskCategory[], text: string): LabelledText => ({
  ...attack(categories, text),
  form: 'html',
})
export const benign = (kind: string, text: string): LabelledText => ({ form: 'text', text, attack: [], benign: kind })
export const benignPage = (kind: string, text: string): LabelledText => ({ ...benign(kind, text), form: 'html' })

/** Text in Unicode tag characters, which nothing displays. */
export const tags = (text: string): string =>
  [...text].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join('')
/** Text with a zero-width space after each letter. */
export const split = (text: string): string => [...text].join('\u200b')
/** Bits of a text as zero-width characters. */
export const bits = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) => byte.toString(2).padStart(8, '0').replaceAll('0', '\u200b').replaceAll('1', '\u200c'))
    .join('')
export const base64 = (text: string): string => Buffer.from(text).toString('base64')
export const hex = (text: string): string => Buffer.from(text).toString('hex')
export const reversed = (text: string): string => [...text].reverse().join('')
const CYRILLIC: Readonly<Record<string, string>> = { a: 'а', c: 'с', e: 'е', i: 'і', o: 'о', p: 'р', s: 'ѕ', x: 'х', y: 'у' }
/** Text with letters of Cyrillic in place of Latin ones. */
export const cyrillic = (text: string): string => [...text].map((letter) => CYRILLIC[letter] ?? letter).join('')
/** Text in mathematical bold letters. */
export const bold = (text: string): string =>
  text.replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(0x1d41a + letter.charCodeAt(0) - 97))
/** Text in full-width letters. */
export const wide = (text: string): string =>
  text.replaceAll(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0))
