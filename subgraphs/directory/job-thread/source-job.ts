import type { Logger } from 'pino'
import type { Connection } from '../../../platform/database/database.ts'
import type { OpenJob } from '../probe/background.ts'
import type { SourceRepository } from '../source/repository.ts'
import type { SourceNetworkSettings } from '../source/source.ts'
import { runTask } from './run-task.ts'

/** Time between two looks for sources that are due. Seconds. */
const RUN_EVERY_SECONDS = 10
/** Sources that are run at once: a slow one must not delay the others. */
const MAX_AT_ONCE = 2
/** Longest time in which further sources are taken up; a job of pg-boss ends after half an hour. Milliseconds. */
const MAX_TURN_MS = 540_000

/** Runs every source that is due, over and over; each run is work of a thread. */
export const sourceJob = (
  connection: Connection,
  sources: SourceRepository,
  { network, log }: { readonly network: SourceNetworkSettings; readonly log: Logger },
): OpenJob => ({
  job: {
    name: 'source-run',
    everySeconds: RUN_EVERY_SECONDS,
    run: (signal) =>
      runDue(sources, signal, async (id) => {
        await runTask({ kind: 'run-source', connection, id, network }, { log, signal })
      }),
  },
  close: async () => {},
})

/** Runs what is due, also what becomes due meanwhile. */
async function runDue(sources: SourceRepository, signal: AbortSignal, run: (id: string) => Promise<void>): Promise<void> {
  const end = performance.now() + MAX_TURN_MS
  const taken = new Set<string>()
  const worker = async (): Promise<void> => {
    while (!signal.aborted && performance.now() < end) {
      const next = (await sources.due(new Date())).find(({ id }) => !taken.has(id))
      if (!next) return
      // Once in a turn: one that another process runs stays due.
      taken.add(next.id)
      await run(next.id)
    }
  }
  const results = await Promise.allSettled(Array.from({ length: MAX_AT_ONCE }, worker))
  signal.throwIfAborted()
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
