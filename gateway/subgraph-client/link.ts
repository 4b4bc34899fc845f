import type { DocumentNode, ExecutionResult, GraphQLError, GraphQLFormattedError, GraphQLSchema } from 'graphql'
import type { OnChange } from '../../platform/graphql/subgraph.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { CircuitState } from '../../platform/outbound/circuit-breaker.ts'

/** What one client operation carries through the plan. */
export type Passage = {
  readonly caller: Caller
  /** Aborts when the client is gone or the operation's time is up. */
  readonly signal: AbortSignal
  /** Whether the client wants to know what its operation costs. */
  readonly wantsCost?: boolean
  /** What the client's connection keeps while a subscription runs over it, in bytes; absent: nothing. */
  readonly connectionBytes?: number
  /** Called before a source of events is opened for this client, which is work until the subscription has begun; gives why there is no room for it. */
  readonly onOpening?: () => GraphQLFormattedError | null
  /** What links hold for it, each by a key of its own. Made by the first that does: a copy that is made later shares it, and with it this caller and this signal. */
  contexts?: Map<object, object>
}

/** What a subgraph is asked. */
export type LinkRequest = {
  /** One operation, which the text begins with. */
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationName: string | undefined
  /** `query`, parsed and known to be valid there: saves an in-process subgraph from doing either. */
  readonly document?: DocumentNode
  /** Whether it does something that must not be done twice, although it is a query. */
  readonly isOnce?: boolean
  /** The span that asks, as W3C Trace Context writes it; absent: that of the caller. */
  readonly traceparent?: string
}

/** What comes one by one, in order. A generator is none: its `return()` would wait for the next event. */
export type Events = {
  /** The next event, which may be anything. Asked again only when the last answer has come. Rejects when nothing more will come although more was expected. */
  readonly next: () => Promise<IteratorResult<unknown, unknown>>
  /** Releases everything behind it at once. Never throws; nothing after the first call has an effect. */
  readonly return: () => void
}

/**
 * Events of a subscription, and what its own subgraph says about each. The same event is the same object for everybody in this process, so that what is
 * made of it can be shared. An event passes here once for each who listens, so there is no more to it than that.
 */
export type Source = Events & {
  /** Whether only callers with the same credentials are given the same objects. */
  readonly isPersonal: boolean
  /** What the subgraph says about an event: from a context that is fresh per passage. */
  readonly answer: (event: unknown, passage: Passage) => Promise<ExecutionResult>
  /** What a client may see of why `next` rejected. Absent before the link is masked. */
  readonly fault?: (error: unknown) => GraphQLError
}

/** A subscription that runs, or why it does not. */
export type Opened<Running, Problem> =
  | { readonly kind: 'open'; readonly source: Running }
  | { readonly kind: 'refused'; readonly errors: readonly Problem[] }

/**
 * The way to one subgraph, in process or over HTTP. Rejects only when the subgraph could not be asked. What fetches have in common is found by their passage:
 * all those of one operation are to carry the same object.
 */
export type Link = {
  readonly name: string
  /**
   * The schema that answers, where it is executed in this process: its answers then conform to it without being checked again, and become part of what a client
   * gets. So each is made for one request of a link alone, of objects and lists that nobody else keeps, with exactly the keys that were asked, in their order.
   * Absent for a subgraph that is reached over the network.
   */
  readonly schema?: GraphQLSchema
  /** Whether the subgraph is asked at present; absent where it always is. */
  readonly state?: () => CircuitState
  readonly execute: (request: LinkRequest, passage: Passage) => Promise<ExecutionResult>
  /** Begins a subscription; the signal of `passage` counts until it has begun. Absent for a subgraph that has none. */
  readonly subscribe?: (request: LinkRequest, passage: Passage) => Promise<Opened<Source, GraphQLError>>
  /** Tells of changes, so that answers which were kept are forgotten. Absent where nobody tells. */
  readonly onChange?: OnChange
}
