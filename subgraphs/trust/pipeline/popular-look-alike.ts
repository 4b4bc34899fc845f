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
  const {
    engine,
    words,
    weights: { STEPS },
  } = policy
  if (engine < 4 || popularity.status !== 'ok' || popularity.facts.ranks.length > 0) return null
  const { registrable, suffix, shared } = target.name
  if (target.kind !== 'name' || registrable === null || suffix === null || shared || isProtectedSuffix(suffix, words)) return null
  const label = registrable.slice(0, -suffix.length - 1)
  if (isWord(label, words)) return null
  const above = target.folded.split('.').slice(0, -suffix.split('.').length - 1)
  const inside = domainInside(above, label) ?? (engine >= 6 ? luredDomainInside(above, label, policy) : null)
  if (inside !== null) return { kind: 'popular-inside', brand: inside }
  const near = popularity.facts.neighbours ?? []
  const isPopular = ({ rank }: PopularNeighbour) => engine < 6 || rank <= STEPS.establishedRank
  const lured = near.find((each) => isLured(each, words))
  if (lured) return { kind: isPopular(lured) ? 'popular-with-lure' : 'name-with-lure', brand: lured.name }
  const owner = (engine >= 6 ? ownerOfLures(label, words) : null) ?? (engine >= 7 ? ownerBehindLure(label, words) : null)
  if (owner !== null) return { kind: 'name-with-lure', brand: owner }
  const edited = near.find((each) => isEdited(label, suffix, each, policy))
  return edited ? { kind: isPopular(edited) ? 'popular-typo' : 'less-popular-typo', brand: edited.name } : null
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

/**
 * `canva.de-login.top`, `canva.app.account-check.xyz`: the same under other suffixes, which are words
 * and names of hosts as well. They count where the real domain has nothing but lures.
 */
function luredDomainInside(above: readonly string[], label: string, { words, isRiskySuffix }: Policy): string | null {
  const isSuffix = (text: string) => COUNTRY.test(text) || OTHER_SUFFIXES.has(text) || isRiskySuffix(text)
  const [begin = '', ...others] = label.split('-')
  const last = above.at(-1) ?? ''
  if (isSuffix(begin) && isNamed(last) && areLures(others, words)) return `${last}.${begin}`
  const before = above.at(-2) ?? ''
  return isSuffix(last) && isNamed(before) && areLures([begin, ...others], words) ? `${before}.${last}` : null
}

const COUNTRY = /^[a-z]{2}$/
/** Suffixes of more than two letters that sites have most, beside those that are abused most. */
const OTHER_SUFFIXES: ReadonlySet<string> = new Set(
  (
    'academy agency app art asia bank bet bid biz blog cat chat city cloud club company cool design dev digital earth edu email eus events expert ' +
    'fans finance fun fyi games global gov group guru health info ink int jobs land life lol ltd media mobi network news ninja nrw one online page ' +
    'party photo plus porn press pro pub rocks sale school sex shop site social software solutions space sport store studio systems team tech tips ' +
    'tools travel tube video wiki world wtf xxx zone'
  ).split(' '),
)

/** The only other word of `acme-secure-login`, which tells whose passwords it asks for; null for other labels. */
function ownerOfLures(label: string, words: LureWords): string | null {
  const parts = label.split('-')
  const [owner, ...others] = parts.filter((part) => !isLureText(part, words) && !NUMBER.test(part))
  if (owner === undefined || others.length > 0 || owner.length < MIN_OWNER_LENGTH || isWord(owner, words)) return null
  return parts.some((part) => words.lures.has(part)) ? owner : null
}

/**
 * What stands behind a lure without a hyphen (`passwordacme`, `iniciarsesionacme`); null for other
 * labels. Of the 75,076 popular names 40 are made so. Lures at the end (`acmesupport`) are the
 * owner's own as often.
 */
function ownerBehindLure(label: string, words: LureWords): string | null {
  if (label.includes('-')) return null
  let found: string | null = null
  for (let cut = MIN_GLUED_LURE; cut <= label.length - MIN_GLUED_OWNER; cut++) {
    const [lure, owner] = [label.slice(0, cut), label.slice(cut)]
    if (!words.lures.has(lure) || BEGINNINGS.has(lure)) continue
    // `payment` and `services`, not `payments` and `ervices`.
    if (isWord(owner, words) || isLureText(owner, words)) return null
    found ??= owner
  }
  return found
}

const MIN_GLUED_LURE = 5
const MIN_GLUED_OWNER = 6
/** Beginnings of other words as well: `contabilidad`, `connecticut`. */
const BEGINNINGS: ReadonlySet<string> = new Set(['conta', 'connect'])

const NUMBER = /^\d*$/
/** Shorter ones are words beside words: `sso-kit`. */
const MIN_OWNER_LENGTH = 5

/** Words that ask for credentials or sound like a department, and one of the former at least. */
const areLures = (parts: readonly string[], words: LureWords): boolean =>
  parts.some((part) => words.lures.has(part)) && parts.every((part) => isLureText(part, words) || NUMBER.test(part))

/** Nobody has a reason to call a host of its own after one of these. */
const GENERIC_SUFFIXES: ReadonlySet<string> = new Set(['com', 'net', 'org'])
const isNamed = (label: string): boolean => label.length >= 3 && label !== 'www'

const isWord = (label: string, { everyday, business, lures }: LureWords): boolean =>
  everyday.has(label) || business.has(label) || lures.has(label)

const labelOf = ({ name }: PopularNeighbour): string => name.slice(0, name.indexOf('.'))

/** `canva-login`, `strava-account-verify`: the name and nothing but lures. */
function isLured(near: PopularNeighbour, words: LureWords): boolean {
  if (near.relation !== 'contains' || isWord(labelOf(near), words)) return false
  return areLures(near.rest.split('-'), words)
}

/** One letter differs, in a name that is too long to be met by chance. */
function isEdited(label: string, suffix: string, near: PopularNeighbour, policy: Policy): boolean {
  const {
    engine,
    words,
    isRiskySuffix,
    weights: { STEPS },
  } = policy
  const popular = labelOf(near)
  if (near.relation !== 'edit' || isWord(popular, words)) return false
  // A plural is a word of its own; whoever reads from the left sees the first letter.
  const isPlural = `${popular}s` === label || `${label}s` === popular
  const isCheap = near.rank <= STEPS.wellKnownRank && isRiskySuffix(suffix)
  const isElsewhere = near.name !== `${popular}.${suffix}` && !isCheap
  // Numbers tell sites of one kind apart (`bet365`, `bet366`), unless they stand for letters.
  if (engine >= 6 && !hasSameDigits(label, popular) && skeletonOf(label) !== skeletonOf(popular)) return false
  return (
    popular.length >= shortestImitated(label, popular, near.rank, policy) && !isPlural && !isElsewhere && label[0] === popular[0]
  )
}

/** Letters that a popular label has at least for a slip of it to count. */
function shortestImitated(label: string, popular: string, rank: number, { engine, weights: { STEPS } }: Policy): number {
  if (isTrick(label, popular)) return STEPS.popularTrickFrom
  if (rank <= STEPS.wellKnownRank) return STEPS.popularTypoFrom
  const isChange = label.length === popular.length
  return engine >= 8 && isChange && rank > STEPS.establishedRank ? STEPS.unpopularChangeFrom : STEPS.lessPopularTypoFrom
}

const hasSameDigits = (a: string, b: string): boolean => a.replaceAll(/\D/g, '') === b.replaceAll(/\D/g, '')

/** Digits for letters, hyphens, letters swapped or doubled: made on purpose more often than met. */
function isTrick(label: string, popular: string): boolean {
  if (label.replaceAll('-', '') === popular || skeletonOf(label) === skeletonOf(popular)) return true
  if (label.length === popular.length) return [...label].sort().join('') === [...popular].sort().join('')
  return label.length > popular.length && label.replaceAll(/(.)\1/g, '$1') === popular.replaceAll(/(.)\1/g, '$1')
}
