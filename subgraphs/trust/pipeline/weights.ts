import { SIGNALS } from './signals.ts'
import { MATRIX } from './stages.ts'

/**
 * All numbers of decisions, with reasons: points (`signals.ts`) 0 to 100, confidences in
 * hundredths, times in seconds unless a name says days. A change is a new policy version:
 * `policy.ts`.
 */

const DAY_SECONDS = 86_400

/** Steps and limits of observations. */
export const STEPS = {
  /** Ages in days and the observation that they make, oldest first. */
  olderThanDays: [
    [3650, 'age_10y'],
    [1825, 'age_5y'],
    [730, 'age_2y'],
    [365, 'age_1y'],
    [180, 'age_180d'],
  ],
  youngerThanDays: [
    [7, 'age_under_7d'],
    [30, 'age_under_30d'],
    [90, 'age_under_90d'],
  ],
  bestRankUpTo: [
    [1_000, 'rank_1k'],
    [10_000, 'rank_10k'],
    [100_000, 'rank_100k'],
    [1_000_000, 'rank_1m'],
  ],
  /** Ranks and days since the first certificate that count where the registry publishes no dates. */
  undatedRankUpTo: [
    [10_000, 'undated_rank_10k'],
    [100_000, 'undated_rank_100k'],
  ],
  undatedCertifiedDays: [
    [3650, 'undated_ct_10y'],
    [1825, 'undated_ct_5y'],
    [730, 'undated_ct_2y'],
  ],
  /** Best marks for hygiene without perfection in everything: 21 points can be had. */
  hygieneCap: 18,
  /** A name with two lures has 10 + 2 × 6 points; four make a third of the way to a threat. */
  perLureWord: 6,
  lureWordsFrom: 2,
  /** Longer lists of lures add nothing. */
  lureWordsAtMost: 5,
  /** A new owner shows within a month; only grown domains (a year) are worth hijacking. */
  transferredWithinDays: 30,
  transferOfDomainsFromDays: 365,
  /** A certificate that much older than the registration belongs to an earlier owner. */
  reregisteredAfterDays: 365,
  certifiedWithinDays: 3,
  certifiedDomainUnderDays: 30,
  ctFromDays: 730,
  /**
   * 8 addresses in 6 networks within 5 minutes: content networks answer with fewer addresses, from
   * one network.
   */
  fluxAddresses: 8,
  fluxNetworks: 6,
  fluxTtlSeconds: 300,
  lowTtlSeconds: 120,
  /** 14 letters and digits with hardly a vowel or many digits: no word of any language in ASCII. */
  randomLabelFrom: 14,
  randomVowelPercent: 20,
  randomDigitPercent: 25,
  /**
   * Shorter labels by the mean surprise of their pairs of letters, in tenths (`lists/letters.ts`):
   * 70 % of random letters reach it, and fewer than one of 5,000 words.
   */
  unreadableLabelFrom: 8,
  unreadableSurprise: 50,
  /** After a month without a sighting a hit is history. */
  freshHitSeconds: 30 * DAY_SECONDS,
  /** Feeds are refreshed hourly to daily: two days are a failure. */
  staleFeedSeconds: 2 * DAY_SECONDS,
  /** Hosts younger than this were made for their content. */
  youngHostDays: 90,
  /** Popular and that old: a resemblance to a brand is a coincidence. */
  coincidenceDays: 1825,
  /** Known to everybody: without a network nothing else tells such a name from any other. */
  wellKnownRank: 10_000,
  /** Labels of popular names that a slip counts of: shorter ones are one letter from other words. */
  popularTypoFrom: 7,
  lessPopularTypoFrom: 7,
  /**
   * The same of a changed letter, for names beyond the first 100,000: of seven letters these were 19
   * of 112 false alarms and 29 of 4,271 finds (`bench/look-alikes.ts`).
   */
  unpopularChangeFrom: 8,
  /** The same where the slip is one that is made on purpose. */
  popularTrickFrom: 6,
  /** Established: honest until several independent sources disagree; resemblance counts half. */
  establishedRank: 100_000,
  establishedDays: 3650,
  /**
   * Public logs of certificates began in March 2013: no earlier registration can have been logged.
   */
  ctLogsSince: 1_362_096_000,
  /** The age of a shared suffix is not its tenants’: below strong trust, above weak. */
  tenantTrustCap: 45,
  /** Registration, name and hosting all speak against it: more than their sum. */
  synergy: 10,
} as const

/** Where a score is medium and high; published. */
export const BANDS = { medium: 40, high: 70 } as const

/** Confidence, in hundredths. Published bands: low under 55, high from 80. */
export const CONFIDENCE = {
  /** What the name alone is worth, and what full coverage adds. */
  base: 35,
  perCoverage: 60,
  /** Share of coverage per source: what a decision can rest on; certificate logs only confirm. */
  coverage: { rdap: 25, dns: 20, tls: 20, ct: 0, feeds: 25, popularity: 10 },
  /** Of an address only feeds know. */
  coverageOfAddress: { rdap: 0, dns: 0, tls: 0, ct: 0, feeds: 100, popularity: 0 },
  /** Percent of its share that an answer counts when it is partial, or a definite no. */
  partial: 50,
  absent: 90,
  noTls: 80,
  /** Percent left when good and bad signs contradict each other. */
  conflict: 85,
  /** Percent left of a threat that one family, or none, supports. */
  oneFamily: 75,
  noFamily: 60,
  /** One fresh witness about the host; one against an established domain; two. */
  hostHit: 85,
  hostHitEstablished: 60,
  hostHits: 95,
  medium: 55,
  high: 80,
  /** Under this, too little is known to sort a target: about 40 percent coverage. */
  sparse: 60,
  structural: 99,
} as const

/** Best possible answers of missing sources: a denial must hold against them. */
export const BEST_CASE = { rdap: 40, dns: 18, tls: 14, ct: 5, feeds: 0, popularity: 35 } as const

/**
 * The same where the registry publishes no dates: the sources that replace its age may have had
 * more.
 */
export const BEST_CASE_UNDATED = { ...BEST_CASE, ct: 25, popularity: 50 } as const

/** Sums of kind, mode and sensitivity: published. */
export const INTERACTION = {
  kind: { navigate: 1, fetch: 1, enrich: 2, download_file: 3, submit_credentials: 4, initiate_payment: 5 },
  mode: { read_only: 0, transactional: 1, privileged: 2 },
  sensitivity: { low: 0, medium: 1, high: 2, critical: 3 },
  /** Sums from which the tiers medium, high and critical begin. */
  tiers: [3, 5, 7],
  /**
   * Steps of severity per tier. At a safe known target only the last counts: paying at one’s own
   * bank is not to be stopped.
   */
  shift: [0, 0, 1, 2],
  shiftSafeKnown: [0, 0, 0, 1],
} as const

/**
 * From which threat a mixed target, and from how many listed pages a site without strong trust, is
 * isolated.
 */
export const FLOORS = {
  mixedThreat: 55,
  compromisedHits: 2,
  /**
   * A domain is new for a week: most phishing names are used, reported and gone by then (APWG and
   * Interisle measure hours to days). Actions by profile, from open to critical.
   */
  newDomainDays: 7,
  newDomain: ['proceed_with_caution', 'sandbox', 'sandbox', 'escalate_to_human'],
  /** The same where credentials or money are sent: youth alone calls a person. */
  newDomainSecrets: ['sandbox', 'escalate_to_human', 'escalate_to_human', 'escalate_to_human'],
  /**
   * The same with a sign of another kind, such as no mail or a certificate of these days: the
   * pattern of 78 to 94 % of phishing names that kit evidence confirmed. It cannot be taken back.
   */
  newDomainDoubtful: ['escalate_to_human', 'deny', 'deny', 'deny'],
} as const

/**
 * For how long a decision holds, in seconds. The ceiling is that of Safe Browsing v5 for an empty
 * answer.
 */
export const VALIDITY = {
  A: 21_600,
  B: 3_600,
  C: 900,
  D: 1_800,
  E: 86_400,
  F: 7_200,
  structural: 86_400,
  /** Owners of short URLs may point them elsewhere at any time. */
  redirects: 900,
  youngUnderDays: 7,
  young: 3_600,
  criticalDivisor: 2,
  floor: 60,
  ceiling: 86_400,
} as const

/**
 * How strongly codes about the whole stand in the order of reasons: behind observations, except
 * where they alone made the difference.
 */
export const STRENGTH = { derived: 2, decisive: 60, override: 100, highlights: 8, primary: 4 } as const

export const WEIGHTS = {
  SIGNALS,
  STEPS,
  BANDS,
  CONFIDENCE,
  BEST_CASE,
  BEST_CASE_UNDATED,
  MATRIX,
  INTERACTION,
  FLOORS,
  VALIDITY,
  STRENGTH,
}
export type Weights = typeof WEIGHTS
