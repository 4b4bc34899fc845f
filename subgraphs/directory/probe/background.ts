import type { Logger } from 'pino'
import type { JobQueue } from '../../../platform/graphql/subgraph.ts'
import type { DirectoryJobs, RepeatedJob } from './jobs.ts'
import type { ProbeRepository } from './repository.ts'

/** Work of the directory beside its answers. */
export type Background = {
  /** Begins it; at most once. */
  readonly start: () => void
  /** Never rejects; empty when unknown. */
  readonly queues: () => Promise<readonly JobQueue[]>
  readonly close: () => Promise<void>
}

/** Time between two looks for servers that are due. Seconds. */
const PROBE_EVERY_SECONDS = 300

/** Starts pg-boss only where there is something to do: it takes two connections. */
export function backgroundOf({
  probes,
  probeHours,
  startJobs,
  log,
}: {
  readonly probes: ProbeRepository
  /** 0: nothing is probed. */
  readonly probeHours: number
  readonly startJobs: (jobs: readonly RepeatedJob[]) => Promise<DirectoryJobs>
  readonly log: Logger
}): Background {
  let starting: Promise<{ readonly jobs: DirectoryJobs; readonly end: () => Promise<void> } | null> = Promise.resolve(null)

  return {
    start() {
      if (probeHours === 0) return
      starting = begin().catch(({ message }: Error) => {
        log.error({ reason: message }, 'jobs of the directory could not be started')
        return null
      })
    },
    queues: async () =>
      (await starting)?.jobs.queues().catch(({ message }: Error) => {
        log.warn({ reason: message }, 'jobs of the directory could not be counted')
        return []
      }) ?? [],
    async close() {
      const running = await starting
      await running?.jobs.close()
      await running?.end()
    },
  }

  async function begin() {
    // Loaded here: most installations start without.
    const [{ prober }, { probeDue }] = await Promise.all([import('./client.ts'), import('./probe.ts')])
    const client = prober()
    const probe: RepeatedJob = {
      name: 'feature-probe',
      everySeconds: PROBE_EVERY_SECONDS,
      async run(signal) {
        await probeDue(probeHours, log, { probes, prober: client, now: () => new Date(), signal })
      },
    }
    return { jobs: await startJobs([probe]), end: client.close }
  }
}
