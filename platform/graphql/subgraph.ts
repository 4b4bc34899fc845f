import type { GraphQLSchema } from 'graphql'
import type { Caller } from '../http/caller.ts'
import type { SubgraphRoutes } from '../http/subgraph-routes.ts'

/** Job counts of one queue, over all processes. */
export type JobQueue = {
  readonly queue: string
  /** Due and not started. */
  readonly waiting: number
  /** Not due yet. */
  readonly later: number
  readonly active: number
  /** Failed in their last attempt through our own fault, and scheduled again. */
  readonly failed: number
  /** Seconds since the oldest waiting job was due; 0 when none waits. */
  readonly oldestSeconds: number
}

/** What a subgraph copies from elsewhere, and how old its copy is. */
export type Feed = {
  readonly name: string
  /** Seconds since the last success; null when there was none. */
  readonly lagSeconds: number | null
  /** Whether the last attempt failed. */
  readonly isFailing: boolean
}

/**
 * Calls `changed` after a change by any process, once it is visible here: with the names of the
 * affected types, or null when anything may have changed. The returned function unsubscribes.
 */
export type OnChange = (changed: (types: readonly string[] | null) => void) => () => void

/** A running subgraph, as `subgraphs/<name>/subgraph.ts` creates and the gateway calls it. */
export type Subgraph = {
  readonly name: string
  readonly schema: GraphQLSchema
  /** A new context with new loaders, once per operation. */
  readonly context: (caller: Caller) => object
  /**
   * Whether a replica may answer this caller: it has everything that the caller wrote. Absent
   * without a replica.
   */
  readonly mayReadReplica?: (caller: Caller) => Promise<boolean>
  /** Called after a mutation of this caller, before its response. Absent without a replica. */
  readonly recordWrite?: (caller: Caller) => Promise<void>
  /** HTTP routes beside the graph; absent for none. */
  readonly httpRoutes?: SubgraphRoutes
  /**
   * Readiness: resolves when it can answer, with `{ degraded: string[] }` for missing parts;
   * rejects with the reason.
   */
  readonly ready: () => Promise<unknown>
  /** Change notifications; absent when it has none. */
  readonly onChange?: OnChange
  /** Event subscribers in this process, for metrics. Absent without events. */
  readonly listeners?: () => number
  /**
   * Starts background work such as downloads; called once, when the process listens. Absent for
   * none.
   */
  readonly start?: () => void
  /** Job counts for metrics. Never rejects; empty when unknown. Absent without jobs. */
  readonly jobs?: (() => Promise<readonly JobQueue[]>) | undefined
  /** Feeds for metrics. May reject. Absent without feeds. */
  readonly feeds?: (() => Promise<readonly Feed[]>) | undefined
  readonly close: () => Promise<void>
}
