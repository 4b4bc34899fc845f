import type { PopularNeighbour, Snapshot } from '../evidence.ts'
import { isLureText, isProtectedSuffix, type Lookalike, type LureWords } from './look-alike.ts'
import type { Target } from './normalise.ts'
import type { Policy } from './policy.ts'
import { skeletonOf } from './skeleton.ts'

/**
 * What a name imitates that is in no registry of brands, but among popular names; null for
 * names that are popular themselves, for tenants, and before engine 4. The evidence says which
 * names are near; most of these mean nothing, so only what is made on purpose counts.
 */
export function popularLookalikeOf(target: Target, { sources: { popularity } }: Snapshot, policy: Policy): Lookalike | null {
  const { engine, words } = policy
  if (engine < 4 || popularity.status !== 'ok' || popularity.facts.ranks.length > 0) return null
  const { registrable, suffix, shared } = target.name
  if (target.kind !== 'name' || registrable === null || suffix === null || shared || isProtectedSuffix(suffix, words)) return null
  const label = registrable.slice(0, -suffix.length - 1)
  if (isWord(label, words)) return null
  const inside = domainInside(target.folded.split('.').slice(0, -suffix.split('.').length - 1), label)
  if (inside !== null) return { kind: 'popular-inside', brand: inside }
  const near = popularity.facts.neighbours ?? []
  const lured = near.find((each) => isLured(each, words))
  if (lured) return { kind: 'popular-with-lure', brand: lured.name }
  const edited = near.find((each) => isEdited(label, suffix, each, policy))
  return edited ? { kind: 'popular-typo', brand: edited.name } : null
}

/** `canva.com-login.top`, `canva.com.account-check.xyz`: a whole domain in front of the real one. */
function domainInside(above: readonly string[], label: string): string | null {
  const last = above.at(-1) ?? ''
  const [begin = '', ...others] = label.split('-')
  if (others.length > 0 && GENERIC_SUFFIXES.has(begin) && isNamed(last)) return `${last}.${begin}`
  const suffix = above.findLastIndex((each) => GENERIC_SUFFIXES.has(each))
  const name = above[suffix - 1] ?? ''
  return suffix > 0 && isNamed(name) ? `${name}.${above[suffix]}` : null
}

/** Nobody has a reason to call a host of its own after one of these. */
const GENERIC_SUFFIXES: ReadonlySet<string> = new Set(['com', 'net', 'org'])
const isNamed = (label: string): boolean => label.length >= 3 && label !== 'www'

const isWord = (label: string, { everyday, business, lures }: LureWords): boolean =>
  everyday.has(label) || business.has(label) || lures.has(label)

const labelOf = ({ name }: PopularNeighbour): string => name.slice(0, name.indexOf('.'))

/** `canva-login`, `strava-account-verify`: the name and nothing but lures. */
function isLured(near: PopularNeighbour, words: LureWords): boolean {
  if (near.relation !== 'contains' || isWord(labelOf(near), words)) return false
  const parts = near.rest.split('-').filter((part) => part !== '' && !/^\d+$/.test(part))
  return parts.length > 0 && parts.every((part) => isLureText(part, words)) && parts.some((part) => words.lures.has(part))
}

/** One letter differs, in a name that is too long to be met by chance. */
function isEdited(
  label: string,
  suffix: string,
  near: PopularNeighbour,
  { words, isRiskySuffix, weights: { STEPS } }: Policy,
): boolean {
  const popular = labelOf(near)
  if (near.relation !== 'edit' || isWord(popular, words)) return false
  const shortest = isTrick(label, popular)
    ? STEPS.popularTrickFrom
    : near.rank <= STEPS.wellKnownRank
      ? STEPS.popularTypoFrom
      : STEPS.lessPopularTypoFrom
  // A plural is a word of its own; whoever reads from the left sees the first letter.
  const isPlural = `${popular}s` === label || `${label}s` === popular
  const isCheap = near.rank <= STEPS.wellKnownRank && isRiskySuffix(suffix)
  const isElsewhere = near.name !== `${popular}.${suffix}` && !isCheap
  return popular.length >= shortest && !isPlural && !isElsewhere && label[0] === popular[0]
}

/** Digits for letters, hyphens, letters swapped or doubled: made on purpose more often than met. */
function isTrick(label: string, popular: string): boolean {
  if (label.replaceAll('-', '') === popular || skeletonOf(label) === skeletonOf(popular)) return true
  if (label.length === popular.length) return [...label].sort().join('') === [...popular].sort().join('')
  return label.length > popular.length && label.replaceAll(/(.)\1/g, '$1') === popular.replaceAll(/(.)\1/g, '$1')
}
