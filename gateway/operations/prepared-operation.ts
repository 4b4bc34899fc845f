import { OperationTypeNode } from 'graphql'
import type { RunCacheable } from '../caching/caching.ts'
import type { RunOperation } from '../executor/run-operation.ts'
import type { RequestCheck } from '../limits/request-limits.ts'
import type { Subscribe } from '../subscriptions/subscribe.ts'
import type { RejectedOperation } from './document-cache.ts'
import type { RunIncremental } from './incremental-result.ts'

/** A compiled client operation, executed once per request. */
export type ExecutableOperation = {
  readonly kind: 'executable'
  readonly operation: OperationTypeNode
  /** Checks variables, cost and budget, then executes. Never rejects. */
  readonly run: RunOperation
  /** Like `run`, through the response cache; null when it must not be cached. Never rejects. */
  readonly answer: RunCacheable | null
  /** Like `run`, with deferred parts in later payloads; null without `@defer`. Never rejects. */
  readonly runIncremental: RunIncremental | null
  /**
   * Cost with these variables in points; 0 for invalid variables, for which `run` returns errors.
   */
  readonly cost: RequestCheck['cost']
  /** Cost with these variables, or why they are refused; runs nothing. */
  readonly estimate: RequestCheck['estimate']
  /** Starts a subscription after the same checks; null for queries and mutations. Never rejects. */
  readonly subscribe: Subscribe | null
}

export type PreparedOperation = ExecutableOperation | RejectedOperation

/**
 * The same operation as a query that returns its cost and runs nothing, over any transport; a
 * rejected one as it is.
 */
export const costOnly = (operation: PreparedOperation): PreparedOperation =>
  operation.kind === 'rejected'
    ? operation
    : {
        ...operation,
        operation: OperationTypeNode.QUERY,
        async run(variables) {
          const estimate = operation.estimate(variables)
          return estimate.kind === 'refused' ? { errors: estimate.errors } : { data: null, extensions: { cost: estimate.cost } }
        },
        answer: null,
        runIncremental: null,
        subscribe: null,
      }
