import type { PopularNeighbour } from '../evidence.ts'

/** Popular names with a first label, in any order. */
export type FindPopular = (label: string) => readonly { readonly name: string; readonly rank: number }[]

/** Of each relation. */
const MAX_NEIGHBOURS = 5
/** Shorter labels are one edit from half of the dictionary, and inside every word. */
const MIN_EDITED_LABEL = 6
const MIN_CONTAINED_LABEL = 5
/** Longer labels are searched up to here: a look-alike is about as long as what it imitates. */
const MAX_LABEL = 40
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789-'

/**
 * Popular names that the first label of a registrable domain is one edit from, or that stand at its
 * begin or end. Facts, not a verdict: most of them mean nothing. Some 800 look-ups for a label of
 * ten letters.
 */
export function neighboursOf(registrable: string, find: FindPopular): readonly PopularNeighbour[] {
  const { label, suffix } = partsOf(registrable)
  if (!isSearched(label)) return []
  const edited: PopularNeighbour[] = []
  const found = new Map<string, PopularNeighbour>()
  /** The name under the same suffix, else the best known one. */
  const nearest = (other: string) => {
    const [first, ...others] = find(other)
    return others.reduce((best, each) => (isNearer(each, best, suffix) ? each : best), first)
  }
  const add = (popular: ReturnType<typeof nearest>, relation: PopularNeighbour['relation'], rest: string) => {
    if (popular && !found.has(popular.name)) found.set(popular.name, { ...popular, relation, rest })
  }
  add(nearest(label), 'same', '')
  for (const part of containedIn(label)) {
    if (found.size > MAX_NEIGHBOURS) break
    add(nearest(part.label), 'contains', part.rest)
  }
  for (const other of editsOf(label)) {
    const popular = nearest(other)
    if (popular) edited.push({ ...popular, relation: 'edit', rest: '' })
  }
  edited.sort((a, b) => (isNearer(a, b, suffix) ? -1 : isNearer(b, a, suffix) ? 1 : 0))
  for (const each of edited.slice(0, MAX_NEIGHBOURS)) add(each, 'edit', '')
  return [...found.values()]
}

type Ranked = { readonly name: string; readonly rank: number }

/** Under the same suffix first, then by rank. */
function isNearer(a: Ranked, b: Ranked | undefined, suffix: string): boolean {
  if (!b) return true
  const [isOwn, isOther] = [a, b].map(({ name }) => name.slice(name.indexOf('.') + 1) === suffix)
  return isOwn === isOther ? a.rank < b.rank : isOwn === true
}

/**
 * Names that `neighboursOf` would look for, of those that matter most: slips under the same suffix,
 * and parts of the label under the usual ones too. Some 900 for a label of ten letters.
 */
export function neighbourNames(registrable: string): readonly string[] {
  const { label, suffix } = partsOf(registrable)
  if (!isSearched(label)) return []
  const suffixes = [...new Set([suffix, ...USUAL_SUFFIXES])]
  const parts = [...containedIn(label)].flatMap((part) => suffixes.map((each) => `${part.label}.${each}`))
  return [...new Set([...parts, ...[...editsOf(label)].map((other) => `${other}.${suffix}`)])]
}

const USUAL_SUFFIXES = ['com', 'net', 'org'] as const

function partsOf(registrable: string) {
  const label = registrable.slice(0, registrable.indexOf('.'))
  return { label, suffix: registrable.slice(label.length + 1) }
}

const isSearched = (label: string): boolean => label.length <= MAX_LABEL && !label.startsWith('xn--')

/** Parts between hyphens, and beginnings and ends; `rest` is what stands beside them. */
function* containedIn(label: string): Generator<{ readonly label: string; readonly rest: string }> {
  const tokens = label.split('-')
  if (tokens.length > 1)
    for (const token of tokens)
      if (token.length >= MIN_CONTAINED_LABEL - 1)
        yield { label: token, rest: tokens.filter((other) => other !== token).join('-') }
  for (let cut = label.length - 2; cut >= MIN_CONTAINED_LABEL; cut--) {
    yield { label: label.slice(0, cut), rest: label.slice(cut).replace(/^-/, '') }
    yield { label: label.slice(-cut), rest: label.slice(0, -cut).replace(/-$/, '') }
  }
}

/** What one removed, changed, swapped or added letter makes of a label; nothing of short ones. */
function editsOf(label: string): ReadonlySet<string> {
  const edits = new Set<string>()
  if (label.length < MIN_EDITED_LABEL - 1) return edits
  for (let at = 0; at <= label.length; at++) {
    const [before, after] = [label.slice(0, at), label.slice(at)]
    if (after !== '') edits.add(before + after.slice(1))
    if (after.length > 1) edits.add(before + (after[1] ?? '') + (after[0] ?? '') + after.slice(2))
    for (const letter of LETTERS) {
      if (after !== '') edits.add(before + letter + after.slice(1))
      edits.add(before + letter + after)
    }
  }
  for (const edit of edits) if (edit === label || edit.length < MIN_EDITED_LABEL) edits.delete(edit)
  return edits
}
