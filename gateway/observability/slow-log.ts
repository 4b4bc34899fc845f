import type { Logger } from 'pino'
import type { Caller } from '../../platform/http/caller.ts'
import type { RunOperation } from '../executor/run-operation.ts'
import type { CheckedOperation } from '../operations/document-cache.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { Link } from '../subgraph-client/link.ts'

/** What the fetches from one subgraph came to, for one operation. */
type Fetched = { fetches: number; milliseconds: number }

/** Writes down which operations are slow, and where the time went. No line has variables, documents, messages of errors or anything of the caller but the id of its request. */
export type SlowLog = {
  /** `run` of one document. `costOf` is asked for slow ones only; null: its cost is not counted. */
  readonly watchOperation: <Result>(
    checked: CheckedOperation,
    run: (...asked: Parameters<RunOperation>) => Promise<Result>,
    outcomeIn: (result: Result) => ExecutionResult,
    costOf: ((variables: Parameters<RunOperation>[0]) => number) | null,
  ) => (...asked: Parameters<RunOperation>) => Promise<Result>
  /** A link whose time is known to the operation that asks. */
  readonly timeLink: (link: Link) => Link
}

/** Names are the client's choice. */
const LONGEST_NAME = 100

/** Logs queries and mutations that take so long or longer. */
export function createSlowLog(slowMilliseconds: number, log: Logger): SlowLog {
  /** By the caller, which everything of one operation carries. */
  const running = new WeakMap<Caller, Map<string, Fetched>>()

  return {
    watchOperation({ operation }, run, outcomeIn, costOf) {
      const [kind, name] = [operation.operation, operation.name?.value.slice(0, LONGEST_NAME) ?? null]
      return async (variables, passage) => {
        // Operations of one request have the same caller.
        const caller = { ...passage.caller }
        const fetched = new Map<string, Fetched>()
        running.set(caller, fetched)
        const began = performance.now()
        let outcome: ExecutionResult | null = null
        try {
          const result = await run(variables, { ...passage, caller })
          outcome = outcomeIn(result)
          return result
        } finally {
          const milliseconds = Math.round(performance.now() - began)
          if (milliseconds >= slowMilliseconds) {
            const cost = costOf?.(variables) ?? null
            const { requestId } = caller
            const errors = outcome ? (outcome.errors?.length ?? 0) : 1
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
      async execute(request, passage) {
        const began = performance.now()
        try {
          return await link.execute(request, passage)
        } finally {
          const fetched = running.get(passage.caller)
          const sum = fetched?.get(link.name) ?? { fetches: 0, milliseconds: 0 }
          sum.fetches += 1
          sum.milliseconds += performance.now() - began
          fetched?.set(link.name, sum)
        }
      },
    }),
  }
}

/** Fetches of one subgraph at the same time count each. */
const slowestFirst = (fetched: ReadonlyMap<string, Fetched>) =>
  [...fetched]
    .map(([name, { fetches, milliseconds }]) => ({ name, fetches, milliseconds: Math.round(milliseconds) }))
    .sort((a, b) => b.milliseconds - a.milliseconds)
