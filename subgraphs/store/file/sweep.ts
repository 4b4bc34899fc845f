import type { Logger } from 'pino'
import { type PeriodicJob, runPeriodically } from '../../../platform/process/run-periodically.ts'
import type { Files } from './files.ts'
import type { FileRepository } from './repository.ts'

/**
 * Interval between deletions of unreferenced files, and their minimum age: a change refers to its
 * file within seconds. Milliseconds.
 */
const INTERVAL_MS = 600_000
const MIN_AGE_MS = 3_600_000

/** Removes what deleted products and killed processes left behind, until it is stopped. */
export const sweepFiles = (
  { files, repository }: { readonly files: Files; readonly repository: FileRepository },
  { log, now }: { readonly log: Logger; readonly now: () => Date },
): PeriodicJob =>
  runPeriodically(
    INTERVAL_MS,
    async (signal) => {
      const before = new Date(now().getTime() - MIN_AGE_MS)
      while (!signal.aborted && (await repository.sweep({ before }, files.delete)) > 0);
    },
    (error) => log.warn({ err: error }, 'files that nothing refers to could not be removed'),
  )
