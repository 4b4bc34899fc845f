import type { Assumption } from './assumption.ts'
import type { Observation } from './observation.ts'
import type { Features } from './observe.ts'
import type { Policy } from './policy.ts'
import type { Family, SignalId } from './signals.ts'

/** Points of one observation on each score, after halving and counting: the line of an audit. */
export type Points = {
  readonly signal: SignalId
  readonly trust: number
  readonly threat: number
  readonly deviation: number
  readonly detail: string | null
}

export type Scores = {
  readonly trust: number
  readonly threat: number
  /** Threat without the hits of feeds. */
  readonly threatBesideFeeds: number
  readonly deviation: number
  readonly points: readonly Points[]
  /** Independent kinds of evidence with points against the target, in alphabetical order. */
  readonly families: readonly Family[]
  /** Those of them with points of threat. */
  readonly threatFamilies: readonly Family[]
  readonly isEstablished: boolean
}

const HYGIENE: ReadonlySet<SignalId> = new Set([
  'has_address',
  'two_servers',
  'has_mail',
  'has_spf',
  'dmarc_enforced',
  'has_caa',
  'dnssec_secure',
])
/** Signals with half the weight for an established domain. */
const RESEMBLANCE: ReadonlySet<SignalId> = new Set([
  'homograph',
  'skeleton',
  'typo',
  'brand-with-lure',
  'foreign-suffix',
  'domain-inside',
  'brand-with-word',
  'brand-above',
  'popular-typo',
  'less-popular-typo',
  'popular-inside',
  'popular-with-lure',
  'name-with-lure',
])

const clamp = (score: number): number => Math.max(0, Math.min(100, score))
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/**
 * Stage 4: three scores of 0 to 100 from the observations. Sums of whole numbers, so their order
 * does not matter.
 */
export function scoresOf(features: Features, policy: Policy, assumption: Assumption): Scores {
  const { STEPS, SIGNALS } = policy.weights
  const established = isEstablished(features, policy, assumption)
  const points = features.observations.map((observation) => pointsOf(observation, established, policy))
  const by = (score: 'threat' | 'deviation'): Family[] =>
    [...new Set(points.filter((point) => point[score] > 0).map(({ signal }): Family => SIGNALS[signal].family))]
      .filter((family) => family !== 'none')
      .sort()
  const threatFamilies = by('threat')
  const families = [...new Set([...threatFamilies, ...by('deviation')])].sort()

  const hygiene = sum(points.filter(({ signal }) => HYGIENE.has(signal)).map(({ trust }) => trust))
  const earned = sum(points.filter(({ signal }) => !HYGIENE.has(signal)).map(({ trust }) => trust))
  const { BEST_CASE, BEST_CASE_UNDATED } = policy.weights
  const bestCase = features.isRegistryUndated ? BEST_CASE_UNDATED : BEST_CASE
  const supposed = assumption === 'best' ? sum([...features.unknown].map((source) => bestCase[source])) : 0
  const trust = clamp(earned + Math.min(hygiene, STEPS.hygieneCap) + supposed)
  const has = (family: Family) => threatFamilies.includes(family)
  const synergy = has('registration') && has('name') && (has('tls') || has('feed')) ? STEPS.synergy : 0
  return {
    trust: features.isTenant ? Math.min(trust, STEPS.tenantTrustCap) : trust,
    threat: clamp(sum(points.map(({ threat }) => threat)) + synergy),
    threatBesideFeeds: clamp(
      sum(points.map(({ signal, threat }) => (SIGNALS[signal].family === 'feed' ? 0 : threat))) + (has('tls') ? synergy : 0),
    ),
    deviation: clamp(sum(points.map(({ deviation }) => deviation))),
    points,
    families,
    threatFamilies,
    isEstablished: established,
  }
}

function pointsOf({ signal, times, detail }: Observation, established: boolean, { weights: { SIGNALS, STEPS } }: Policy): Points {
  const { trust, threat, deviation } = SIGNALS[signal]
  const halve = (points: number) => (established && RESEMBLANCE.has(signal) ? Math.floor(points / 2) : points)
  const counted = signal === 'lure_words' ? STEPS.perLureWord * (times ?? 0) : 0
  return { signal, trust, threat: halve(threat) + counted, deviation: halve(deviation), detail: detail ?? null }
}

/** Old or popular, and no tenant: honest until several independent sources disagree. */
function isEstablished(
  { isTenant, rank, ageDays, unknown }: Features,
  { weights: { STEPS } }: Policy,
  assumption: Assumption,
): boolean {
  if (isTenant) return false
  if (assumption === 'best' && (unknown.has('rdap') || unknown.has('popularity'))) return true
  return (rank !== null && rank <= STEPS.establishedRank) || (ageDays !== null && ageDays >= STEPS.establishedDays)
}
