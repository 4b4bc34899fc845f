import { permutationsOf, type Slip } from './permutations.ts'
import { skeletonOf } from './skeleton.ts'

/** A brand of the registry, read from its line. */
export type Brand = {
  /** The label people know best; how decisions name the brand. */
  readonly name: string
  readonly labels: readonly BrandLabel[]
  readonly domains: readonly string[]
}
export type BrandLabel = {
  readonly label: string
  /** An everyday word: says nothing without its company. */
  readonly word: boolean
  /** The owner holds it under country suffixes throughout. */
  readonly worldwide: boolean
}

/** A label and the brand it belongs to. */
export type Owned = BrandLabel & { readonly brand: string; readonly suffixes: ReadonlySet<string> }

/** The registry, made ready for questions: everything is looked up, nothing is compared in a loop. */
export type BrandIndex = {
  readonly byDomain: ReadonlyMap<string, string>
  readonly byLabel: ReadonlyMap<string, Owned>
  readonly bySkeleton: ReadonlyMap<string, Owned>
  readonly byPermutation: ReadonlyMap<string, { readonly owned: Owned; readonly slip: Slip }>
}

/** Reads a line of `lists/brands.ts`. */
export function brandOf(line: string): Brand {
  const [labels = '', domains = ''] = line.split(' = ')
  const parsed = labels.split(' ').map(
    (text): BrandLabel => ({
      label: text.replace(/^[~+]+/, ''),
      word: text.startsWith('~'),
      worldwide: text.startsWith('+'),
    }),
  )
  return { name: parsed[0]?.label ?? '', labels: parsed, domains: domains.split(' ') }
}

/** One slip from these is half of the dictionary; they count under the brand's own suffixes only. Longer ones count everywhere. */
const SHORT = 4

const indexes = new WeakMap<readonly string[], BrandIndex>()

/** The index of a registry; made once per list, since it holds some 100,000 permutations. Stops after each brand, for those who have other things to do. */
export function* brandIndexSteps(lines: readonly string[]): Generator<void, BrandIndex> {
  const known = indexes.get(lines)
  if (known) return known
  const index = yield* build(lines.map(brandOf))
  indexes.set(lines, index)
  return index
}

function* build(brands: readonly Brand[]): Generator<void, BrandIndex> {
  const byDomain = new Map<string, string>()
  const byLabel = new Map<string, Owned>()
  const bySkeleton = new Map<string, Owned>()
  const byPermutation = new Map<string, { owned: Owned; slip: Slip }>()
  for (const brand of brands) {
    yield
    for (const domain of brand.domains) byDomain.set(domain, brand.name)
    const suffixes = new Set(brand.domains.map((domain) => domain.slice(domain.indexOf('.') + 1)))
    for (const label of brand.labels) {
      const owned: Owned = { ...label, brand: brand.name, suffixes }
      byLabel.set(label.label, owned)
      if (label.label.length > SHORT || /^[a-z]+$/.test(label.label)) bySkeleton.set(skeletonOf(label.label), owned)
      // One slip from a word of three letters is another word of three letters.
      if (label.word && label.label.length < SHORT) continue
      const bySlip = new Map<Slip, { owned: Owned; slip: Slip }>()
      for (const [written, slip] of permutationsOf(label.label, [...suffixes])) {
        if (byPermutation.has(written)) continue
        const entry = bySlip.get(slip) ?? { owned, slip }
        bySlip.set(slip, entry)
        byPermutation.set(written, entry)
      }
    }
  }
  for (const label of byLabel.keys()) byPermutation.delete(label)
  return { byDomain, byLabel, bySkeleton, byPermutation }
}

/** Whether one slip from this label means the brand under any suffix. */
export const isDistinctive = ({ label, word }: BrandLabel): boolean => !word && label.length > SHORT
