import { fromKysely, type JobWithMetadata, PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { Connection } from '../../../platform/database/database.ts'
import type { JobQueue } from '../../../platform/graphql/subgraph.ts'
import type { UnitOfWork } from '../write.ts'
import { pooledJobs } from './pooled-jobs.ts'

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

/** Schedule of deliveries, in tables of pg-boss beside those of the store. */
export type DeliveryJobs = {
  /** In the transaction: they begin if and only if it commits. */
  readonly add: (query: UnitOfWork['query'], jobs: readonly DeliveryJob[]) => Promise<void>
  /**
   * Runs jobs in this process until the returned function is called, which resolves when the last
   * has ended. What rejects runs again.
   */
  readonly work: (run: (job: JobRun) => Promise<void>) => Promise<() => Promise<void>>
  /** How they are at this time. */
  readonly queues: (at: Date) => Promise<readonly JobQueue[]>
  readonly close: () => Promise<void>
}

/** The clock that jobs wait by: the machine's, and pg-boss' own for tests. */
export type JobClock = NonNullable<ConstructorParameters<typeof PgBoss>[0]['clock']>

const SCHEMA = 'store_jobs'
const APPLICATION_NAME = 'atrium store jobs'
const QUEUE = 'webhook-delivery'
/**
 * Interval of a running job's heartbeats, and of checks for missing ones: its process is dead then,
 * and another takes over. Seconds.
 */
const HEARTBEAT_SECONDS = 10
const SUPERVISION_SECONDS = 5
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
/**
 * Jobs that run when the subgraph stops are aborted after this, and start again elsewhere.
 * Milliseconds.
 */
const STOP_TIMEOUT_MS = 5_000

/** A row for each queue, also for one without jobs. Jobs that are done count for nothing. */
const QUEUES = `
  SELECT queue.name AS queue,
    count(*) FILTER (WHERE job.state = 'created' AND job.start_after <= $1)::int AS waiting,
    count(*) FILTER (WHERE job.state = 'created' AND job.start_after > $1)::int AS later,
    count(*) FILTER (WHERE job.state = 'active')::int AS active,
    count(*) FILTER (WHERE job.state IN ('retry', 'failed'))::int AS failed,
    coalesce(extract(epoch FROM $1 - min(job.start_after) FILTER (WHERE job.state IN ('created', 'retry') AND job.start_after <= $1)), 0)::float8
      AS "oldestSeconds"
  FROM ${SCHEMA}.queue LEFT JOIN ${SCHEMA}.job ON job.name = queue.name
  GROUP BY queue.name ORDER BY queue.name`

/**
 * Starts pg-boss in a schema of its own, which it makes and migrates; through `pooler`, a pooler in
 * transaction mode, when there is one. Rejects when it cannot.
 */
export async function deliveryJobs(
  connection: Connection,
  { log, clock, pooler }: { readonly log: Logger; readonly clock?: JobClock; readonly pooler?: Connection | undefined },
): Promise<DeliveryJobs> {
  const onError = ({ message }: Error) => log.warn({ reason: message }, 'jobs of webhooks could not be looked after')
  const pooled = pooler && pooledJobs(connection, { pooler, applicationName: APPLICATION_NAME, onError })
  const boss = new PgBoss({
    ...(pooled ? { db: pooled.db } : { ...connection, application_name: APPLICATION_NAME, max: 4 }),
    schema: SCHEMA,
    useListenNotify: true,
    schedule: false,
    superviseIntervalSeconds: SUPERVISION_SECONDS,
    monitorIntervalSeconds: HEARTBEAT_SECONDS,
    maintenanceIntervalSeconds: 600,
    ...(clock && { clock }),
  })
  boss.on('error', onError)
  await boss.start()
  await boss.createQueue(QUEUE, {
    notify: true,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    expireInSeconds: EXPIRE_SECONDS,
    ...AGAIN,
    ...RETENTION,
  })

  /**
   * Workers pause until the next poll after every job, and when a store is at its limit, so a burst
   * of one store would be slow. A notified worker fetches its next job without this pause.
   */
  const notifyBusyWorkers = (): void => {
    for (const { id, name, count } of boss.getWipData()) if (name === QUEUE && count > 0) boss.notifyWorker(id)
  }

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
          notifyBusyWorkers()
        }
      })
      return () => boss.offWork(QUEUE, { wait: true })
    },
    async queues(at) {
      const { rows } = await boss.getDb().executeSql(QUEUES, [at])
      // The columns that the statement selects.
      return rows as readonly JobQueue[]
    },
    async close() {
      await boss.stop({ timeout: STOP_TIMEOUT_MS })
      await pooled?.close()
    },
  }
}
