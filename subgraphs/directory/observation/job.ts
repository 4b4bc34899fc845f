import type { Logger } from 'pino'
import type { Connection } from '../../../platform/database/database.ts'
import type { OpenJob } from '../probe/background.ts'
import type { SourceNetworkSettings } from '../source/source.ts'
import type { GithubSettings } from './observe.ts'
import type { ObservationRepository } from './repository.ts'

/** Time between two turns. Seconds. */
const OBSERVE_EVERY_SECONDS = 120

/** Observes repositories again and again. */
export async function observationJob(
  connection: Connection,
  observations: ObservationRepository,
  { github, network, log }: { readonly github: GithubSettings; readonly network: SourceNetworkSettings; readonly log: Logger },
): Promise<OpenJob> {
  // Loaded here: most installations start without.
  const [{ sourceHttp }, { observeDue }] = await Promise.all([import('../source/network.ts'), import('./observe.ts')])
  const http = sourceHttp(network)
  let pausedUntil = 0
  return {
    job: {
      name: 'repository-observation',
      everySeconds: OBSERVE_EVERY_SECONDS,
      async run(signal) {
        if (Date.now() < pausedUntil) return
        const { changed, pauseSeconds } = await observeDue({
          connection,
          observations,
          http,
          github,
          now: () => new Date(),
          signal,
          log,
        })
        pausedUntil = Date.now() + pauseSeconds * 1_000
        if (changed > 0) log.info({ changed }, 'observed repositories changed the directory')
      },
    },
    close: http.close,
  }
}
