import { boundedCache } from '../../platform/collections/bounded-cache.ts'
import { type RetentionParts, retention } from './decision/retention.ts'
import { createDecisionJobWorker, type WorkerParts } from './decision-job/worker.ts'
import { createFeedReviewer, type FeedReviewerParts } from './feed/reviewer.ts'
import { createWatcher, type WatcherParts } from './watched-domain/watcher.ts'

/** What happens without a request. Every process may: they share the work. */
export type BackgroundJobs = {
  /** Deletes decisions, jobs and changes of verdicts beyond their retention. */
  readonly deleteOld: () => Promise<void>
  /** Finds out what became of listings of threat feeds. */
  readonly reviewFeeds: () => Promise<void>
  /** Assesses watched domains that are due, and sends their changes. */
  readonly checkWatched: () => Promise<void>
  /** Decides targets of jobs until none is due. */
  readonly runJobs: () => Promise<void>
  /** From now on all of these happen by themselves when they are due. */
  readonly start: () => void
  readonly close: () => Promise<void>
}

type Parts = WatcherParts &
  Omit<WorkerParts, 'requestCache' | 'judgementCache'> &
  Omit<RetentionParts, 'watcher' | 'jobWorker' | 'days'> &
  FeedReviewerParts

export function createBackgroundJobs(parts: Parts): BackgroundJobs {
  const watcher = createWatcher(parts)
  const feedReviewer = createFeedReviewer(parts)
  const jobWorker = createDecisionJobWorker({
    ...parts,
    // Caches of its own: a job of 10,000 targets would evict what requests need.
    requestCache: boundedCache({ maxEntries: 100, maxCharacters: 100_000 }),
    judgementCache: boundedCache({ maxEntries: 100, maxCharacters: 1_000_000 }),
  })
  const retentionJob = retention({ ...parts, watcher, jobWorker, days: parts.retentionDays })
  return {
    deleteOld: retentionJob.run,
    reviewFeeds: feedReviewer.run,
    checkWatched: watcher.run,
    runJobs: jobWorker.run,
    start() {
      retentionJob.start()
      feedReviewer.start()
      watcher.start()
      jobWorker.start()
    },
    async close() {
      await feedReviewer.close()
      await watcher.close()
      await jobWorker.close()
      await retentionJob.close()
    },
  }
}
