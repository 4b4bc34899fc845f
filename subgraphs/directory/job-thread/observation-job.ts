import type { Logger } from 'pino'
import type { Connection } from '../../../platform/database/database.ts'
import { dueRepositories } from '../observation/due.ts'
import type { GithubSettings } from '../observation/observe.ts'
import type { ObservationRepository } from '../observation/repository.ts'
import type { OpenJob } from '../probe/background.ts'
import type { SourceNetworkSettings } from '../source/source.ts'
import { runTask } from './run-task.ts'

/** Time between two turns. Seconds. */
const OBSERVE_EVERY_SECONDS = 120

/** Observes repositories again and again; requests and the merge are work of a thread. */
export function observationJob(
  connection: Connection,
  observations: ObservationRepository,
  { github, network, log }: { readonly github: GithubSettings; readonly network: SourceNetworkSettings; readonly log: Logger },
): OpenJob {
  let pausedUntil = 0
  return {
    job: {
      name: 'repository-observation',
      everySeconds: OBSERVE_EVERY_SECONDS,
      async run(signal) {
        if (Date.now() < pausedUntil) return
        const due = await dueRepositories(github.requestsPerHour, { observations, now: () => new Date() })
        if (due.length === 0) return
        const task = { kind: 'observe-repositories', connection, due, github, network } as const
        const { changed, pauseSeconds } = await runTask(task, { log, signal })
        pausedUntil = Date.now() + pauseSeconds * 1_000
        if (changed > 0) log.info({ changed }, 'observed repositories changed the directory')
      },
    },
    close: async () => {},
  }
}
