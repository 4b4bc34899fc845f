import type { Logger } from 'pino'
import type { FeedListing } from './feed.ts'
import type { CountedListing, FeedRepository } from './repository.ts'

/** Interval in which listings that were met are written. Milliseconds. */
const WRITE_LISTINGS_MS = 10_000
/** Listings that wait to be written; so many are written at once, and more are not counted while others are written. */
const MAX_PENDING_LISTINGS = 5_000

/** Counts what decisions of keys meet in threat feeds. */
export type FeedRecorder = {
  /** Counts the listings of one decision; written later. */
  readonly note: (listings: readonly FeedListing[]) => void
  /** Writes what was counted. */
  readonly flush: () => Promise<void>
}

export function createFeedRecorder({
  repository,
  log,
  now,
}: {
  readonly repository: Pick<FeedRepository, 'add'>
  readonly log: Logger
  readonly now: () => Date
}): FeedRecorder {
  let met = new Map<string, CountedListing>()
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> | null = null

  return {
    note(listings) {
      for (const listing of listings) {
        const key = `${listing.feed} ${listing.subject}`
        const before = met.get(key)
        if (!before && met.size >= MAX_PENDING_LISTINGS) continue
        const isAgreed = listing.isAgreed || before?.isAgreed === true
        met.set(key, { ...listing, isAgreed, hits: (before?.hits ?? 0) + 1 })
      }
      schedule()
    },
    async flush() {
      while (writing || met.size > 0) {
        write()
        await writing
      }
    },
  }

  function schedule(): void {
    if (met.size >= MAX_PENDING_LISTINGS) write()
    else if (met.size > 0) timer ??= setTimeout(write, WRITE_LISTINGS_MS).unref()
  }

  /** One at a time: what a slow database has not taken must not pile up. */
  function write(): void {
    if (timer) clearTimeout(timer)
    timer = null
    if (writing || met.size === 0) return
    const counted = [...met.values()]
    met = new Map()
    writing = repository
      .add(counted, now())
      .catch((error: unknown) => log.warn({ err: error }, 'hits of feeds could not be counted'))
      .then(() => {
        writing = null
        schedule()
      })
  }
}
