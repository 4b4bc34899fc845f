import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { SnapshotRepository } from '../assessment/repository.ts'
import type { OperatorListRepository } from '../operator-list/repository.ts'
import type { Watcher } from '../watched-domain/watcher.ts'
import type { DecisionRepository } from './repository.ts'

const DAY_MS = 86_400_000
/**
 * Retention of an expired judgement without a decision, and of a snapshot without a judgement, when
 * there is a newer one: that of expired evidence.
 */
const SUPERSEDED_RETENTION_MS = 7 * DAY_MS

/** Deletes data beyond its retention. */
export type Retention = {
  /** Deletes all of it now. Rejects when the database fails. */
  readonly run: () => Promise<void>
  /**
   * Runs at once and then once a day, until it is closed. Every process may: deleting twice does no
   * harm.
   */
  readonly start: () => void
  readonly close: () => Promise<void>
}

/** What is deleted, and when. */
export type RetentionParts = {
  readonly decisions: Pick<DecisionRepository, 'deleteBefore' | 'deleteUnusedJudgements'>
  readonly snapshots: Pick<SnapshotRepository, 'deleteUnused'>
  readonly operatorLists: Pick<OperatorListRepository, 'deleteExpired'>
  readonly watcher: Pick<Watcher, 'deleteOld'>
  /** Jobs with their results. */
  readonly jobWorker: { readonly deleteOld: () => Promise<void> }
  readonly days: number
  readonly now: () => Date
  readonly log: Logger
}

/**
 * `days`: age at which decisions go; 0: never. Their snapshots go with them, and so does any other
 * of that age.
 */
export function retention({
  decisions,
  snapshots,
  operatorLists,
  watcher,
  jobWorker,
  days,
  now,
  log,
}: RetentionParts): Retention {
  const ended = new AbortController()
  let running = Promise.resolve()

  return {
    run,
    start() {
      running = daily()
    },
    async close() {
      ended.abort()
      await running
    },
  }

  /** In pieces, so that others get at the database in between. */
  async function run(): Promise<void> {
    const at = now().getTime()
    const before = days === 0 ? null : new Date(at - days * DAY_MS)
    while (before && !ended.signal.aborted && (await decisions.deleteBefore(before)) > 0);
    const supersededBefore = new Date(at - SUPERSEDED_RETENTION_MS)
    await operatorLists.deleteExpired(supersededBefore)
    await watcher.deleteOld()
    await jobWorker.deleteOld()
    // Expired judgements are not returned any more, so no decision will refer to them.
    let judged = await decisions.deleteUnusedJudgements(supersededBefore, null)
    while (judged && !ended.signal.aborted) judged = await decisions.deleteUnusedJudgements(supersededBefore, judged)
    let next = await snapshots.deleteUnused({ before, supersededBefore, after: null })
    while (next && !ended.signal.aborted) next = await snapshots.deleteUnused({ before, supersededBefore, after: next })
  }

  async function daily(): Promise<void> {
    while (!ended.signal.aborted) {
      await run().catch((error: unknown) => log.warn({ err: error }, 'old decisions could not be deleted'))
      await sleep(DAY_MS, null, { signal: ended.signal, ref: false }).catch(() => {})
    }
  }
}
