import { type Kysely, sql, type Transaction } from 'kysely'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { DecisionInput } from '../decision/decision.ts'
import { insertCounted, type NewDecision } from '../decision/repository.ts'
import type { ApiKey, Plan } from '../key/key.ts'
import type { Decision as Judgement } from '../pipeline/decision.ts'
import type { Tables } from '../tables.ts'
import { fromUnixSeconds } from '../unix-time.ts'
import { verdictOf } from '../watched-domain/watched-domain.ts'
import {
  type DecisionJob,
  type DecisionJobResult,
  type FinalStatus,
  MAX_JOB_TARGETS_PER_DAY,
  MAX_RUNNING_JOBS,
  type NewJobTarget,
} from './decision-job.ts'

/** A target that this process decides; `attempts` counts this one. */
export type TakenTarget = {
  readonly jobId: string
  readonly position: number
  readonly target: string
  readonly input: DecisionInput
  readonly attempts: number
  readonly key: ApiKey
}

/** A request that may be sent again: the key that the caller chose, and the SHA-256 of its inputs. */
type RepeatableRequest = { readonly idempotencyKey: string; readonly requestHash: Buffer }

type NewJob = {
  readonly key: Pick<ApiKey, 'id' | 'plan'>
  /** Null: each request creates a job. */
  readonly repeatable: RepeatableRequest | null
  readonly targets: readonly NewJobTarget[]
  readonly at: Date
}

type CreateRefusal = 'too many running' | 'too many targets' | 'other inputs'

/** Identifies one attempt: a later one of another process has a higher number. */
type Attempt = Pick<TakenTarget, 'jobId' | 'position' | 'attempts'>

const DAY_MS = 86_400_000
const DELETE_BATCH_ROWS = 10

/** Jobs and their targets in the database. */
export const decisionJobRepository = (database: Kysely<Tables>) => ({
  /** Creates a job; or returns that of the same idempotency key and inputs. */
  create: ({ key, repeatable, targets, at }: NewJob): Promise<DecisionJob | CreateRefusal> =>
    database.transaction().execute(async (transaction) => {
      // Concurrent requests would each see room for one more.
      await transaction.selectFrom('api_key').select('id').where('id', '=', key.id).forUpdate().execute()
      const known = repeatable && (await findRepeated(transaction, key.id, repeatable))
      if (known) return known
      const { running, recent } = await transaction
        .selectFrom('decision_job')
        .select(({ fn, eb }) => [
          fn.countAll<string>().filterWhere('status', '=', 'running').as('running'),
          fn
            .sum<string | null>('targets')
            .filterWhere(eb('created_at', '>', new Date(at.getTime() - DAY_MS)))
            .as('recent'),
        ])
        .where('key_id', '=', key.id)
        .executeTakeFirstOrThrow()
      if (Number(running) >= MAX_RUNNING_JOBS[key.plan]) return 'too many running'
      if (Number(recent ?? 0) + targets.length > MAX_JOB_TARGETS_PER_DAY[key.plan]) return 'too many targets'
      const invalid = targets.filter((each) => 'faults' in each).length
      const isDone = invalid === targets.length
      const job = await transaction
        .insertInto('decision_job')
        .values({
          key_id: key.id,
          idempotency_key: repeatable?.idempotencyKey ?? null,
          request_hash: repeatable?.requestHash ?? null,
          status: isDone ? 'completed' : 'running',
          targets: targets.length,
          invalid,
          created_at: at,
          started_at: isDone ? at : null,
          finished_at: isDone ? at : null,
        })
        .returning(COLUMNS)
        .executeTakeFirstOrThrow()
      const inputs = targets.map((each) => ('input' in each ? JSON.stringify(each.input) : null))
      const faults = targets.map((each) => ('faults' in each ? JSON.stringify(each.faults) : null))
      await sql`
        INSERT INTO decision_job_target (job_id, position, target, input, status, faults, due_at)
        SELECT ${job.id}, place - 1, target, input, CASE WHEN input IS NULL THEN 'invalid' ELSE 'waiting' END, faults,
          CASE WHEN input IS NOT NULL THEN ${at}::timestamptz END
        FROM unnest(${targets.map(({ target }) => target)}::text[], ${inputs}::text[], ${faults}::text[])
          WITH ORDINALITY AS given (target, input, faults, place)`.execute(transaction)
      return job
    }),

  /** A job of a key; null when it has none with this id. */
  find: async (keyId: string, id: string): Promise<DecisionJob | null> =>
    (await jobsOf(database, keyId).where('id', '=', id).executeTakeFirst()) ?? null,

  /** The job of a key with this idempotency key; null when it has none. */
  findRepeated: (keyId: string, request: RepeatableRequest): Promise<DecisionJob | 'other inputs' | null> =>
    findRepeated(database, keyId, request),

  /** Jobs of a key, newest first, one more than requested. */
  list(keyId: string, { size, after }: KeysetRange): Promise<DecisionJob[]> {
    let query = jobsOf(database, keyId)
    if (after) query = query.where('id', '<', String(after[0]))
    return query
      .orderBy('id', 'desc')
      .limit(size + 1)
      .execute()
  },

  async count(keyId: string): Promise<number> {
    const { count } = await database
      .selectFrom('decision_job')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('key_id', '=', keyId)
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  /** Results in the order of the inputs, one more than requested. */
  async results(jobId: string, { size, after }: KeysetRange): Promise<DecisionJobResult[]> {
    let query = database
      .selectFrom('decision_job_target')
      .leftJoin('decision', 'decision.id', 'decision_job_target.decision_id')
      .leftJoin('judgement', 'judgement.id', 'decision.judgement_id')
      .select(['position', 'target', 'status', 'decision_id', 'faults', 'judgement.body'])
      .where('job_id', '=', jobId)
    if (after) query = query.where('position', '>', Number(after[0]))
    const rows = await query
      .orderBy('position')
      .limit(size + 1)
      .execute()
    return rows.map(({ position, target, status, decision_id, faults, body }) => {
      // The columns hold what this subgraph writes.
      const judgement = body === null ? null : (JSON.parse(body) as Judgement)
      return {
        position,
        target,
        status,
        decisionId: decision_id,
        verdict: judgement && verdictOf(judgement),
        confidence: judgement?.confidence ?? null,
        validUntil: judgement && fromUnixSeconds(judgement.validity.validUntil),
        faults: faults === null ? [] : JSON.parse(faults),
      }
    })
  },

  async countResults(jobId: string): Promise<number> {
    const { count } = await database
      .selectFrom('decision_job_target')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('job_id', '=', jobId)
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  /** Ends a running job of a key; null when it has none with this id. */
  cancel: (keyId: string, id: string, at: Date): Promise<DecisionJob | null> =>
    database.transaction().execute(async (transaction) => {
      const job = await jobsOf(transaction, keyId).where('id', '=', id).forUpdate().executeTakeFirst()
      if (job?.status !== 'running') return job ?? null
      await endJobs(transaction, [id], at)
      return { ...job, status: 'canceled', finishedAt: at }
    }),

  /** Ends running jobs of revoked keys. */
  cancelOfRevokedKeys: (at: Date): Promise<void> =>
    database.transaction().execute(async (transaction) => {
      const jobs = await transaction
        .selectFrom('decision_job')
        .innerJoin('api_key', 'api_key.id', 'decision_job.key_id')
        .select('decision_job.id')
        .where('decision_job.status', '=', 'running')
        .where('api_key.revoked_at', 'is not', null)
        .forUpdate('decision_job')
        .execute()
      if (jobs.length === 0) return
      await endJobs(
        transaction,
        jobs.map(({ id }) => id),
        at,
      )
    }),

  /**
   * Takes a due target of the running job whose turn it is: keys take turns, then the jobs of a
   * key. No other process gets it before `until`, when it is due again unless it was finished. Null:
   * none is due.
   */
  async take(at: Date, until: Date): Promise<TakenTarget | null> {
    // Jobs are not locked while they are searched: results count in them all the time.
    const { rows } = await sql<TakenRow>`
      WITH next AS (
        UPDATE decision_job AS job SET taken_at = clock_timestamp(), started_at = coalesce(job.started_at, ${at})
        FROM api_key WHERE api_key.id = job.key_id AND job.id = (
          SELECT running.id FROM decision_job AS running JOIN api_key AS owner ON owner.id = running.key_id
          WHERE running.status = 'running' AND owner.revoked_at IS NULL AND EXISTS (
            SELECT FROM decision_job_target WHERE job_id = running.id AND status = 'waiting' AND due_at <= ${at}
          )
          ORDER BY (SELECT max(taken_at) FROM decision_job AS other WHERE other.key_id = running.key_id AND other.status = 'running'),
            running.taken_at, running.id LIMIT 1
        )
        RETURNING job.id, job.key_id, api_key.name, api_key.plan, api_key.role, api_key.created_at
      )
      UPDATE decision_job_target AS target SET due_at = ${until}, attempts = target.attempts + 1
      FROM next, (
        SELECT job_id, position FROM decision_job_target
        WHERE job_id = (SELECT id FROM next) AND status = 'waiting' AND due_at <= ${at}
        ORDER BY position LIMIT 1 FOR UPDATE SKIP LOCKED
      ) AS taken
      WHERE target.job_id = taken.job_id AND target.position = taken.position
      RETURNING target.job_id, target.position, target.target, target.input, target.attempts,
        next.key_id, next.name, next.plan, next.role, next.created_at`.execute(database)
    const [row] = rows
    if (!row) return null
    return {
      jobId: row.job_id,
      position: row.position,
      target: row.target,
      input: JSON.parse(row.input),
      attempts: row.attempts,
      key: { id: row.key_id, name: row.name, plan: row.plan, role: row.role, createdAt: row.created_at, revokedAt: null },
    }
  },

  /**
   * Stores a decision as the result of a target, and counts its scan: all in one transaction, so
   * that a target is decided once. `target`: as it is shown from now on.
   */
  recordDecision: (
    attempt: Attempt,
    {
      decision,
      target,
      limit,
      at,
    }: { readonly decision: NewDecision; readonly target: string; readonly limit: number | null; readonly at: Date },
  ): Promise<{ readonly status: 'decided' | 'exceeded' | 'lost'; readonly scans: number | null }> =>
    database.transaction().execute(async (transaction) => {
      // The order of locks of all who change results: the job, then its targets.
      if (!(await lockAttempt(transaction, attempt))) return { status: 'lost', scans: null }
      const { stored, scans } = await insertCounted(transaction, [decision], { keyId: decision.keyId, at, limit })
      const status = stored === 1 ? 'decided' : 'exceeded'
      await finishTarget(transaction, attempt, {
        status,
        target,
        decisionId: stored === 1 ? decision.id : null,
        faults: null,
        at,
      })
      return { status, scans }
    }),

  /** Finishes a target without a decision; nothing when a later attempt has it. */
  finishUndecided: (
    attempt: Attempt,
    result: {
      readonly status: Exclude<FinalStatus, 'decided'>
      readonly target: string
      readonly faults: string | null
      readonly at: Date
    },
  ): Promise<void> =>
    database.transaction().execute(async (transaction) => {
      if (await lockAttempt(transaction, attempt)) await finishTarget(transaction, attempt, { ...result, decisionId: null })
    }),

  /** Deletes jobs that ended before `time`; returns their number: at most ten, 0 when there are no more. */
  async deleteBefore(time: Date): Promise<number> {
    const { numDeletedRows } = await database
      .deleteFrom('decision_job')
      .where('id', 'in', (query) =>
        query
          .selectFrom('decision_job')
          .select('id')
          .where('finished_at', '<', time)
          .orderBy('finished_at')
          .limit(DELETE_BATCH_ROWS),
      )
      .executeTakeFirstOrThrow()
    return Number(numDeletedRows)
  },
})

export type DecisionJobRepository = ReturnType<typeof decisionJobRepository>

const COLUMNS = [
  'id',
  'status',
  'created_at as createdAt',
  'started_at as startedAt',
  'finished_at as finishedAt',
  'targets',
  'decided',
  'invalid',
  'exceeded',
  'failed',
] as const

const jobsOf = (database: Kysely<Tables>, keyId: string) =>
  database.selectFrom('decision_job').select(COLUMNS).where('key_id', '=', keyId)

async function findRepeated(
  database: Kysely<Tables>,
  keyId: string,
  { idempotencyKey, requestHash }: RepeatableRequest,
): Promise<DecisionJob | 'other inputs' | null> {
  const known = await jobsOf(database, keyId)
    .select('request_hash')
    .where('idempotency_key', '=', idempotencyKey)
    .executeTakeFirst()
  if (!known) return null
  const { request_hash: hash, ...job } = known
  return hash === null || hash.equals(requestHash) ? job : 'other inputs'
}

type TakenRow = {
  readonly job_id: string
  readonly position: number
  readonly target: string
  readonly input: string
  readonly attempts: number
  readonly key_id: string
  readonly name: string
  readonly plan: Plan
  readonly role: ApiKey['role']
  readonly created_at: Date
}

/** Ends locked jobs; targets that wait are deleted, since they may hold paths. */
async function endJobs(transaction: Transaction<Tables>, ids: readonly string[], at: Date): Promise<void> {
  await transaction.updateTable('decision_job').set({ status: 'canceled', finished_at: at }).where('id', 'in', ids).execute()
  await transaction.deleteFrom('decision_job_target').where('job_id', 'in', ids).where('status', '=', 'waiting').execute()
}

/** Locks the job and the target of an attempt; false when a later attempt has it, or the job has ended. */
async function lockAttempt(transaction: Transaction<Tables>, { jobId, position, attempts }: Attempt): Promise<boolean> {
  await transaction.selectFrom('decision_job').select('id').where('id', '=', jobId).forUpdate().execute()
  const target = await transaction
    .selectFrom('decision_job_target')
    .select('position')
    .where('job_id', '=', jobId)
    .where('position', '=', position)
    .where('status', '=', 'waiting')
    .where('attempts', '=', attempts)
    .forUpdate()
    .executeTakeFirst()
  return target !== undefined
}

/** Writes the result of a locked target, and counts it; the last one ends the job. */
async function finishTarget(
  transaction: Transaction<Tables>,
  { jobId, position }: Attempt,
  {
    status,
    target,
    decisionId,
    faults,
    at,
  }: {
    readonly status: FinalStatus
    readonly target: string
    readonly decisionId: string | null
    readonly faults: string | null
    readonly at: Date
  },
): Promise<void> {
  await transaction
    .updateTable('decision_job_target')
    .set({ status, target, decision_id: decisionId, faults, input: null, due_at: null })
    .where('job_id', '=', jobId)
    .where('position', '=', position)
    .execute()
  const { targets, finished } = await transaction
    .updateTable('decision_job')
    .set((eb) => ({ [status]: eb(status, '+', 1) }))
    .where('id', '=', jobId)
    .returning(['targets', sql<number>`decided + invalid + exceeded + failed`.as('finished')])
    .executeTakeFirstOrThrow()
  if (finished === targets)
    await transaction.updateTable('decision_job').set({ status: 'completed', finished_at: at }).where('id', '=', jobId).execute()
}
