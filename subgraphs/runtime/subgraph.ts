import type { GraphQLSchema } from 'graphql'
import type { Caller } from './caller.ts'

/** A subgraph ready to answer: what `subgraphs/<name>/subgraph.ts` makes and `link.ts` reaches. */
export type Subgraph = {
  readonly name: string
  readonly schema: GraphQLSchema
  /** A fresh context with fresh loaders, once per operation of a caller. */
  readonly context: (caller: Caller) => object
  /** Resolves when it can answer now; rejects with the reason when it cannot. */
  readonly ready: () => Promise<unknown>
  /** Listeners to its events in this process, for metrics. Absent for a subgraph without events. */
  readonly listeners?: () => number
  readonly close: () => Promise<void>
}
