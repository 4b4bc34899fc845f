import { skeletonOf } from './skeleton.ts'
import { type FindImitated, indexImitated } from './typosquat.ts'

/** A brand of the registry, read from its line. */
export type Brand = {
  /** The label people know best; how decisions name the brand. */
  readonly name: string
  readonly labels: readonly BrandLabel[]
  readonly domains: readonly string[]
}
export type BrandLabel = {
  readonly label: string
  /** An everyday word: no evidence by itself. */
  readonly word: boolean
  /** The owner holds it under country suffixes throughout. */
  readonly worldwide: boolean
  /** So short that one slip makes another name: only the label itself means the brand. */
  readonly exact: boolean
}

/** A label and the brand it belongs to. */
export type OwnedLabel = BrandLabel & { readonly brand: string; readonly suffixes: ReadonlySet<string> }

/** Index of the registry: every query is a lookup, never a loop. */
export type BrandIndex = {
  readonly byDomain: ReadonlyMap<string, string>
  readonly byLabel: ReadonlyMap<string, OwnedLabel>
  readonly bySkeleton: ReadonlyMap<string, OwnedLabel>
  /** The label of the registry within one edit of this one, which is not in the registry itself. */
  readonly findImitated: FindImitated<OwnedLabel>
}

/** Reads a line of `lists/brands.ts`. */
export function brandOf(line: string): Brand {
  const [labels = '', domains = ''] = line.split(' = ')
  const parsed = labels.split(' ').map(
    (text): BrandLabel => ({
      label: text.replace(/^[~+=]+/, ''),
      word: text.startsWith('~'),
      worldwide: text.startsWith('+'),
      exact: /^[~+]?=/.test(text),
    }),
  )
  return { name: parsed[0]?.label ?? '', labels: parsed, domains: domains.split(' ') }
}

/** Typosquats of labels this short are common words: they count under the brand's suffixes only. */
const MAX_SHORT_LABEL = 4

const indexes = new WeakMap<readonly string[], BrandIndex>()

/**
 * Builds the index of a registry, once per list. Yields after each brand, so that other work can
 * run.
 */
export function* brandIndexSteps(lines: readonly string[], engine: number): Generator<void, BrandIndex> {
  const existing = indexes.get(lines)
  if (existing) return existing
  const index = yield* build(lines.map(brandOf), engine)
  indexes.set(lines, index)
  return index
}

function* build(brands: readonly Brand[], engine: number): Generator<void, BrandIndex> {
  const byDomain = new Map<string, string>()
  const byLabel = new Map<string, OwnedLabel>()
  const bySkeleton = new Map<string, OwnedLabel>()
  const imitated: OwnedLabel[] = []
  // Behind all others, so that they hide none.
  const shortWords: OwnedLabel[] = []
  for (const brand of brands) {
    yield
    for (const domain of brand.domains) byDomain.set(domain, brand.name)
    const suffixes = new Set(brand.domains.map((domain) => domain.slice(domain.indexOf('.') + 1)))
    for (const label of brand.labels) {
      const owned: OwnedLabel = { ...label, brand: brand.name, suffixes }
      byLabel.set(label.label, owned)
      if (label.label.length > MAX_SHORT_LABEL || /^[a-z]+$/.test(label.label)) bySkeleton.set(skeletonOf(label.label), owned)
      // A typosquat of a three-letter word is another three-letter word.
      if (label.exact) continue
      if (!isShortWord(owned)) imitated.push(owned)
      else if (engine >= 6) shortWords.push(owned)
    }
  }
  const find = indexImitated([...imitated, ...shortWords])
  return { byDomain, byLabel, bySkeleton, findImitated: (written) => (byLabel.has(written) ? undefined : find(written)) }
}

/** Typosquats count under the brand's own suffix of a country (`co.id`) only, and not before engine 6. */
export const isShortWord = ({ label, word }: BrandLabel): boolean => word && label.length < MAX_SHORT_LABEL

/** Whether a typosquat of this label means the brand under any suffix. */
export const isDistinctive = ({ label, word }: BrandLabel): boolean => !word && label.length > MAX_SHORT_LABEL
