import type { Logger } from 'pino'
import { type PeriodicJob, runPeriodically } from '../../../platform/process/run-periodically.ts'
import type { WebhookSender } from '../../toolkit/webhook-sender.ts'
import { type AssessParts, assess, defaultRequest } from '../assessment/assess.ts'
import { isFinal } from '../assessment/engine.ts'
import type { DueWatch, DueWebhook, WatchedDomainRepository } from './repository.ts'
import { afterCheck, HISTORY_DAYS, pauseAfter, verdictOf, webhookBody, webhookHeaders } from './watched-domain.ts'

/** Between the ends of a run and the next. Milliseconds. */
const INTERVAL_MS = 10_000
/** In one run, two at a time: at most 60 a minute in a process, so that sources are spared. */
const MAX_CHECKS_PER_RUN = 10
const MAX_CONCURRENT_CHECKS = 2
/** In one run, at once. */
const MAX_WEBHOOKS_PER_RUN = 10
/**
 * How long work belongs to the process that took it: longer than a run takes, whose attempts end
 * after 15 seconds. Milliseconds.
 */
const LEASE_MS = 5 * 60_000
const DAY_MS = 86_400_000

/** Assesses watched domains when they are due, and sends their changes. */
export type Watcher = {
  /** One run. Rejects when the database fails. */
  readonly run: () => Promise<void>
  /** Deletes changes beyond their retention. */
  readonly deleteOld: () => Promise<void>
  /** Runs by itself from now on. Every process may: they share the work. */
  readonly start: () => void
  readonly close: () => Promise<void>
}

/** What it works with. */
export type WatcherParts = AssessParts & {
  readonly watches: WatchedDomainRepository
  readonly sender: WebhookSender
  readonly log: Logger
}

export function createWatcher(parts: WatcherParts): Watcher {
  const { watches, sender, log, now } = parts
  const ended = new AbortController()
  let job: PeriodicJob | null = null

  return {
    run,
    async deleteOld() {
      const before = new Date(now().getTime() - HISTORY_DAYS * DAY_MS)
      while (!ended.signal.aborted && (await watches.deleteBefore(before)) > 0);
    },
    start() {
      job ??= runPeriodically(INTERVAL_MS, run, (error) => log.warn({ err: error }, 'watched domains could not be assessed'))
    },
    async close() {
      ended.abort()
      await job?.stop()
      await sender.close()
    },
  }

  async function run(): Promise<void> {
    const at = now()
    const due = [...(await watches.takeDue(at, new Date(at.getTime() + LEASE_MS), MAX_CHECKS_PER_RUN))]
    const work = async () => {
      for (let watch = due.shift(); watch && !ended.signal.aborted; watch = due.shift()) await check(watch)
    }
    await Promise.all(Array.from({ length: MAX_CONCURRENT_CHECKS }, work))
    const sent = now()
    const waiting = await watches.takeWebhooks(sent, new Date(sent.getTime() + LEASE_MS), MAX_WEBHOOKS_PER_RUN)
    await Promise.all(waiting.map(send))
  }

  async function check(watch: DueWatch): Promise<void> {
    const found = parts.engine.normalise('domain', watch.domain)
    // Stored in its normal form: it stays a target.
    if (found.kind !== 'target') return
    const { snapshot, decision } = await assess(defaultRequest(found.target), parts)
    const at = now()
    const next = afterCheck(watch, isFinal(found.target, snapshot), at)
    await watches.record(watch.id, { verdict: verdictOf(decision), ...next }, at)
  }

  async function send({ change, watch, url, secret }: DueWebhook): Promise<void> {
    const body = webhookBody(change, watch)
    let error: string | null
    try {
      error = (await sender.send(url, body, webhookHeaders(change.id, secret(), body, now()), ended.signal)).error
    } catch (thrown) {
      // Whether it arrived is unknown: the next process sends it again under the same id.
      if (ended.signal.aborted) return
      log.error({ err: thrown, watch: watch.id }, 'a webhook about a watched domain could not be made')
      error = 'it could not be signed'
    }
    const pause = error === null ? null : pauseAfter(change.attempts)
    await watches.settle(change, { error, dueAt: pause === null ? null : new Date(now().getTime() + pause) })
  }
}
