import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type PeriodicJob, runPeriodically } from '../../../platform/process/run-periodically.ts'
import { type DecideParts, decideAll } from '../decision/actions.ts'
import { JOB_RETENTION_DAYS, MAX_JOB_ATTEMPTS } from './decision-job.ts'
import type { DecisionJobRepository, TakenTarget } from './repository.ts'

/** Between the ends of a run and the next, when nothing was due. Milliseconds. */
const INTERVAL_MS = 2_000
/**
 * Targets of jobs that a process decides at once, whatever waits: a tenth of the outbound
 * connections, so that the others are for requests whose clients wait.
 */
const MAX_CONCURRENT_JOB_TARGETS = 10
/**
 * After each target, so that jobs whose evidence is all there leave the processor to requests: at
 * most 200 targets per second in a process. Milliseconds.
 */
const PAUSE_MS = 50
/** How long a target belongs to the process that took it: longer than deciding it takes. Milliseconds. */
const LEASE_MS = 5 * 60_000
const DAY_MS = 86_400_000

/** Decides targets of jobs. */
export type DecisionJobWorker = {
  /** Decides until no target is due. Rejects when the database fails. */
  readonly run: () => Promise<void>
  /** Deletes jobs beyond their retention. */
  readonly deleteOld: () => Promise<void>
  /** Runs by itself from now on. Every process may: they share the work. */
  readonly start: () => void
  /** Ends after the targets that are being decided. */
  readonly close: () => Promise<void>
}

/** What it works with. */
export type WorkerParts = Omit<DecideParts, 'callerState'> & { readonly jobs: DecisionJobRepository; readonly log: Logger }

export function createDecisionJobWorker(parts: WorkerParts): DecisionJobWorker {
  const { jobs, decisions, engine, log, now } = parts
  const ended = new AbortController()
  let job: PeriodicJob | null = null
  /** The targets of the last run. */
  let running: Promise<unknown> | null = null

  return {
    run,
    async deleteOld() {
      const before = new Date(now().getTime() - JOB_RETENTION_DAYS * DAY_MS)
      while (!ended.signal.aborted && (await jobs.deleteBefore(before)) > 0);
    },
    start() {
      job ??= runPeriodically(INTERVAL_MS, run, (error) => log.warn({ err: error }, 'targets of jobs could not be decided'))
    },
    async close() {
      ended.abort()
      await Promise.allSettled([job?.stop(), running])
    },
  }

  async function run(): Promise<void> {
    await jobs.cancelOfRevokedKeys(now())
    // All of them end before the next run begins: one that fails must not leave nine to it.
    const ended = Promise.allSettled(Array.from({ length: MAX_CONCURRENT_JOB_TARGETS }, work))
    running = ended
    for (const each of await ended) if (each.status === 'rejected') throw each.reason
  }

  async function work(): Promise<void> {
    while (!ended.signal.aborted) {
      const at = now()
      const taken = await jobs.take(at, new Date(at.getTime() + LEASE_MS))
      if (!taken) return
      await decideTarget(taken)
      await sleep(PAUSE_MS, null, { signal: ended.signal, ref: false }).catch(() => {})
    }
  }

  async function decideTarget(taken: TakenTarget): Promise<void> {
    const target = engine.withoutPath(taken.target)
    // Its last process has died each time.
    if (taken.attempts > MAX_JOB_ATTEMPTS)
      return jobs.finishUndecided(taken, { status: 'failed', target, faults: null, at: now() })
    let isRecorded = false
    try {
      const { results } = await decideAll([taken.input], {
        ...parts,
        callerState: ([request]) => decisions.callerStateOfKey(taken.key, request ?? null, now(), engine.policyVersion),
        decisions: {
          ...decisions,
          // The same as for requests, but that the decision and the result of the target are one transaction.
          async record(made, { at, limit }) {
            const [decision] = made
            if (!decision) throw new Error('Expected a decision to record.')
            await decisions.saveJudgements(made)
            const { status, scans } = await jobs.recordDecision(taken, { decision, target, limit, at })
            isRecorded = true
            return { stored: status === 'decided' ? 1 : 0, scans }
          },
        },
      })
      const [result] = results
      if (isRecorded || !result || result.kind === 'made') return
      const faults = result.kind === 'invalid' ? JSON.stringify(result.faults) : null
      await jobs.finishUndecided(taken, { status: result.kind, target, faults, at: now() })
    } catch (error) {
      log.warn({ err: error, job: taken.jobId, position: taken.position }, 'a target of a job could not be decided')
      if (taken.attempts < MAX_JOB_ATTEMPTS) return
      await jobs.finishUndecided(taken, { status: 'failed', target, faults: null, at: now() })
    }
  }
}
