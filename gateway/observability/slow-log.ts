import type { Logger } from 'pino'
import type { Caller } from '../../platform/http/caller.ts'
import type { RunOperation } from '../executor/run-operation.ts'
import type { ValidatedOperation } from '../operations/document-cache.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { Link } from '../subgraph-client/link.ts'

/** Fetches of one operation from one subgraph. */
type FetchTotals = { fetches: number; milliseconds: number }

/**
 * Log of slow operations with the time per subgraph. Lines contain no variables, documents or error
 * messages, and of the caller only the request id.
 */
export type SlowLog = {
  /** Wraps `run` of one document. `costOf` is called for slow runs only; null: no cost. */
  readonly watchOperation: <Result>(
    checked: ValidatedOperation,
    run: (...parameters: Parameters<RunOperation>) => Promise<Result>,
    resultIn: (result: Result) => ExecutionResult,
    costOf: ((variables: Parameters<RunOperation>[0]) => number) | null,
  ) => (...parameters: Parameters<RunOperation>) => Promise<Result>
  /** Wraps a link to measure its fetches per operation. */
  readonly timeLink: (link: Link) => Link
}

/** Maximum length of an operation name, which clients choose. */
const MAX_NAME_CHARACTERS = 100

/** Logs queries and mutations that take at least `slowMilliseconds`. */
export function createSlowLog(slowMilliseconds: number, log: Logger): SlowLog {
  /** By caller object, which all fetches of an operation share. */
  const running = new WeakMap<Caller, Map<string, FetchTotals>>()

  return {
    watchOperation({ operation }, run, resultIn, costOf) {
      const [kind, name] = [operation.operation, operation.name?.value.slice(0, MAX_NAME_CHARACTERS) ?? null]
      return async (variables, context) => {
        // Copied, because operations of one request share a caller object.
        const caller = { ...context.caller }
        const fetched = new Map<string, FetchTotals>()
        running.set(caller, fetched)
        const began = performance.now()
        let finished: ExecutionResult | null = null
        try {
          const result = await run(variables, { ...context, caller })
          finished = resultIn(result)
          return result
        } finally {
          const milliseconds = Math.round(performance.now() - began)
          if (milliseconds >= slowMilliseconds) {
            const cost = costOf?.(variables) ?? null
            const { requestId } = caller
            const errors = finished ? (finished.errors?.length ?? 0) : 1
            log.warn(
              { operation: name, kind, milliseconds, cost, errors, subgraphs: slowestFirst(fetched), requestId },
              'an operation was slow',
            )
          }
        }
      }
    },
    timeLink: (link) => ({
      ...link,
      async execute(request, context) {
        const began = performance.now()
        try {
          return await link.execute(request, context)
        } finally {
          const fetched = running.get(context.caller)
          const sum = fetched?.get(link.name) ?? { fetches: 0, milliseconds: 0 }
          sum.fetches += 1
          sum.milliseconds += performance.now() - began
          fetched?.set(link.name, sum)
        }
      },
    }),
  }
}

/** Totals per subgraph, slowest first; times of concurrent fetches are added. */
const slowestFirst = (fetched: ReadonlyMap<string, FetchTotals>) =>
  [...fetched]
    .map(([name, { fetches, milliseconds }]) => ({ name, fetches, milliseconds: Math.round(milliseconds) }))
    .sort((a, b) => b.milliseconds - a.milliseconds)
