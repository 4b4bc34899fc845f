import type { ExecutionResult } from '../operations/execution-result.ts'
import type { Running } from '../subscriptions/subscribe.ts'

/** The cost of an operation as reported in `extensions.cost` on request. */
export type CostReport = {
  /** Points that the operation was counted with. */
  readonly requested: number
  /** Points of what was returned; absent for subscriptions and for the first part of a result. */
  readonly actual?: number
  /** Points that one operation may have; null without a limit. */
  readonly limit: number | null
  /** Points that it sends to each subgraph; absent where no subgraph has a limit. */
  readonly subgraphs?: Readonly<Record<string, { readonly requested: number; readonly limit: number | null }>>
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
 * Whether a request wants its cost reported: `GraphQL-Cost: report`, or on any transport
 * `"extensions": {"cost": true}` beside the query.
 */
export const wantsCost = (header: unknown, request: { readonly wantsCost: boolean }): boolean =>
  request.wantsCost || (typeof header === 'string' && header.trim().toLowerCase() === REPORT)

/** Adds the report to `extensions.cost` of the result. */
export const withCost = (result: ExecutionResult, cost: CostReport | undefined): ExecutionResult =>
  cost ? { ...result, extensions: { ...result.extensions, cost } } : result

/**
 * Adds the report to the first result of a subscription. Later results are shared with other
 * subscribers and stay as they are.
 */
export function withCostFirst(running: Running, cost: CostReport | undefined): Running {
  return {
    follow(recipient) {
      let isFirst = true
      running.follow({
        deliver(executed, taken) {
          recipient.deliver(isFirst ? withCost(executed, cost) : executed, taken)
          isFirst = false
        },
        end: (errors) => recipient.end(errors),
      })
    },
    return: () => running.return(),
  }
}
