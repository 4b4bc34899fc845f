import { fromKysely, type JobWithMetadata } from 'pg-boss'
import { HEARTBEAT_SECONDS, type JobQueues, notifyBusyWorkers } from '../job-queue.ts'
import type { UnitOfWork } from '../write.ts'

/** A delivery that is to be begun by the job with this id. */
export type DeliveryJob = {
  readonly jobId: string
  readonly storeId: number
  readonly deliveryId: number
  /** Null: at once. */
  readonly dueAt: Date | null
}

/**
 * A run of a job: the same job runs again when the process that ran it has died, or failed itself.
 */
export type JobRun = { readonly jobId: string; readonly run: number; readonly storeId: number; readonly deliveryId: number }

/** Schedule of deliveries. */
export type DeliveryJobs = {
  /** In the transaction: they begin if and only if it commits. */
  readonly add: (query: UnitOfWork['query'], jobs: readonly DeliveryJob[]) => Promise<void>
  /**
   * Runs jobs in this process until the returned function is called, which resolves when the last
   * has ended. What rejects runs again.
   */
  readonly work: (run: (job: JobRun) => Promise<void>) => Promise<() => Promise<void>>
}

const QUEUE = 'webhook-delivery'
/** One attempt takes 15 seconds at most, and making its body 10. Seconds. */
const EXPIRE_SECONDS = 60
/**
 * When our own database fails a job: again after a second, and later and later up to a minute;
 * never given up.
 */
const AGAIN = { retryLimit: 1_000_000, retryDelay: 1, retryBackoff: true, retryDelayMax: 60 }
/** A waiting job is kept as long as its delivery; a finished one is deleted at once. Seconds. */
const RETENTION = { retentionSeconds: 31 * 24 * 60 * 60, deleteAfterSeconds: 600 }
/**
 * Deliveries at once in a process, and of one store: a slow receiver must not take the places of
 * others.
 */
const AT_ONCE = { localConcurrency: 12, localGroupConcurrency: 4 }
/** Jobs that are written in one statement. */
const BATCH_JOBS = 1_000

/** The queue of deliveries. Rejects when it cannot be made. */
export async function deliveryJobs({ boss }: JobQueues): Promise<DeliveryJobs> {
  await boss.createQueue(QUEUE, {
    notify: true,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    expireInSeconds: EXPIRE_SECONDS,
    ...AGAIN,
    ...RETENTION,
  })

  return {
    async add(query, jobs) {
      const db = fromKysely(query)
      for (let at = 0; at < jobs.length; at += BATCH_JOBS) {
        const part = jobs.slice(at, at + BATCH_JOBS).map(({ jobId, storeId, deliveryId, dueAt }) => ({
          id: jobId,
          data: { storeId, deliveryId },
          group: { id: String(storeId) },
          ...(dueAt && { startAfter: dueAt }),
        }))
        await boss.insert(QUEUE, part, { db })
      }
    },
    async work(run) {
      const options = { ...AT_ONCE, includeMetadata: true, pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 5 } as const
      await boss.work(QUEUE, options, async ([job]: JobWithMetadata<Pick<JobRun, 'storeId' | 'deliveryId'>>[]) => {
        try {
          if (job) await run({ ...job.data, jobId: job.id, run: job.retryCount })
        } finally {
          notifyBusyWorkers(boss, QUEUE)
        }
      })
      return () => boss.offWork(QUEUE, { wait: true })
    },
  }
}
