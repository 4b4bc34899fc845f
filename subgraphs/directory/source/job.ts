import type { Logger } from 'pino'
import type { Connection } from '../../../platform/database/database.ts'
import type { OpenJob } from '../probe/background.ts'
import type { SourceRepository } from './repository.ts'
import type { RunDeps } from './run.ts'
import type { SourceNetworkSettings } from './source.ts'

/** Time between two looks for sources that are due. Seconds. */
const RUN_EVERY_SECONDS = 10
/** Sources that are run at once: a slow one must not delay the others. */
const MAX_AT_ONCE = 2
/** Longest time in which further sources are taken up; a job of pg-boss ends after half an hour. Milliseconds. */
const MAX_TURN_MS = 540_000

type Deps = Omit<RunDeps, 'signal'>

/** Runs every source that is due, over and over. */
export async function sourceJob(
  connection: Connection,
  sources: SourceRepository,
  { network, log }: { readonly network: SourceNetworkSettings; readonly log: Logger },
): Promise<OpenJob> {
  // Loaded here: most installations start without.
  const { sourceHttp } = await import('./network.ts')
  const http = sourceHttp(network)
  const deps = { connection, sources, http, requestsPerHour: network.requestsPerHour, now: () => new Date(), log }
  return {
    job: { name: 'source-run', everySeconds: RUN_EVERY_SECONDS, run: (signal) => runDue(deps, signal) },
    close: http.close,
  }
}

/** Runs what is due, also what becomes due meanwhile. */
export async function runDue(deps: Deps, signal: AbortSignal): Promise<void> {
  const { runSource } = await import('./run.ts')
  const end = performance.now() + MAX_TURN_MS
  const taken = new Set<string>()
  const worker = async (): Promise<void> => {
    while (!signal.aborted && performance.now() < end) {
      const next = (await deps.sources.due(deps.now())).find(({ id }) => !taken.has(id))
      if (!next) return
      // Once in a turn: one that another process runs stays due.
      taken.add(next.id)
      await runSource(next.id, { ...deps, signal })
    }
  }
  const results = await Promise.allSettled(Array.from({ length: MAX_AT_ONCE }, worker))
  signal.throwIfAborted()
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
