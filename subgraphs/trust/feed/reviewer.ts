import type { Logger } from 'pino'
import { type PeriodicJob, runPeriodically } from '../../../platform/process/run-periodically.ts'
import type { Engine } from '../assessment/engine.ts'
import type { Sources } from '../assessment/sources.ts'
import {
  ASSESSMENT_AFTER_MS,
  assessmentOf,
  GIVEN_UP_AFTER_MS,
  MAX_LISTING_AGE_MS,
  type PendingListing,
  urlKeyIn,
} from './feed.ts'
import type { FeedRepository } from './repository.ts'

const INTERVAL_MS = 3_600_000
/** Listings that are read at once. */
const LISTINGS_PER_PAGE = 100
const DAY_MS = 86_400_000

/** Finds out what became of listings. */
type FeedReviewer = {
  /** Looks at all listings that are due, and deletes old ones. Rejects when the database fails. */
  readonly run: () => Promise<void>
  /** Runs by itself from now on. Every process may: looking twice does no harm. */
  readonly start: () => void
  readonly close: () => Promise<void>
}

export type FeedReviewerParts = {
  readonly feeds: FeedRepository
  readonly sources: Pick<Sources, 'listedNow'>
  readonly engine: Pick<Engine, 'normalise'>
  /** Age at which decisions are deleted, and listings with them; 0: never. */
  readonly retentionDays: number
  readonly log: Logger
  readonly now: () => Date
}

export function createFeedReviewer({ feeds, sources, engine, retentionDays, log, now }: FeedReviewerParts): FeedReviewer {
  const ended = new AbortController()
  let job: PeriodicJob | null = null

  return {
    run,
    start() {
      job ??= runPeriodically(INTERVAL_MS, run, (error) => log.warn({ err: error }, 'listings of feeds could not be looked at'))
    },
    async close() {
      ended.abort()
      await job?.stop()
    },
  }

  async function run(): Promise<void> {
    const at = now()
    const retention = retentionDays === 0 ? MAX_LISTING_AGE_MS : Math.min(MAX_LISTING_AGE_MS, retentionDays * DAY_MS)
    await feeds.deleteBefore(new Date(at.getTime() - retention))
    const before = new Date(at.getTime() - ASSESSMENT_AFTER_MS)
    let last: PendingListing | null = null
    while (!ended.signal.aborted) {
      const page: readonly PendingListing[] = await feeds.pending(before, LISTINGS_PER_PAGE, last)
      for (const listing of page) {
        if (ended.signal.aborted) return
        await review(listing, at)
      }
      last = page.at(-1) ?? null
      if (last === null || page.length < LISTINGS_PER_PAGE) return
    }
  }

  async function review(listing: PendingListing, at: Date): Promise<void> {
    const read = engine.normalise('domain', listing.host)
    const registrable = read.kind === 'invalid' ? null : read.target.name.registrable
    const listed = await sources.listedNow?.({ host: listing.host, registrable }, urlKeyIn(listing.subject))
    const assessment = listed ? assessmentOf(listing, listed) : null
    const isGivenUp = at.getTime() - listing.firstHitAt.getTime() >= GIVEN_UP_AFTER_MS
    if (assessment !== null || isGivenUp) await feeds.assess(listing, assessment ?? 'unconfirmed', at)
  }
}
