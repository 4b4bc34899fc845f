import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { JobQueue } from '../../../platform/graphql/subgraph.ts'
import type { DirectoryJobs, RepeatedJob } from './jobs.ts'

/** Work of the directory beside its answers. */
export type Background = {
  /** Begins it; at most once. */
  readonly start: () => void
  /** Never rejects; empty when unknown. */
  readonly queues: () => Promise<readonly JobQueue[]>
  readonly close: () => Promise<void>
}

/** A job, and what it holds open until it ends. */
export type OpenJob = { readonly job: RepeatedJob; readonly close: () => Promise<void> }

/** Time between two looks whether there is something to do. Milliseconds. */
const LOOK_EVERY_MS = 10_000

/**
 * Starts pg-boss only when there is something to do: it takes two connections. `openJobs` says
 * what, as soon as there is; null until then.
 */
export function backgroundOf({
  openJobs,
  startJobs,
  log,
}: {
  readonly openJobs: () => Promise<readonly OpenJob[] | null>
  readonly startJobs: (jobs: readonly RepeatedJob[]) => Promise<DirectoryJobs>
  readonly log: Logger
}): Background {
  const ended = new AbortController()
  let running: { readonly jobs: DirectoryJobs; readonly opened: readonly OpenJob[] } | null = null
  let starting: Promise<void> = Promise.resolve()

  return {
    start() {
      starting = begin()
    },
    queues: async () =>
      (await running?.jobs.queues().catch(({ message }: Error) => {
        log.warn({ reason: message }, 'jobs of the directory could not be counted')
        return []
      })) ?? [],
    async close() {
      ended.abort()
      await starting
      await running?.jobs.close()
      await Promise.all(running?.opened.map(({ close }) => close()) ?? [])
    },
  }

  /** Never rejects; tries again after a fault, such as a database that is gone. */
  async function begin(): Promise<void> {
    while (!ended.signal.aborted) {
      try {
        const opened = await openJobs()
        if (opened) {
          running = { jobs: await startJobs(opened.map(({ job }) => job)), opened }
          return
        }
      } catch (error) {
        log.error({ reason: error instanceof Error ? error.message : error }, 'jobs of the directory could not be started')
      }
      await sleep(LOOK_EVERY_MS, undefined, { signal: ended.signal, ref: false }).catch(() => {})
    }
  }
}
