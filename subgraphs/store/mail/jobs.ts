import { fromKysely, type JobWithMetadata } from 'pg-boss'
import { HEARTBEAT_SECONDS, type JobQueues, notifyBusyWorkers } from '../job-queue.ts'
import type { UnitOfWork } from '../write.ts'

/** What is written to a person. */
export type MailKind =
  | 'order-confirmation'
  | 'customer-link'
  | 'customer-password'
  | 'staff-invitation'
  | 'low-stock'
  | ReturnMailKind
/** What the customer who requested a return gets. */
export type ReturnMailKind = 'return-requested' | 'return-approved' | 'return-declined' | 'return-refunded' | 'return-exchanged'

/**
 * An e-mail that is to be sent. It names a row and no person: the message is made when it is sent,
 * so that nothing personal and no secret waits in the queue.
 */
export type MailRequest = {
  readonly kind: MailKind
  readonly subjectId: number
  /** Member of the staff that gets it, where several people get one; absent: the owner. */
  readonly staffMemberId?: number
}

/** A run of the job of an e-mail. */
export type MailRun = MailRequest & {
  readonly jobId: string
  readonly storeId: number
  readonly requestedAt: Date
  /** Whether it is not tried again when this run fails. */
  readonly isLast: boolean
}

/** Schedule of e-mails. */
export type MailJobs = {
  /** In the transaction: it is sent if and only if that commits. */
  readonly add: (unit: Pick<UnitOfWork, 'query' | 'storeId' | 'now'>, request: MailRequest) => Promise<void>
  /**
   * Runs jobs in this process until the returned function is called, which resolves when the last
   * has ended. What rejects runs again.
   */
  readonly work: (run: (job: MailRun) => Promise<void>) => Promise<() => Promise<void>>
}

const QUEUE = 'mail'
/** Longer than an attempt may take. Seconds. */
const EXPIRE_SECONDS = 120
/**
 * Again after half a minute, then after twice as long each time, up to four hours: 16 attempts
 * within a bit more than a day. RFC 5321 §4.5.4.1 gives up after 4 to 5 days; who bought something
 * looks for another way before. Seconds.
 */
const AGAIN = { retryLimit: 15, retryDelay: 30, retryBackoff: true, retryDelayMax: 4 * 3_600 }
/** Older than any attempt; a finished job is deleted soon. Seconds. */
const RETENTION = { retentionSeconds: 2 * 24 * 3_600, deleteAfterSeconds: 600 }
/** E-mails at once in a process, and of one store. */
const AT_ONCE = { localConcurrency: 4, localGroupConcurrency: 2 }

type JobData = MailRequest & { readonly storeId: number; readonly requestedAt: string }

/** The queue of e-mails. Rejects when it cannot be made. */
export async function mailJobs({ boss }: JobQueues): Promise<MailJobs> {
  await boss.createQueue(QUEUE, {
    notify: true,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    expireInSeconds: EXPIRE_SECONDS,
    ...AGAIN,
    ...RETENTION,
  })

  return {
    async add({ query, storeId, now }, request) {
      const data: JobData = { ...request, storeId, requestedAt: now.toISOString() }
      await boss.insert(QUEUE, [{ data, group: { id: String(storeId) } }], { db: fromKysely(query) })
    },
    async work(run) {
      const options = { ...AT_ONCE, includeMetadata: true, pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 5 } as const
      await boss.work(QUEUE, options, async ([job]: JobWithMetadata<JobData>[]) => {
        try {
          if (!job) return
          const { requestedAt, ...data } = job.data
          await run({ ...data, jobId: job.id, requestedAt: new Date(requestedAt), isLast: job.retryCount >= AGAIN.retryLimit })
        } finally {
          notifyBusyWorkers(boss, QUEUE)
        }
      })
      return () => boss.offWork(QUEUE, { wait: true })
    },
  }
}
