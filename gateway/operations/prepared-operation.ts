import type { OperationTypeNode } from 'graphql'
import type { RunCacheable } from '../caching/caching.ts'
import type { RunOperation } from '../executor/run-operation.ts'
import type { RequestCheck } from '../limits/request-limits.ts'
import type { Subscribe } from '../subscriptions/subscribe.ts'
import type { RejectedOperation } from './document-cache.ts'
import type { RunIncremental } from './incremental-result.ts'

/** A client's operation, validated, planned and compiled: runs once per request. */
export type ExecutableOperation = {
  readonly kind: 'executable'
  readonly operation: OperationTypeNode
  /** Checks variables, cost and budget, then executes. Never rejects. */
  readonly run: RunOperation
  /**
   * Like `run`, for queries that the response cache may store; null for all others. Never rejects.
   */
  readonly answer: RunCacheable | null
  /**
   * Like `run`, with the parts that `@defer` puts off in later payloads; null for operations
   * without it. Never rejects.
   */
  readonly runIncremental: RunIncremental | null
  /** Cost with these variables, in points; 0 for invalid variables, which `run` reports. */
  readonly cost: RequestCheck['cost']
  /** Starts a subscription with the same checks; null for queries and mutations. Never rejects. */
  readonly subscribe: Subscribe | null
}

export type PreparedOperation = ExecutableOperation | RejectedOperation
