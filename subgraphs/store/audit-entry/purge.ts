import type { Logger } from 'pino'
import { type PeriodicJob, runPeriodically } from '../../../platform/process/run-periodically.ts'
import type { AuditEntryRepository } from './repository.ts'

/** Between deletions of old entries. Milliseconds. */
const INTERVAL_MS = 3_600_000
const DAY_MS = 86_400_000
/** Few enough to delay no request. */
const BATCH_ROWS = 1_000

/** Deletes entries of audit logs that are older than `days`, in batches, until it is stopped. */
export const purgeAuditEntries = (
  entries: Pick<AuditEntryRepository, 'deleteBefore'>,
  { days, log, now }: { readonly days: number; readonly log: Logger; readonly now: () => Date },
): PeriodicJob =>
  runPeriodically(
    INTERVAL_MS,
    async (signal) => {
      const before = new Date(now().getTime() - days * DAY_MS)
      while (!signal.aborted && (await entries.deleteBefore(before, BATCH_ROWS)) === BATCH_ROWS);
    },
    (error) => log.warn({ err: error }, 'old entries of audit logs could not be deleted'),
  )
