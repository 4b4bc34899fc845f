import type { Logger } from 'pino'
import { type PeriodicJob, runPeriodically } from '../../../platform/process/run-periodically.ts'
import type { WebhookDeliveryRepository } from './repository.ts'

/**
 * Interval between deletions of old deliveries, and their age, whatever their state. Milliseconds.
 */
const INTERVAL_MS = 3_600_000
const MAX_AGE_MS = 30 * 24 * 3_600_000
/** Few enough to delay no request. */
const BATCH_ROWS = 1_000

/** Deletes deliveries that are too old to be of use, until it is stopped. */
export const purgeDeliveries = (
  deliveries: WebhookDeliveryRepository,
  { log, now }: { readonly log: Logger; readonly now: () => Date },
): PeriodicJob =>
  runPeriodically(
    INTERVAL_MS,
    async (signal) => {
      const before = new Date(now().getTime() - MAX_AGE_MS)
      while (!signal.aborted && (await deliveries.deleteFinishedBefore(before, BATCH_ROWS)) === BATCH_ROWS);
    },
    (error) => log.warn({ err: error }, 'old webhook deliveries could not be deleted'),
  )
