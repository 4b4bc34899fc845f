import type { GraphQLSchema } from 'graphql'
import type { Caller } from '../http/caller.ts'
import type { SubgraphRoutes } from '../http/subgraph-routes.ts'

/** How many jobs of a queue there are, of all processes together. */
export type JobQueue = {
  readonly queue: string
  /** Due, and not begun. */
  readonly waiting: number
  /** Not due yet. */
  readonly later: number
  readonly active: number
  /** Failed when they last ran, by our own fault, and run again. */
  readonly failed: number
  /** How long the one has waited that is due for longest, in seconds; 0 when none is. */
  readonly oldestSeconds: number
}

/**
 * Calls `changed` when something has changed, whoever changed it: with the names of the types concerned, or null when anything may have. Called after the
 * change can be seen here. The returned function ends it.
 */
export type OnChange = (changed: (types: readonly string[] | null) => void) => () => void

/** A subgraph ready to answer: what `subgraphs/<name>/subgraph.ts` makes and `link.ts` reaches. */
export type Subgraph = {
  readonly name: string
  readonly schema: GraphQLSchema
  /** A fresh context with fresh loaders, once per operation of a caller. */
  readonly context: (caller: Caller) => object
  /** Whether a query of this caller may be answered by a replica: it has not written what that lacks. Absent without a replica. */
  readonly mayReadReplica?: (caller: Caller) => Promise<boolean>
  /** Called after a mutation of this caller has ended, before it is answered. Absent without a replica. */
  readonly recordWrite?: (caller: Caller) => Promise<void>
  /** What it answers beside the graph; absent for nothing. */
  readonly httpRoutes?: SubgraphRoutes
  /** Resolves when it can answer now, with `{ degraded: string[] }` where it does without something; rejects with the reason when it cannot. */
  readonly ready: () => Promise<unknown>
  /** Tells of changes; absent for a subgraph that cannot tell. */
  readonly onChange?: OnChange
  /** Listeners to its events in this process, for metrics. Absent for a subgraph without events. */
  readonly listeners?: () => number
  /** Begins what it does without being asked, such as downloads: called once, when the program listens. Absent for a subgraph that only answers. */
  readonly start?: () => void
  /** How its jobs are, for metrics. Never rejects: none when nobody can say. Absent for a subgraph without jobs. */
  readonly jobs?: (() => Promise<readonly JobQueue[]>) | undefined
  readonly close: () => Promise<void>
}
