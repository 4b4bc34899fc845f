import type { ExecutionResult } from 'graphql'
import type { Caller } from '../subgraphs/runtime/caller.ts'

/** What one client operation carries through the plan. */
export type Passage = {
  readonly caller: Caller
  /** Aborts when the client is gone or the operation's time is up. */
  readonly signal: AbortSignal
}

/** The way to one subgraph, in process or over HTTP. Rejects only when the subgraph could not be asked. */
export type Link = {
  readonly name: string
  readonly execute: (
    request: {
      readonly query: string
      readonly variables: Readonly<Record<string, unknown>>
      readonly operationName: string | undefined
    },
    passage: Passage,
  ) => Promise<ExecutionResult>
}
