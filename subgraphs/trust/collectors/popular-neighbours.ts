import type { PopularNeighbour } from '../evidence.ts'

type Find = (label: string) => { readonly name: string; readonly rank: number } | null

const MAX_NEIGHBOURS = 5
/** Shorter labels are one edit from half of the dictionary, and inside every word. */
const MIN_EDITED_LABEL = 6
const MIN_CONTAINED_LABEL = 5
/** Longer labels are searched up to here: a look-alike is about as long as what it imitates. */
const MAX_LABEL = 40
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789-'

/**
 * Popular names that a label is one edit from, or that stand at its begin or end. Facts, not a
 * verdict: most of them mean nothing. Some 800 look-ups for a label of ten letters.
 */
export function neighboursOf(label: string, find: Find): readonly PopularNeighbour[] {
  if (label.length > MAX_LABEL || label.startsWith('xn--')) return []
  const found = new Map<string, PopularNeighbour>()
  const add = (popular: ReturnType<Find>, relation: PopularNeighbour['relation'], rest: string) => {
    if (popular && found.size < MAX_NEIGHBOURS && !found.has(popular.name))
      found.set(popular.name, { ...popular, relation, rest })
  }
  add(find(label), 'same', '')
  for (const part of containedIn(label)) add(find(part.label), 'contains', part.rest)
  if (label.length >= MIN_EDITED_LABEL - 1)
    for (const edited of editsOf(label)) if (edited.length >= MIN_EDITED_LABEL) add(find(edited), 'edit', '')
  return [...found.values()]
}

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

/** What one removed, changed, swapped or added letter makes of a label. */
function* editsOf(label: string): Generator<string> {
  for (let at = 0; at <= label.length; at++) {
    const [before, after] = [label.slice(0, at), label.slice(at)]
    if (after !== '') yield before + after.slice(1)
    if (after.length > 1) yield before + (after[1] ?? '') + (after[0] ?? '') + after.slice(2)
    for (const letter of LETTERS) {
      if (after !== '') yield before + letter + after.slice(1)
      yield before + letter + after
    }
  }
}
