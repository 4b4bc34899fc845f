import { type LookupTable, lookupTable } from '../../../platform/collections/lookup-table.ts'

const KEYBOARDS = [
  ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'],
  ['1234567890', 'qwertzuiop', 'asdfghjkl', 'yxcvbnm'],
  ['1234567890', 'azertyuiop', 'qsdfghjklm', 'wxcvbn'],
] as const

/**
 * Keys that touch a key: beside it, and two in the row above and below, because rows are shifted by
 * half a key.
 */
export const NEIGHBOURS: ReadonlyMap<string, string> = neighbours()

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

export const VOWELS = 'aeiou'
export const HOST_LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/** Groups of letters that look alike in common typefaces. */
export const GLYPHS: LookupTable<readonly string[]> = lookupTable({
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

/** Of a label of the domain name system. */
const MAX_LABEL_LENGTH = 63

/** Prefixes of a label without a dot between. */
const GLUED_BEFORE = ['www', 'www-', 'http', 'm-'] as const

/** A label that others imitate, with the public suffixes that it has domains under. */
type Imitated = { readonly label: string; readonly suffixes: ReadonlySet<string> }
/** With its position in the list: the first match counts. */
type Ranked<T> = { readonly imitated: T; readonly rank: number }

/** Labels of one length, by what every edit of one place leaves of them: their first or last half. */
type OfLength<T> = { readonly half: number; readonly byStart: Map<string, Ranked<T>[]>; readonly byEnd: Map<string, Ranked<T>[]> }

/** Finds the first of a list of labels within one edit of a written one. */
export type FindImitated<T> = (written: string) => T | undefined

/**
 * Looks the labels up by their halves and compares few, because all that one slip makes of a
 * thousand labels would be a third of a million texts. `written` itself may be one of the labels.
 */
export function indexImitated<T extends Imitated>(all: readonly T[]): FindImitated<T> {
  const byLength = new Map<number, OfLength<T>>()
  const byLabel = new Map<string, Ranked<T>>()
  const byLabelWithoutHyphens = new Map<string, Ranked<T>>()
  all.forEach((imitated, rank) => {
    const { label } = imitated
    const ranked = { imitated, rank }
    const { half, byStart, byEnd } = ofLength(byLength, label.length)
    push(byStart, label.slice(0, half), ranked)
    push(byEnd, label.slice(label.length - half), ranked)
    if (!byLabel.has(label)) byLabel.set(label, ranked)
    const without = label.replaceAll('-', '')
    if (without !== label && !byLabelWithoutHyphens.has(without)) byLabelWithoutHyphens.set(without, ranked)
  })

  return (written) => {
    if (written.length > MAX_LABEL_LENGTH || !HOST_LABEL.test(written)) return undefined
    let first = byLabelWithoutHyphens.get(written)
    const take = (ranked: Ranked<T> | undefined) => {
      if (ranked && (!first || ranked.rank < first.rank)) first = ranked
    }
    for (const before of GLUED_BEFORE) if (written.startsWith(before)) take(byLabel.get(written.slice(before.length)))
    for (let end = 1; end < written.length; end++) {
      const ranked = byLabel.get(written.slice(0, end))
      if (ranked && isGluedSuffix(ranked.imitated, written.slice(end))) take(ranked)
    }
    for (let length = written.length - 1; length <= written.length + 1; length++) {
      const labels = byLength.get(length)
      if (!labels) continue
      const { half, byStart, byEnd } = labels
      const isEdit = (ranked: Ranked<T>) => isOneEdit(ranked.imitated.label, written)
      take(byStart.get(written.slice(0, half))?.find(isEdit))
      take(byEnd.get(written.slice(written.length - half))?.find(isEdit))
    }
    return first?.imitated
  }
}

function ofLength<T>(byLength: Map<number, OfLength<T>>, length: number): OfLength<T> {
  const known = byLength.get(length)
  if (known) return known
  // A transposition replaces two letters, anything else one.
  const made = { half: Math.floor((length - 1) / 2), byStart: new Map(), byEnd: new Map() }
  byLength.set(length, made)
  return made
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}

/** `paypalcom`, `paypal-co-uk`. */
function isGluedSuffix({ suffixes }: Imitated, text: string): boolean {
  for (const suffix of suffixes) {
    if (text === suffix.replaceAll('.', '') || text === suffix.split('.')[0] || text === `-${suffix.replaceAll('.', '-')}`)
      return true
  }
  return false
}

/** Whether one slip at one place makes `written` of `label`. */
function isOneEdit(label: string, written: string): boolean {
  if (written === label) return false
  const shorter = Math.min(label.length, written.length)
  let start = 0
  while (start < shorter && label[start] === written[start]) start++
  let end = 0
  while (end < shorter && label[label.length - 1 - end] === written[written.length - 1 - end]) end++
  const more = written.length - label.length
  if (more === -1) return start + end >= written.length
  if (more === 1) return isInserted(label, written, start, end)
  return start + end === label.length - 1 ? isReplaced(label[start], written[start]) : isTransposed(label, written, start, end)
}

function isTransposed(label: string, written: string, start: number, end: number): boolean {
  return start + end === label.length - 2 && label[start] === written[start + 1] && label[start + 1] === written[start]
}

/** A key beside it, a letter that looks alike, another vowel, or one bit that flipped. */
function isReplaced(letter = '', by = ''): boolean {
  if (NEIGHBOURS.get(letter)?.includes(by) || GLYPHS[letter]?.includes(by)) return true
  if (VOWELS.includes(letter) && VOWELS.includes(by)) return true
  const bits = letter.charCodeAt(0) ^ by.charCodeAt(0)
  return (bits & (bits - 1)) === 0
}

/**
 * `start` and `end` letters are common. Where letters repeat, the one that was inserted may be any
 * of several.
 */
function isInserted(label: string, written: string, start: number, end: number): boolean {
  for (let at = Math.max(0, label.length - end); at <= start; at++) {
    const letter = written[at] ?? ''
    const [before, after] = [label[at - 1], label[at]]
    if (after === undefined) return true
    if (letter === after || NEIGHBOURS.get(after)?.includes(letter)) return true
    if (before !== undefined && (letter === '-' || letter === 's' || NEIGHBOURS.get(before)?.includes(letter))) return true
  }
  // Two letters that are read as one.
  for (let at = Math.max(0, label.length - 1 - end); at <= start && at < label.length; at++) {
    if (GLYPHS[label[at] ?? '']?.includes(written.slice(at, at + 2))) return true
  }
  return false
}
