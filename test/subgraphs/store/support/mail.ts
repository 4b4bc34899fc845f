import { setTimeout as sleep } from 'node:timers/promises'
import type { TestClock } from 'pg-boss'
import type { MailServer } from '../../../../platform/mail/variables.ts'
import type { StoreStack } from './store.ts'

/** Settings of a server of a test. */
export const mailServerAt = (port: number): MailServer => ({
  host: '127.0.0.1',
  port,
  isSecure: false,
  credentials: null,
  from: 'orders@atrium.example',
})

/** Quick steps of the time of jobs: 100 seconds. */
const QUICK_STEPS = 20

/**
 * Lets the time of jobs pass, five seconds at once, but none while an e-mail is being sent. Slowly
 * after the first steps: on a busy machine a request for a link would else be an hour old, and
 * void, before a worker takes its job.
 */
export function mailClock(stack: StoreStack, clock: TestClock) {
  const count = async (states: readonly string[]): Promise<number> => {
    const [{ count = 0 } = {}] = await stack.sql(
      `SELECT count(*)::int FROM store_jobs.job WHERE name = 'mail' AND state::text = ANY ($1)`,
      [states],
    )
    return Number(count)
  }
  const until = async (holds: () => boolean | Promise<boolean>, stepMs = 5_000): Promise<void> => {
    for (let step = 0; !(await holds()); step += 1) {
      if ((await count(['active'])) === 0) await clock.tick(stepMs)
      await sleep(step < QUICK_STEPS ? 5 : 250)
    }
  }
  return {
    until,
    /** Until nothing waits: everything is sent or given up. */
    finished: (stepMs?: number) => until(async () => (await count(['created', 'retry', 'active'])) === 0, stepMs),
    givenUp: () => count(['failed']),
    /** Makes what waits for another attempt due; how long it would have waited. Milliseconds. */
    async skipPause(): Promise<number | null> {
      const [row] = await stack.sql(
        `UPDATE store_jobs.job AS job SET start_after = $1 FROM (SELECT id, start_after FROM store_jobs.job WHERE name = 'mail' AND state = 'retry') AS before
        WHERE job.name = 'mail' AND job.id = before.id RETURNING before.start_after`,
        [new Date(clock.now())],
      )
      return row ? Number(row.start_after) - clock.now() : null
    },
    isTried: (attempts: () => number, before: number) =>
      until(async () => attempts() > before && (await count(['active'])) === 0),
  }
}
