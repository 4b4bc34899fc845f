import { PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { Connection } from '../../../platform/database/database.ts'
import type { JobQueue } from '../../../platform/graphql/subgraph.ts'

/** Work that runs again and again, in one process at a time. */
export type RepeatedJob = {
  /** Name of its queue. */
  readonly name: string
  /** Time between two runs. Seconds. */
  readonly everySeconds: number
  /** One run; what rejects runs again sooner. The signal aborts it when the process ends. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

/** Schedule of the directory, in tables of pg-boss beside its own. */
export type DirectoryJobs = {
  readonly queues: () => Promise<readonly JobQueue[]>
  readonly close: () => Promise<void>
}

const SCHEMA = 'directory_jobs'
/** A run whose process sends no heartbeat for this long begins again elsewhere. Seconds. */
const HEARTBEAT_SECONDS = 30
/** Longest run: a slow source, or a batch of probes. Seconds. */
const MAX_RUN_SECONDS = 1_800
/** After a fault of ours, such as a database that is gone. Seconds. */
const AGAIN = { retryLimit: 1_000_000, retryDelay: 10, retryBackoff: true, retryDelayMax: 600 }
/** What runs when the process ends is aborted after this. Milliseconds. */
const STOP_TIMEOUT_MS = 5_000

/** A row for each queue. Jobs that are done count for nothing. */
const QUEUES = `
  SELECT queue.name AS queue,
    count(*) FILTER (WHERE job.state = 'created' AND job.start_after <= now())::int AS waiting,
    count(*) FILTER (WHERE job.state = 'created' AND job.start_after > now())::int AS later,
    count(*) FILTER (WHERE job.state = 'active')::int AS active,
    count(*) FILTER (WHERE job.state IN ('retry', 'failed'))::int AS failed,
    coalesce(extract(epoch FROM now() - min(job.start_after) FILTER (WHERE job.state IN ('created', 'retry') AND job.start_after <= now())), 0)::float8
      AS "oldestSeconds"
  FROM ${SCHEMA}.queue LEFT JOIN ${SCHEMA}.job ON job.name = queue.name
  WHERE queue.name = ANY ($1)
  GROUP BY queue.name ORDER BY queue.name`

/**
 * Starts pg-boss in a schema of its own, which it makes and migrates, and the jobs. Each plans its
 * next run when it ends; of several processes one runs it. Rejects when it cannot.
 */
export async function startJobs(
  connection: Connection,
  jobs: readonly RepeatedJob[],
  { log }: { readonly log: Logger },
): Promise<DirectoryJobs> {
  const boss = new PgBoss({
    ...connection,
    schema: SCHEMA,
    application_name: 'atrium directory jobs',
    max: 2,
    schedule: false,
    monitorIntervalSeconds: HEARTBEAT_SECONDS,
    maintenanceIntervalSeconds: 600,
  })
  boss.on('error', ({ message }) => log.warn({ reason: message }, 'jobs of the directory could not be looked after'))
  const ended = new AbortController()
  await boss.start()
  for (const { name, everySeconds, run } of jobs) {
    // One waits and one runs, at most: what every process sends at its start is one job.
    await boss.createQueue(name, {
      policy: 'stately',
      heartbeatSeconds: HEARTBEAT_SECONDS,
      expireInSeconds: MAX_RUN_SECONDS,
      deleteAfterSeconds: 600,
      ...AGAIN,
    })
    await boss.work(name, { pollingIntervalSeconds: 2 }, async () => {
      await run(ended.signal)
      await boss.send(name, {}, { startAfter: everySeconds })
    })
    await boss.send(name, {})
  }
  return {
    async queues() {
      const { rows } = await boss.getDb().executeSql(QUEUES, [jobs.map(({ name }) => name)])
      // The columns that the statement selects.
      return rows as readonly JobQueue[]
    },
    async close() {
      ended.abort()
      await boss.stop({ timeout: STOP_TIMEOUT_MS })
    },
  }
}
