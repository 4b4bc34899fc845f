import type { ExecutionResult } from '../operations/execution-result.ts'
import type { Running } from '../subscriptions/subscribe.ts'

/** The cost of an operation as reported in `extensions.cost` on request. */
export type CostReport = {
  /** Estimated points, which the limit applies to. */
  readonly requested: number
  /** Points of the returned data; absent for subscriptions and initial results. */
  readonly actual?: number
  /** Maximum points of an operation; null: unlimited. */
  readonly limit: number | null
  /** Points sent to each subgraph; absent when no subgraph has a limit. */
  readonly subgraphs?: Readonly<Record<string, { readonly requested: number; readonly limit: number | null }>>
  /**
   * Remaining points of the client's budget, and seconds until it is full again; null without a
   * budget.
   */
  readonly budget: { readonly remaining: number; readonly resetSeconds: number } | null
}

/** Request header for a cost report, with name and value of Hot Chocolate. */
export const COST_HEADER = 'graphql-cost'
const REPORT = 'report'
const VALIDATE = 'validate'

/** Whether the client wants to know what an operation costs instead of running it, as in Hot Chocolate. */
const isCostOnly = (header: unknown): boolean => typeof header === 'string' && header.trim().toLowerCase() === VALIDATE

/** Parameters of an operation, and what `GraphQL-Cost` says about running it. */
export const withCostHeader = <Params extends object>(params: Params, header: unknown): Params & { isCostOnly?: boolean } =>
  isCostOnly(header) ? { ...params, isCostOnly: true } : params

/**
 * Whether the client requests a cost report: header `GraphQL-Cost: report`, or `"extensions":
 * {"cost": true}` over any transport.
 */
export const wantsCost = (header: unknown, request: { readonly wantsCost: boolean }): boolean =>
  request.wantsCost || (typeof header === 'string' && header.trim().toLowerCase() === REPORT)

/** Adds a cost report as `extensions.cost`. */
export const withCost = (result: ExecutionResult, cost: CostReport | undefined): ExecutionResult =>
  cost ? { ...result, extensions: { ...result.extensions, cost } } : result

/**
 * Adds a cost report to the first result of a subscription. Later results are shared by
 * subscribers, so they stay unchanged.
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
