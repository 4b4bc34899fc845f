import type { Logger } from 'pino'
import type { Connection } from '../../../platform/database/database.ts'
import type { OpenJob } from '../probe/background.ts'
import type { SourceRepository } from '../source/repository.ts'
import { retrySeconds, type Source, type SourceNetworkSettings } from '../source/source.ts'
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
      runDue(sources, signal, async (source) => {
        try {
          await runTask({ kind: 'run-source', connection, id: source.id, network }, { log, signal })
        } catch (error) {
          signal.throwIfAborted()
          await putOff(source, error, { sources, log })
        }
      }),
  },
  close: async () => {},
})

/**
 * Plans a later run of a source whose thread crashed or ran out of memory: the longest overdue come
 * first, so two that stay due would be all that is ever run. Rejects when the database fails.
 */
async function putOff(
  source: Source,
  error: unknown,
  { sources, log }: { readonly sources: SourceRepository; readonly log: Logger },
): Promise<void> {
  log.error({ err: error, source: source.name }, 'the thread of a source failed')
  const seconds = retrySeconds(source.failures, source.intervalMinutes, null)
  await sources.end(source, {
    problem: 'INTERNAL',
    error: error instanceof Error ? error.message : String(error),
    nextRunAt: new Date(Date.now() + seconds * 1_000),
    requests: { since: source.requestsSince ?? new Date(), requests: source.requests },
  })
}

/** Runs what is due, also what becomes due meanwhile. */
async function runDue(sources: SourceRepository, signal: AbortSignal, run: (source: Source) => Promise<void>): Promise<void> {
  const end = performance.now() + MAX_TURN_MS
  const taken = new Set<string>()
  const worker = async (): Promise<void> => {
    while (!signal.aborted && performance.now() < end) {
      const next = (await sources.due(new Date())).find(({ id }) => !taken.has(id))
      if (!next) return
      // Once in a turn: one that another process runs stays due.
      taken.add(next.id)
      await run(next)
    }
  }
  const results = await Promise.allSettled(Array.from({ length: MAX_AT_ONCE }, worker))
  signal.throwIfAborted()
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
