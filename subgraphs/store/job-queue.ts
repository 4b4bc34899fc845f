import { PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { Connection } from '../../platform/database/database.ts'
import type { JobQueue } from '../../platform/graphql/subgraph.ts'
import { pooledJobs } from './pooled-jobs.ts'

/** The queues of the store, in tables of pg-boss beside those of the store. */
export type JobQueues = {
  readonly boss: PgBoss
  /** How they are at this time. */
  readonly queues: (at: Date) => Promise<readonly JobQueue[]>
  readonly close: () => Promise<void>
}

/** The clock that jobs wait by: the machine's, and pg-boss' own for tests. */
export type JobClock = NonNullable<ConstructorParameters<typeof PgBoss>[0]['clock']>

const SCHEMA = 'store_jobs'
const APPLICATION_NAME = 'atrium store jobs'
/**
 * Interval of a running job's heartbeats, and of checks for missing ones: its process is dead then,
 * and another takes over. Seconds.
 */
export const HEARTBEAT_SECONDS = 10
const SUPERVISION_SECONDS = 5
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
export async function startJobQueues(
  connection: Connection,
  { log, clock, pooler }: { readonly log: Logger; readonly clock?: JobClock; readonly pooler?: Connection | undefined },
): Promise<JobQueues> {
  const onError = ({ message }: Error) => log.warn({ reason: message }, 'jobs of the store could not be looked after')
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

  return {
    boss,
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

/**
 * Workers pause until the next poll after every job, and when a store is at its limit, so a burst
 * of one store would be slow. A notified worker fetches its next job without this pause.
 */
export function notifyBusyWorkers(boss: PgBoss, queue: string): void {
  for (const { id, name, count } of boss.getWipData()) if (name === queue && count > 0) boss.notifyWorker(id)
}
