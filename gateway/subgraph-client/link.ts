import type { IncomingHttpHeaders } from 'node:http'
import type { FetchNode, PlanNode } from '@apollo/query-planner'
import type { DocumentNode, ExecutionResult, GraphQLError, GraphQLFormattedError, GraphQLSchema } from 'graphql'
import type { Detached } from '../../platform/events/subscriber.ts'
import type { OnChange } from '../../platform/graphql/subgraph.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { CircuitState } from '../../platform/outbound/circuit-breaker.ts'
import type { ResponseHeaders } from '../headers/response-rules.ts'
import type { HookState } from '../hooks/hook-state.ts'
import type { HeaderChanges } from '../hooks/hooks.ts'
import type { HttpContext } from '../middleware/http-context.ts'
import type { Uploads } from '../uploads/uploads.ts'

/** State that one client operation passes to its fetches. */
export type RequestContext = {
  readonly caller: Caller
  /** Aborted when the client disconnects or the operation times out. */
  readonly signal: AbortSignal
  /** Whether the client requested the operation's cost in the response. */
  readonly wantsCost?: boolean
  /** Memory of the client's connection, for a subscription over it; absent: 0. */
  readonly connectionBytes?: number
  /** Records plan and fetches; absent when no trace was requested. */
  readonly planTrace?: PlanTrace
  /** Begins the trace of an event of a subscription; absent when no trace was requested. */
  readonly traceEvent?: () => EventTrace
  /** HTTP context with the client; absent for programs and facades. */
  readonly http?: HttpContext | undefined
  /** Collects subgraph headers for the response to the client; absent when rules use none. */
  readonly responseHeaders?: ResponseHeaders | undefined
  /** State of hooks for this operation; absent without hooks. */
  readonly hooks?: HookState | undefined
  /** Labels of `@override` that a check before execution chose; absent: execution chooses them. */
  readonly activeLabels?: ReadonlySet<string> | undefined
  /** Files of a multipart request; absent for every other one. */
  readonly uploads?: Uploads | undefined
  /** Headers that hooks change of this fetch alone; null removes one. */
  readonly fetchHeaders?: HeaderChanges
  /** Called before an event source is opened; returns an error when subscriptions are full. */
  readonly onSourceOpening?: () => GraphQLFormattedError | null
  /**
   * State of links by their own key. Created by the first link that needs it; copies of this object
   * share it.
   */
  perLink?: Map<object, object>
}

/** A trace of the fetches of one operation, for usage reporting and query traces. */
export type PlanTrace = {
  /** Called once, before the first fetch; null for a plan without fetches. */
  readonly begin: (plan: PlanNode | null) => void
  /**
   * Called when a fetch is sent, with the number of entities of its request, and that of the
   * fetches that the request answers (default: 1). Returns what is called with the `extensions` of
   * its response; `failed`: without a response.
   */
  readonly beginFetch: (
    node: FetchNode,
    entities?: number,
    fetches?: number,
  ) => (extensions: Readonly<Record<string, unknown>> | undefined, status?: 'ok' | 'errors' | 'failed') => void
}

/** Trace of one event, which `addTo` ends. */
export type EventTrace = {
  readonly planTrace: PlanTrace
  readonly addTo: <Result extends Pick<ExecutionResult, 'extensions'>>(result: Result) => Result
}

/** A GraphQL request to a subgraph. */
export type SubgraphRequest = {
  /** Text of a single operation, which precedes its fragments. */
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationName: string | undefined
  /** `query` parsed and validated, so that a local subgraph need not do so. */
  readonly document?: DocumentNode
  /** Plan nodes that the request answers, for `planTrace`; several for fetches sent together. */
  readonly planNodes?: readonly FetchNode[]
  /** Whether it is a query with side effects, which is never retried. */
  readonly hasSideEffects?: boolean
  /** Called with the HTTP response headers; never for a local subgraph. */
  readonly onHeaders?: ((headers: IncomingHttpHeaders) => void) | undefined
  /** The `traceparent` of the fetch (W3C Trace Context); absent: that of the caller. */
  readonly traceparent?: string
  /**
   * Reads the body of a response to HTTP, without parsing it; null: it is to be parsed. Links may
   * ignore it. `isExclusive`: nothing else has the body, so it may be freed after it was sent.
   */
  readonly readBody?: ((body: Buffer, isExclusive?: boolean) => ExecutionResult | null) | undefined
}

/** The response to an entity fetch. */
export type EntityResult = ExecutionResult & {
  /** Indexes of entities whose fetch failed with an error without a path. */
  readonly unfetched?: readonly number[]
}

/** Sends an entity fetch to its subgraph; `onHeaders` gets the HTTP response headers. */
export type SendEntities = (
  variables: SubgraphRequest['variables'],
  context: RequestContext,
  onHeaders?: SubgraphRequest['onHeaders'],
) => Promise<EntityResult>

/** Wraps an entity fetch so that only uncached entities are sent. */
export type CacheEntityFetch = (
  fetch: { readonly query: string; readonly document: DocumentNode },
  send: SendEntities,
) => (variables: SubgraphRequest['variables'], context: RequestContext) => Promise<EntityResult>

/** Iterator of events in order. Not a generator, whose `return()` would wait for the next event. */
export type EventIterator = {
  /**
   * Next event, of any type. Called only after the previous call has settled. Rejects when the
   * source fails.
   */
  readonly next: () => Promise<IteratorResult<unknown, unknown>>
  /** Releases the source at once. Never throws; idempotent. */
  readonly return: () => void
}

/**
 * Events of a subscription, resolved by the subgraph that emits them. All subscribers of this
 * process get the same object for an event, so that results can be shared. Runs once per event and
 * subscriber, so it must be fast.
 */
export type EventSource = EventIterator & {
  /** Whether event objects are shared only among callers with the same credentials. */
  readonly isPersonal: boolean
  /** Resolves the selection for an event, with a new `context` per event. */
  readonly resolve: (event: unknown, context: RequestContext) => Promise<ExecutionResult>
  /** Masks an error from `next`. Absent before `maskErrors`. */
  readonly maskError?: (error: unknown) => GraphQLError
  /**
   * Detaches the subscriber from this source, so that another source delivers its events; absent
   * when not supported. See `DetachableIterator`.
   */
  readonly detach?: (() => Detached | null) | undefined
}

/** An open subscription, or the errors of its refusal. */
export type SubscribeResult<Running, SubscribeError> =
  | { readonly kind: 'open'; readonly source: Running }
  | { readonly kind: 'refused'; readonly errors: readonly SubscribeError[] }

/**
 * Client of one subgraph, local or remote. Methods reject only when the subgraph is unreachable.
 * All fetches of an operation carry the same `RequestContext`, in which links share state.
 */
export type Link = {
  readonly name: string
  /**
   * Schema of a local subgraph; absent for remote ones. Results of local subgraphs are trusted and
   * may become part of the response. Contract: objects and lists of a result are new and not
   * referenced elsewhere, with exactly the selected keys in order.
   */
  readonly schema?: GraphQLSchema
  /** State of the circuit breaker; absent without one. */
  readonly circuitState?: () => CircuitState
  readonly execute: (request: SubgraphRequest, context: RequestContext) => Promise<ExecutionResult>
  /**
   * Opens a subscription; `context.signal` applies until it is open. Absent when the subgraph has
   * no subscriptions.
   */
  readonly subscribe?: (request: SubgraphRequest, context: RequestContext) => Promise<SubscribeResult<EventSource, GraphQLError>>
  /**
   * Announces changed types, to invalidate cached responses. Absent when the subgraph announces
   * none.
   */
  readonly onChange?: OnChange
  /** Request headers for this context, before signing; absent for local subgraphs. */
  readonly requestHeaders?: (context: RequestContext) => Readonly<Record<string, string>>
  /**
   * Whether entity fetches that are ready together are sent as one request. Absent: no. Only for
   * links whose results are not part of the response, which those of local subgraphs are.
   */
  readonly mergesFetches?: boolean
  /** Entity cache of this subgraph; absent without one. */
  readonly cacheEntities?: CacheEntityFetch
}
