import type { IncomingHttpHeaders } from 'node:http'
import type { FetchNode, PlanNode } from '@apollo/query-planner'
import type { DocumentNode, ExecutionResult, GraphQLError, GraphQLFormattedError, GraphQLSchema } from 'graphql'
import type { Detached } from '../../platform/events/subscriber.ts'
import type { OnChange } from '../../platform/graphql/subgraph.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { CircuitState } from '../../platform/outbound/circuit-breaker.ts'
import type { ClientExchange } from '../exchange/client-exchange.ts'
import type { ResponseHeaders } from '../headers/response-rules.ts'
import type { HookState } from '../hooks/hook-state.ts'
import type { HeaderChanges } from '../hooks/hooks.ts'

/** What one client operation carries through its plan. */
export type RequestContext = {
  readonly caller: Caller
  /** Aborts when the client disconnects or the operation times out. */
  readonly signal: AbortSignal
  /** Whether the client wants the cost of its operation in the response. */
  readonly wantsCost?: boolean
  /** Memory of the client's connection while a subscription runs over it; absent: 0. */
  readonly connectionBytes?: number
  /** Records the plan and its fetches; absent without a requested trace. */
  readonly planTrace?: PlanTrace
  /** The HTTP exchange with the client; absent for programs and facades. */
  readonly exchange?: ClientExchange | undefined
  /** Collects headers of subgraphs for the response to the client; absent: none are wanted. */
  readonly responseHeaders?: ResponseHeaders | undefined
  /** State of hooks for this operation; absent without hooks. */
  readonly hooks?: HookState | undefined
  /** Labels of `@override` that a check before execution chose; absent: execution chooses them. */
  readonly activeLabels?: ReadonlySet<string> | undefined
  /** Headers that hooks change of this fetch alone; null removes one. */
  readonly fetchHeaders?: HeaderChanges
  /** Called before an event source is opened for this client; returns an error to shed the load. */
  readonly onSourceOpening?: () => GraphQLFormattedError | null
  /**
   * State of links for this operation, each under its own key. Created by the first link that needs
   * it; later copies of this object share it.
   */
  perLink?: Map<object, object>
}

/** A trace of the fetches of one operation, for usage reporting. */
export type PlanTrace = {
  /** Called once, before the first fetch; null for a plan without fetches. */
  readonly begin: (plan: PlanNode | null) => void
  /** Called when a fetch is sent. Returns what is called with the `extensions` of its response. */
  readonly beginFetch: (node: FetchNode) => (extensions: Readonly<Record<string, unknown>> | undefined) => void
}

/** One operation for a subgraph. */
export type SubgraphRequest = {
  /** The text of a single operation, which stands before its fragments. */
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationName: string | undefined
  /** `query`, parsed and validated: a local subgraph then does neither. */
  readonly document?: DocumentNode
  /** The node of the plan, for `planTrace`. */
  readonly planNode?: FetchNode
  /** Whether it is a query with side effects, which must not be retried. */
  readonly hasSideEffects?: boolean
  /** Called with the headers of the HTTP response; never for a local subgraph. */
  readonly onHeaders?: ((headers: IncomingHttpHeaders) => void) | undefined
  /** The `traceparent` of the fetch (W3C Trace Context); absent: that of the caller. */
  readonly traceparent?: string
}

/** The response to an entity fetch. */
export type EntityResult = ExecutionResult & {
  /** Indexes of entities that errors without a path explain: their fetch failed, others did not. */
  readonly unfetched?: readonly number[]
}

/** Sends an entity fetch to its subgraph; `onHeaders` gets the headers of an HTTP response. */
export type SendEntities = (
  variables: SubgraphRequest['variables'],
  context: RequestContext,
  onHeaders?: SubgraphRequest['onHeaders'],
) => Promise<EntityResult>

/** Makes an entity fetch of a plan one that sends only what is not cached. */
export type CacheEntityFetch = (
  fetch: { readonly query: string; readonly document: DocumentNode },
  send: SendEntities,
) => (variables: SubgraphRequest['variables'], context: RequestContext) => Promise<EntityResult>

/** Events in order. Not a generator: its `return()` would wait for the next event. */
export type EventIterator = {
  /**
   * The next event, of any type. Called again only after the last call settled. Rejects when the
   * source fails.
   */
  readonly next: () => Promise<IteratorResult<unknown, unknown>>
  /** Releases the source at once. Never throws; idempotent. */
  readonly return: () => void
}

/**
 * The events of a subscription, with their resolution in the subgraph that emits them. All
 * subscribers in this process get the same object for the same event, so that results can be
 * shared. This path runs once per event and subscriber: keep it short.
 */
export type EventSource = EventIterator & {
  /** Whether event objects are shared only between callers with the same credentials. */
  readonly isPersonal: boolean
  /** Resolves the selection for an event. `context` is fresh per event. */
  readonly resolve: (event: unknown, context: RequestContext) => Promise<ExecutionResult>
  /** Masks the error that `next` rejected with. Absent before `maskErrors`. */
  readonly maskError?: (error: unknown) => GraphQLError
  /**
   * Detaches the subscriber, so that another source of the same events is read for it; absent where
   * that is impossible. See `DetachableIterator`.
   */
  readonly detach?: (() => Detached | null) | undefined
}

/** An open subscription, or the errors that refuse it. */
export type SubscribeResult<Running, SubscribeError> =
  | { readonly kind: 'open'; readonly source: Running }
  | { readonly kind: 'refused'; readonly errors: readonly SubscribeError[] }

/**
 * A client of one subgraph, local or remote. Its methods reject only when the subgraph is
 * unreachable. All fetches of one operation carry the same `RequestContext` object, by which
 * links share state between them.
 */
export type Link = {
  readonly name: string
  /**
   * The schema of a local subgraph; absent for a remote one. Results of a local subgraph are
   * trusted to conform to it and become part of the client's response. Contract: each result is
   * made for one request, of objects and lists that nothing else keeps, with exactly the selected
   * keys in order.
   */
  readonly schema?: GraphQLSchema
  /** The state of the circuit breaker; absent where there is none. */
  readonly circuitState?: () => CircuitState
  readonly execute: (request: SubgraphRequest, context: RequestContext) => Promise<ExecutionResult>
  /**
   * Begins a subscription; the signal of `context` counts until it is open. Absent for a subgraph
   * without subscriptions.
   */
  readonly subscribe?: (request: SubgraphRequest, context: RequestContext) => Promise<SubscribeResult<EventSource, GraphQLError>>
  /**
   * Announces changed types, which invalidate cached responses. Absent where none are announced.
   */
  readonly onChange?: OnChange
  /** The headers of a fetch for this context, before its signature; absent for a local subgraph. */
  readonly requestHeaders?: (context: RequestContext) => Readonly<Record<string, string>>
  /** The entity cache of this subgraph; absent where there is none. */
  readonly cacheEntities?: CacheEntityFetch
}
