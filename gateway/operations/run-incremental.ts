import type { Logger } from 'pino'
import { runWithTimeout } from '../executor/executor.ts'
import type { FindDeferredPlan } from '../executor/plan-deferred.ts'
import type { RunOperation } from '../executor/run-operation.ts'
import type { ExecutionResult } from './execution-result.ts'
import { createPayloadQueue, type IncrementalResult, type RunIncremental } from './incremental-result.ts'

/**
 * Executes an operation's deferred plan within the operation timeout. `complete` is used when these
 * variables defer nothing.
 */
export function incrementalRun(
  find: FindDeferredPlan,
  complete: RunOperation,
  { log, outlivesClient }: { readonly log: Logger; readonly outlivesClient: boolean },
): RunIncremental {
  return async (variables, context) => {
    const queue = createPayloadQueue()
    const { promise, resolve } = Promise.withResolvers<IncrementalResult>()
    let hasInitial = false
    let hasEnded = false
    const runAll = async (bounded: typeof context): Promise<ExecutionResult> => {
      const run = await find(variables, bounded)
      if (!run) return complete(variables, bounded)
      await run(variables, bounded, {
        onInitial(initial) {
          hasInitial = true
          resolve({ initial, rest: queue })
        },
        onParts(parts, hasNext) {
          hasEnded = !hasNext
          queue.push({ ...(parts.length > 0 && { incremental: parts }), hasNext })
        },
      })
      return NOTHING_MORE
    }
    void runWithTimeout(context, log, runAll, { outlivesClient }).then((last) => {
      if (!hasInitial) resolve({ initial: last, rest: null })
      else if (!hasEnded) {
        const errors = last.errors ?? []
        queue.push({ ...(errors.length > 0 && { incremental: [{ data: null, path: [], errors }] }), hasNext: false })
      }
      queue.end()
    })
    return promise
  }
}

const NOTHING_MORE: ExecutionResult = {}
