import { type LookupTable, lookupTable } from '../../../platform/collections/lookup-table.ts'

/** How a written name differs from the one it imitates: one slip, or one trick. */
export type TyposquatKind =
  | 'omission'
  | 'repetition'
  | 'transposition'
  | 'replacement'
  | 'insertion'
  | 'addition'
  | 'vowel'
  | 'bit'
  | 'glyph'
  | 'hyphen'
  | 'glued'

const KEYBOARDS = [
  ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'],
  ['1234567890', 'qwertzuiop', 'asdfghjkl', 'yxcvbnm'],
  ['1234567890', 'azertyuiop', 'qsdfghjklm', 'wxcvbn'],
] as const

/**
 * Keys that touch a key: beside it, and two in the row above and below, because rows are shifted by
 * half a key.
 */
const NEIGHBOURS: ReadonlyMap<string, string> = neighbours()

function neighbours(): Map<string, string> {
  const found = new Map<string, Set<string>>()
  for (const rows of KEYBOARDS)
    rows.forEach((row, y) => {
      ;[...row].forEach((key, x) => {
        const touching = [row[x - 1], row[x + 1], rows[y - 1]?.[x], rows[y - 1]?.[x + 1], rows[y + 1]?.[x - 1], rows[y + 1]?.[x]]
        const neighbours = found.get(key) ?? new Set()
        for (const other of touching) if (other !== undefined) neighbours.add(other)
        found.set(key, neighbours)
      })
    })
  return new Map([...found].map(([key, others]) => [key, [...others].sort().join('')]))
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const VOWELS = 'aeiou'
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/** Groups of letters that look alike in common typefaces. */
const GLYPHS: LookupTable<readonly string[]> = lookupTable({
  b: ['d', 'lb', 'ib', '8', '6'],
  c: ['e'],
  d: ['b', 'cl', 'dl'],
  e: ['c', '3'],
  g: ['q', '6', '9'],
  h: ['lh', 'ih', 'b'],
  i: ['1', 'l', 'j'],
  k: ['lk', 'ik', 'lc'],
  l: ['1', 'i', 'j'],
  m: ['n', 'nn', 'rn', 'rr'],
  n: ['m', 'r'],
  o: ['0'],
  q: ['g', '9'],
  s: ['5', 'z'],
  t: ['7', 'f'],
  u: ['v'],
  v: ['u'],
  w: ['vv'],
  z: ['2', 's'],
  a: ['4', 'o'],
})

/**
 * Every label that one slip makes of `label`, with the first slip that makes it. `label` itself is
 * not among them.
 */
export function typosquatsOf(label: string, suffixes: readonly string[]): Map<string, TyposquatKind> {
  const made = new Map<string, TyposquatKind>()
  const add = (kind: TyposquatKind, written: string) => {
    if (written !== label && LABEL.test(written) && !made.has(written)) made.set(written, kind)
  }
  const at = (index: number, length: number, text: string) => label.slice(0, index) + text + label.slice(index + length)

  for (let index = 0; index < label.length; index++) {
    const letter = label[index] ?? ''
    add('omission', at(index, 1, ''))
    add('repetition', at(index, 0, letter))
    if (index + 1 < label.length) add('transposition', at(index, 2, (label[index + 1] ?? '') + letter))
    for (const glyph of GLYPHS[letter] ?? []) add('glyph', at(index, 1, glyph))
    if (VOWELS.includes(letter)) for (const vowel of VOWELS) add('vowel', at(index, 1, vowel))
    for (const key of NEIGHBOURS.get(letter) ?? '') {
      add('replacement', at(index, 1, key))
      add('insertion', at(index, 0, key))
      add('insertion', at(index + 1, 0, key))
    }
    for (let bit = 0; bit < 8; bit++) add('bit', at(index, 1, String.fromCharCode((label.charCodeAt(index) ^ (1 << bit)) & 0x7f)))
    if (index > 0) add('hyphen', at(index, 0, '-'))
    if (index > 0) add('addition', at(index, 0, 's'))
  }
  for (const letter of `${LETTERS}0123456789`) add('addition', label + letter)
  for (const glued of ['www', 'www-', 'http', 'm-']) add('glued', glued + label)
  for (const suffix of suffixes) {
    add('glued', label + suffix.replaceAll('.', ''))
    add('glued', label + (suffix.split('.')[0] ?? ''))
    add('glued', `${label}-${suffix.replaceAll('.', '-')}`)
  }
  if (label.includes('-')) add('hyphen', label.replaceAll('-', ''))
  return made
}
