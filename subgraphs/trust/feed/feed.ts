import { parseIndicator } from '../collectors/indicator.ts'
import type { FeedHit, ListedNow, Snapshot } from '../evidence.ts'
import type { Target } from '../pipeline/normalise.ts'

/** What a threat feed lists of a target that a decision is about. */
export type FeedListing = {
  readonly feed: string
  /** `host NAME`, `domain NAME` or `url HASH`: the name as it is listed, which may be above that of the target. */
  readonly subject: string
  /** Host of the target. */
  readonly host: string
  /** A feed of another lineage lists the same. */
  readonly isAgreed: boolean
}

/** What became of a listing; null: not known yet. Meanings: `FeedAssessments` of the schema. */
export type FeedAssessment =
  | 'confirmed_by_report'
  | 'confirmed_by_feed'
  | 'refuted_by_report'
  | 'refuted_by_removal'
  | 'expired'
  | 'unconfirmed'

/** A listing without an assessment that is old enough to have one. */
export type PendingListing = {
  readonly feed: string
  readonly subject: string
  readonly host: string
  readonly firstHitAt: Date
}

/** Listings by assessment. */
export type FeedAssessmentCounts = {
  readonly listings: number
  readonly confirmedByReport: number
  readonly confirmedByFeed: number
  readonly refutedByReport: number
  readonly refutedByRemoval: number
  readonly expired: number
  readonly unconfirmed: number
  readonly pending: number
}

/** Of one feed. */
export type FeedFigures = {
  readonly feed: string
  readonly hits: number
  readonly lastHitAt: Date | null
  readonly assessments: FeedAssessmentCounts
}

const DAY_MS = 86_400_000
/** Phishing is listed by several feeds within days, and corrections come within a week. */
export const ASSESSMENT_AFTER_MS = 7 * DAY_MS
/** Lists that cannot be read for so long say nothing of a listing any more. */
export const GIVEN_UP_AFTER_MS = 30 * DAY_MS
export const MAX_LISTING_AGE_MS = 180 * DAY_MS
/** A sample of all that were met: enough for a share that is exact to three percent. */
export const MAX_LISTINGS_PER_FEED = 1_000
/** Feeds whose figures are shown. */
export const MAX_SHOWN_FEEDS = 100

export const NO_ASSESSMENTS: FeedAssessmentCounts = {
  listings: 0,
  confirmedByReport: 0,
  confirmedByFeed: 0,
  refutedByReport: 0,
  refutedByRemoval: 0,
  expired: 0,
  unconfirmed: 0,
  pending: 0,
}

/**
 * What feeds list of a target, one listing for each feed: the URL itself, else the host, the domain,
 * or another URL of the host. None of what a feed calls offline, nor of URLs of older evidence,
 * which have no hash.
 */
export function listingsOf(
  target: Pick<Target, 'host' | 'name' | 'url'>,
  { sources: { feeds } }: Snapshot,
): readonly FeedListing[] {
  if (feeds.status !== 'ok' || feeds.facts.hits.length === 0) return []
  const isExact = ({ urlKey }: FeedHit) => urlKey !== undefined && target.url?.keys.includes(urlKey) === true
  const order = (hit: FeedHit) => (isExact(hit) ? 0 : hit.scope === 'host' ? 1 : hit.scope === 'domain' ? 2 : 3)
  const hits = feeds.facts.hits.filter(({ state }) => state !== 'offline').toSorted((a, b) => order(a) - order(b))
  return [...Map.groupBy(hits, ({ feed }) => feed).values()].flatMap(([hit]) => {
    const subject = hit ? subjectOf(hit, target) : null
    if (!hit || subject === null) return []
    return [{ feed: hit.feed, subject, host: target.host, isAgreed: isListedByOthers(subject, hit.lineage, hits) }]
  })
}

/** A block list over DNS does not say which name it lists: the domain of the target. */
function subjectOf({ scope, urlKey, indicator }: FeedHit, { host, name }: Pick<Target, 'host' | 'name'>): string | null {
  if (scope === 'url') return urlKey === undefined ? null : `url ${urlKey}`
  // A listed domain is met at any number of hosts below it, and is one listing.
  const listed = parseIndicator(indicator)?.key
  return scope === 'host' ? `host ${listed ?? host}` : `domain ${listed ?? name.tenant ?? name.registrable ?? host}`
}

/** Whether a listing covers a target; otherwise it is another page of the same host. */
export function coversTarget({ subject }: Pick<FeedListing, 'subject'>, { url }: Pick<Target, 'url'>): boolean {
  const key = urlKeyIn(subject)
  return key === null || url?.keys.includes(key) === true
}

/** Hash of the URL that a subject is; null for hosts and domains. */
export const urlKeyIn = (subject: string): string | null => (subject.startsWith('url ') ? subject.slice(4) : null)

/** Whether a feed of another lineage lists the subject, or the whole host of a URL. */
function isListedByOthers(subject: string, lineage: string, hits: readonly FeedHit[]): boolean {
  const key = urlKeyIn(subject)
  return hits.some(
    (hit) =>
      hit.lineage !== lineage &&
      hit.state !== 'offline' &&
      (hit.scope === 'url' ? key !== null && hit.urlKey === key : !hit.abusedLegitimate),
  )
}

/**
 * What became of a listing after `ASSESSMENT_AFTER_MS`; null while its feed has no copy of these days.
 */
export function assessmentOf({ feed, subject }: Pick<PendingListing, 'feed' | 'subject'>, now: ListedNow): FeedAssessment | null {
  const key = urlKeyIn(subject)
  // A feed that lists the whole host by now has not removed a page of it.
  const own = now.hits.find((hit) => hit.feed === feed && (hit.scope !== 'url' || (key !== null && hit.urlKey === key)))
  const copy = now.feeds.find(({ name }) => name === feed)
  if (isListedByOthers(subject, copy?.lineage ?? own?.lineage ?? feed, now.hits)) return 'confirmed_by_feed'
  if (own) return 'unconfirmed'
  if (!copy?.isFresh) return null
  return copy.keepsEntries ? 'refuted_by_removal' : 'expired'
}

/** Share of the confirmed; null without any that are confirmed or refuted. */
export function precisionOf(counts: FeedAssessmentCounts): number | null {
  const confirmed = counts.confirmedByReport + counts.confirmedByFeed
  const all = confirmed + counts.refutedByReport + counts.refutedByRemoval
  return all === 0 ? null : confirmed / all
}

/** What an answered report says of the listings of its target; null: nothing. */
export function assessmentOfReport(kind: 'false_positive' | 'false_negative', isAccepted: boolean): FeedAssessment | null {
  if (kind === 'false_positive') return isAccepted ? 'refuted_by_report' : 'confirmed_by_report'
  return isAccepted ? 'confirmed_by_report' : null
}
