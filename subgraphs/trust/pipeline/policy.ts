import { withinAny } from '../../../platform/outbound/address-policy.ts'
import { type BrandIndex, brandIndexSteps } from './brand.ts'
import type { LureWords } from './look-alike.ts'
import { FROZEN_VERSIONS, frozenTables } from './policies/frozen.ts'
import { type Lists, type PolicyTables, TABLES, versionOf } from './tables.ts'
import type { Weights } from './weights.ts'

/** Tables made ready for questions. */
export type Policy = {
  readonly version: string
  readonly engine: number
  readonly weights: Weights
  readonly brands: BrandIndex
  readonly words: LureWords
  readonly isPlatform: (host: string) => boolean
  /** A host with nothing but pages of its users; none before engine 5. */
  readonly isUserPages: (host: string) => boolean
  readonly isParking: (server: string) => boolean
  readonly isParkingAddress: (address: string) => boolean
  readonly isSinkhole: (server: string) => boolean
  readonly isSinkholeAddress: (address: string) => boolean
  /** A host that forwards to other people's URLs; none before engine 3, as the three above. */
  readonly isRedirector: (host: string) => boolean
  /** Surprise of pairs of letters, a row per first letter; empty before engine 3. */
  readonly letters: readonly string[]
  readonly isRiskySuffix: (suffix: string) => boolean
}

/** The policy version of this release. */
export const CURRENT_POLICY = versionOf(TABLES)

/** Whether a host forwards to other people's URLs, by the tables of this release: it costs no preparation. */
export const isRedirectorHost: (host: string) => boolean = underAny(TABLES.lists.redirectors ?? [])

const prepared = new Map<string, Policy>()

/** Versions that `policyOf` can load, in no order. */
export const policyVersions = (): readonly string[] => [...new Set([...FROZEN_VERSIONS, CURRENT_POLICY])]

/** The tables of a version, made ready once. Null for versions that this release does not have. */
export function policyOf(version: string): Policy | null {
  const made = prepared.get(version)
  if (made) return made
  const steps = policySteps(version)
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}

/** The same in steps of a millisecond or less: together they take some 20 ms, for the brands. */
export function* policySteps(version: string): Generator<void, Policy | null> {
  const made = prepared.get(version)
  if (made) return made
  const tables = version === CURRENT_POLICY ? TABLES : frozenTables(version)
  if (!tables) return null
  const policy = yield* prepare(version, tables)
  prepared.set(version, policy)
  return policy
}

function* prepare(version: string, { engine, weights, lists }: PolicyTables): Generator<void, Policy> {
  const suffixes = new Set(lists.riskySuffixes)
  return {
    version,
    engine,
    weights,
    brands: yield* brandIndexSteps(lists.brands, engine),
    words: wordsOf(lists, engine),
    isPlatform: underAny(lists.platforms),
    isUserPages: underAny(lists.userPages ?? []),
    isParking: underAny(lists.parkingServers),
    isParkingAddress: withinAny(lists.parkingNetworks ?? []),
    isSinkhole: underAny(lists.sinkholeServers ?? []),
    isSinkholeAddress: withinAny(lists.sinkholeNetworks ?? []),
    isRedirector: underAny(lists.redirectors ?? []),
    letters: lists.letters ?? [],
    isRiskySuffix: (suffix) => suffixes.has(suffix),
  }
}

const wordsOf = ({ lures, business, everyday, protectedSuffixes }: Lists, engine: number): LureWords => ({
  lures: new Set(lures),
  business: new Set(business),
  everyday: new Set(everyday),
  protectedSuffixes: new Set(protectedSuffixes),
  engine,
})

/**
 * Whether a name is one of `domains` or below one, at label boundaries: `netflix.com` is not below
 * `x.com`.
 */
function underAny(domains: readonly string[]): (name: string) => boolean {
  const set = new Set(domains)
  return (name) => {
    for (let rest = name; ; rest = rest.slice(rest.indexOf('.') + 1)) {
      if (set.has(rest)) return true
      if (!rest.includes('.')) return false
    }
  }
}
