import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql'
import type { Caller } from '../subgraphs/runtime/caller.ts'

/** What one client operation carries through the plan. */
export type Passage = {
  readonly caller: Caller
  /** Aborts when the client is gone or the operation's time is up. */
  readonly signal: AbortSignal
}

/** What a subgraph is asked. */
export type LinkRequest = {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationName: string | undefined
  /** `query`, parsed and known to be valid there: saves an in-process subgraph from doing either. */
  readonly document?: DocumentNode
}

/** The way to one subgraph, in process or over HTTP. Rejects only when the subgraph could not be asked. */
export type Link = {
  readonly name: string
  /**
   * The schema that answers, where it is executed in this process: its answers then conform to it without being checked again.
   * Absent for a subgraph that is reached over the network.
   */
  readonly schema?: GraphQLSchema
  readonly execute: (request: LinkRequest, passage: Passage) => Promise<ExecutionResult>
}
