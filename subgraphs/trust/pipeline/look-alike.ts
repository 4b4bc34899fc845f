import { type BrandIndex, isDistinctive, isShortWord, type OwnedLabel } from './brand.ts'
import { AUTHORITY_LABELS } from './lists/shared-suffixes.ts'
import type { Target } from './normalise.ts'
import { skeletonOf } from './skeleton.ts'

/** How a foreign name uses a brand. Strongest first: the first match counts. */
export type LookalikeKind =
  /** Letters of other scripts or with accents spell the brand, or a typosquat of it. */
  | 'homograph'
  /** Digits and letter pairs that are read as the brand's letters (`paypa1`, `vvikipedia`). */
  | 'skeleton'
  /** A typosquat: one edit away. */
  | 'typo'
  /** The brand and a word that asks for credentials or sounds official. */
  | 'brand-with-lure'
  /** Exactly the brand, under a suffix that is not the brand's. */
  | 'foreign-suffix'
  /** The brand as a whole domain inside another one (`paypal.com.evil.top`). */
  | 'domain-inside'
  /** The brand among other words. */
  | 'brand-with-word'
  /** The brand as a label above a foreign domain. */
  | 'brand-above'
  /** The same of popular names that are in no registry (`popular-look-alike.ts`). */
  | 'popular-typo'
  /** The same of a name that fewer people visit; not before engine 6, as the next. */
  | 'less-popular-typo'
  | 'popular-with-lure'
  /** Any name with a word that asks for credentials, and nothing else. */
  | 'name-with-lure'
  /** Any domain as a whole inside another one that is not popular. */
  | 'popular-inside'

export type Lookalike = { readonly kind: LookalikeKind; readonly brand: string }

/**
 * The brand whose own name this is; null for all others. Tenants of a brand's platform are not the
 * brand.
 */
export function ownerOf({ host, name }: Pick<Target, 'host' | 'name'>, index: BrandIndex): string | null {
  const root = name.shared ? name.tenant : name.registrable
  for (let domain = host; ; domain = domain.slice(domain.indexOf('.') + 1)) {
    const owner = index.byDomain.get(domain)
    if (owner !== undefined) return owner
    if (domain === root || !domain.includes('.')) return null
  }
}

/** Words that make a combination with a brand suspicious. */
export type LureWords = {
  /** Ask for credentials, money or haste. */
  readonly lures: ReadonlySet<string>
  /** Sound like a department. */
  readonly business: ReadonlySet<string>
  /** Words of a dictionary that are one slip from a brand; empty before engine 3. */
  readonly everyday: ReadonlySet<string>
  /** First labels of public suffixes that are given to authorities and schools only. */
  readonly protectedSuffixes: ReadonlySet<string>
  readonly engine: number
}

/** The parts of a target that a resemblance is seen in. */
type Named = Pick<Target, 'host' | 'name' | 'kind' | 'unicode' | 'folded'>

type Under = { readonly suffix: string; readonly shared: boolean; readonly index: BrandIndex; readonly words: LureWords }

/**
 * What of a brand a name imitates; null for brands themselves and for names that remind of none.
 */
export function lookalikeOf(target: Named, index: BrandIndex, words: LureWords): Lookalike | null {
  const root = target.name.tenant ?? target.name.registrable
  if (target.kind !== 'name' || root === null || ownerOf(target, index) !== null) return null
  const depth = root.split('.').length
  const written = target.unicode.split('.')
  const labels = target.folded.split('.')
  const core = labels.at(-depth) ?? ''
  const above = labels.slice(0, -depth)
  const under: Under = { suffix: root.slice(root.indexOf('.') + 1), shared: target.name.shared, index, words }
  const inLetters = core === written.at(-depth) ? null : homograph(core, under)
  if (inLetters || isProtectedSuffix(target.name.suffix, words)) return inLetters
  return (
    (words.engine >= 3 ? domainInLabels([...above, core], index) : null) ??
    (words.engine >= 5 ? authorityInLabels([...above, core]) : null) ??
    coreLookalike(core, under) ??
    splitLookalike(above, core, under) ??
    aboveLookalike(above, under)
  )
}

/** `gov.uk`, `edu`, `ac.jp`: registrants there were verified. */
export function isProtectedSuffix(suffix: string | null, { protectedSuffixes }: LureWords): boolean {
  const labels = suffix?.split('.') ?? []
  // Two letters alone are a country: registration under `ac` is open.
  return protectedSuffixes.has(labels[0] ?? '') && (labels.length > 1 || (labels[0]?.length ?? 0) > 2)
}

/** `usps.com-track.top`, `www.chase.com-id.example.net`: the brand's domain up to a hyphen. */
function domainInLabels(labels: readonly string[], index: BrandIndex): Lookalike | null {
  for (const [end, label] of labels.entries()) {
    const hyphen = label.indexOf('-')
    if (hyphen === -1) continue
    const head = label.slice(0, hyphen)
    for (let from = end - 1; from >= 0; from--) {
      const suffix = [...labels.slice(from + 1, end), head].join('.')
      const owned = index.byLabel.get(labels[from] ?? '')
      const abroad = owned?.worldwide && COUNTRY_SUFFIX.test(suffix) ? owned.brand : undefined
      const brand = index.byDomain.get(`${labels[from]}.${suffix}`) ?? abroad
      if (brand !== undefined) return { kind: 'domain-inside', brand }
    }
  }
  return null
}

const authorityLabels: ReadonlySet<string> = new Set(AUTHORITY_LABELS)

/** `dmv.ca.gov-ticket.top`, `gov.uk-vehicle-tax.com`: an authority's suffix up to a hyphen. */
function authorityInLabels(labels: readonly string[]): Lookalike | null {
  for (const [at, label] of labels.entries()) {
    const head = label.slice(0, Math.max(0, label.indexOf('-')))
    const before = labels[at - 1]
    if (head === '' || before === undefined) continue
    if (authorityLabels.has(head)) return { kind: 'domain-inside', brand: head }
    if (/^[a-z]{2}$/.test(head) && authorityLabels.has(before)) return { kind: 'domain-inside', brand: `${before}.${head}` }
  }
  return null
}

/** `core` is what people read where other letters are written. */
function homograph(core: string, under: Under): Lookalike | null {
  const { index } = under
  const exact = index.byLabel.get(core) ?? index.bySkeleton.get(skeletonOf(core))
  const found = exact ?? typosquatOf(core, under)
  return found ? { kind: 'homograph', brand: found.brand } : null
}

function coreLookalike(core: string, under: Under): Lookalike | null {
  const { index, suffix } = under
  const exact = index.byLabel.get(core)
  if (exact) return isForeign(exact, under) ? { kind: 'foreign-suffix', brand: exact.brand } : null
  const same = under.words.everyday.has(core) ? undefined : index.bySkeleton.get(skeletonOf(core))
  if (same && countsUnder(same, suffix)) return { kind: 'skeleton', brand: same.brand }
  const typosquat = typosquatOf(core, under)
  if (typosquat) return { kind: 'typo', brand: typosquat.brand }
  return combination(core, under)
}

/**
 * Everyday words have no owner; worldwide labels are the owner's under any country's suffix. On a
 * shared suffix the label is any user's.
 */
function isForeign({ word, worldwide }: OwnedLabel, { suffix, shared }: Under): boolean {
  if (word) return false
  return shared || !(worldwide && COUNTRY_SUFFIX.test(suffix))
}

/** `de`, `co.uk`, `com.br`. */
const COUNTRY_SUFFIX = /^(?:[a-z]{2,3}\.)?[a-z]{2}$/

const countsUnder = (owned: OwnedLabel, suffix: string): boolean => isDistinctive(owned) || owned.suffixes.has(suffix)

/**
 * One slip away, and not a word that means something of its own (`mail` is not a misspelt `gmail`).
 */
function typosquatOf(label: string, { index, suffix, words }: Under): OwnedLabel | null {
  if (words.everyday.has(label)) return null
  const owned = index.findImitated(label)
  if (owned && isShortWord(owned) && !suffix.includes('.')) return null
  return owned && countsUnder(owned, suffix) && !words.business.has(label) && !words.lures.has(label) ? owned : null
}

/** The brand beside other words: between hyphens, or glued to a word that we know. */
function combination(label: string, under: Under): Lookalike | null {
  const tokens = label.split('-')
  return (tokens.length > 1 ? hyphenated(tokens, under) : null) ?? glued(tokens.join(''), under)
}

function hyphenated(tokens: readonly string[], under: Under): Lookalike | null {
  const { index, words } = under
  const isSuspicious = (word: string) => words.lures.has(word) || words.business.has(word)
  let weak: Lookalike | null = null
  for (const token of tokens) {
    const others = tokens.filter((other) => other !== token)
    const exact = index.byLabel.get(token)
    const owned = exact ?? distinctiveLookalike(token, under)
    if (!owned || others.length === 0) continue
    const lured = needsOneLure(owned, under)
      ? others.some(isSuspicious)
      : others.every((other) => isSuspicious(other) || /^\d*$/.test(other)) || namesSuffix(tokens, token, owned, under)
    if (lured) return { kind: exact ? 'brand-with-lure' : 'skeleton', brand: owned.brand }
    if (isDistinctive(owned)) weak ??= { kind: 'brand-with-word', brand: owned.brand }
  }
  return weak
}

/**
 * An everyday word needs lures only around it, a brand needs one. Since engine 3 four letters that
 * are no word suffice for a brand (`ebay-order-issue`).
 */
const needsOneLure = (owned: OwnedLabel, { words }: Under): boolean =>
  isDistinctive(owned) || (words.engine >= 3 && !owned.word && owned.label.length >= MIN_LURED_LABEL)
const MIN_LURED_LABEL = 4

/** `usps-com-gotrack`, `apple-com-id`: a label and the brand's suffix, written with hyphens. */
function namesSuffix(tokens: readonly string[], token: string, { suffixes }: OwnedLabel, { words }: Under): boolean {
  return words.engine >= 3 && suffixes.has(tokens[tokens.indexOf(token) + 1] ?? '')
}

function distinctiveLookalike(token: string, under: Under): OwnedLabel | null {
  if (under.words.everyday.has(token)) return null
  const owned = under.index.bySkeleton.get(skeletonOf(token)) ?? typosquatOf(token, under)
  return owned && isDistinctive(owned) ? owned : null
}

/** Shortest brand label that is searched inside other letters: two letters are in every word. */
const MIN_GLUED_LABEL = 3

/** `paypalservice`, `myappleid`: the rest without the brand is a known word, or two. */
function glued(label: string, { index, words }: Under): Lookalike | null {
  for (let cut = MIN_GLUED_LABEL; cut <= label.length - 2; cut++) {
    const first = index.byLabel.get(label.slice(0, cut))
    if (first && isLure(label.slice(cut), first, words)) return { kind: 'brand-with-lure', brand: first.brand }
    const last = index.byLabel.get(label.slice(-cut))
    if (last && isLure(label.slice(0, -cut), last, words)) return { kind: 'brand-with-lure', brand: last.brand }
  }
  return null
}

/** `zoominfo` is a word beside a word: everyday words count beside credentials only. */
const isLure = (text: string, owned: OwnedLabel, { lures, business }: LureWords): boolean =>
  isOneOrTwo(text, (word) => lures.has(word) || (!owned.word && business.has(word)))

/** Whether a text is a word that asks for credentials or sounds like a department, or two of them. */
export const isLureText = (text: string, { lures, business }: LureWords): boolean =>
  isOneOrTwo(text, (word) => lures.has(word) || business.has(word))

function isOneOrTwo(text: string, isSuspicious: (word: string) => boolean): boolean {
  if (isSuspicious(text)) return true
  for (let cut = 2; cut <= text.length - 2; cut++)
    if (isSuspicious(text.slice(0, cut)) && isSuspicious(text.slice(cut))) return true
  return false
}

/** `pay.pal.com`: the dots belong to the name. */
function splitLookalike(above: readonly string[], core: string, { index, suffix }: Under): Lookalike | null {
  if (above.length !== 1) return null
  const owned = index.byLabel.get((above[0] ?? '') + core)
  return owned?.suffixes.has(suffix) ? { kind: 'typo', brand: owned.brand } : null
}

function aboveLookalike(above: readonly string[], under: Under): Lookalike | null {
  let weak: Lookalike | null = null
  for (const [position, label] of above.entries()) {
    const rest = `${above.slice(position + 1).join('.')}.`
    const owned = under.index.byLabel.get(label)
    if (owned && [...owned.suffixes].some((suffix) => rest.startsWith(`${suffix}.`)))
      return { kind: 'domain-inside', brand: owned.brand }
    if (owned && isDistinctive(owned)) weak ??= { kind: 'brand-above', brand: owned.brand }
    const combined = owned ? null : combination(label, under)
    if (combined?.kind === 'brand-with-lure') return combined
  }
  return weak
}
