import type { ExecutionResult } from '../operations/execution-result.ts'
import type { Running } from '../subscriptions/subscribe.ts'

/** What a client is told about the cost of its operation, in `extensions.cost`, when it asks. */
export type CostReport = {
  /** Points that the operation was counted with. */
  readonly requested: number
  /** Points that one operation may have; null without a limit. */
  readonly limit: number | null
  /**
   * What the client has left of its minute, and in how many seconds all of it is there again; null
   * without a budget.
   */
  readonly budget: { readonly remaining: number; readonly resetSeconds: number } | null
}

/** The header by which clients of Hot Chocolate ask for the same, with the value that they send. */
export const COST_HEADER = 'graphql-cost'
const REPORT = 'report'

/**
 * Whether a request asks for its cost: with `GraphQL-Cost: report`, or on any door with
 * `"extensions": {"cost": true}` beside the query.
 */
export const wantsCost = (header: unknown, request: { readonly wantsCost: boolean }): boolean =>
  request.wantsCost || (typeof header === 'string' && header.trim().toLowerCase() === REPORT)

/** The outcome with the report beside it. */
export const withCost = (result: ExecutionResult, cost: CostReport | undefined): ExecutionResult =>
  cost ? { ...result, extensions: { ...result.extensions, cost } } : result

/**
 * A subscription whose first outcome has the report beside it: outcomes are shared by all who
 * listen, so the others stay as they are.
 */
export function withCostFirst(running: Running, cost: CostReport | undefined): Running {
  return {
    follow(recipient) {
      let isFirst = true
      running.follow({
        tell(executed, taken) {
          recipient.tell(isFirst ? withCost(executed, cost) : executed, taken)
          isFirst = false
        },
        end: (errors) => recipient.end(errors),
      })
    },
    return: () => running.return(),
  }
}
