import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { GraphQLFormattedError } from 'graphql'
import type { Caller } from '../subgraphs/runtime/caller.ts'

/** The answer to an operation of our own: `data` null when an error reached the root. */
export type Answer<Data> = { readonly data: Data | null; readonly errors: readonly GraphQLFormattedError[] }

/** The one way in for facades. Documents are validated and planned when they are prepared, at start. */
export type GatewayClient = {
  /** Validates and plans `document`; throws with its name and every problem. Called once per document, at start. */
  readonly prepare: (document: TypedDocumentNode<unknown, never>) => Promise<void>
  /** Runs a prepared document. Never rejects for a failing subgraph: that is in `errors`. */
  readonly run: <Data, Variables extends Record<string, unknown>>(
    document: TypedDocumentNode<Data, Variables>,
    variables: Variables,
    caller: Caller,
    signal: AbortSignal,
  ) => Promise<Answer<Data>>
}
