import type { GraphQLSchema } from 'graphql'
import type { Caller } from './caller.ts'

/** A subgraph ready to answer: what `subgraphs/<name>/subgraph.ts` makes and `link.ts` reaches. */
export type Subgraph = {
  readonly name: string
  readonly schema: GraphQLSchema
  /** A fresh context with fresh loaders, once per operation of a caller. */
  readonly context: (caller: Caller) => object
  /** Resolves when it can answer now, with `{ degraded: string[] }` where it does without something; rejects with the reason when it cannot. */
  readonly ready: () => Promise<unknown>
  readonly close: () => Promise<void>
}
