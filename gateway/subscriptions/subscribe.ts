import type { GraphQLFormattedError } from 'graphql'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { EventIterator, EventSource, RequestContext, SubscribeResult } from '../subgraph-client/link.ts'

type Variables = Readonly<Record<string, unknown>>

/** Receives the results of a subscription. */
export type Recipient = {
  /**
   * Delivers one result; the recipient calls `taken` when it can take the next. Subscribers of a
   * group get the same object.
   */
  readonly deliver: (result: ExecutionResult, taken: () => void) => void
  /** The subscription is over: with the errors that ended it, or null. */
  readonly end: (errors: readonly GraphQLFormattedError[] | null) => void
}

/** A subscription of one client that runs. */
export type Running = {
  /** Starts the delivery; called once. */
  readonly follow: (recipient: Recipient) => void
  /** Releases it at once. Never throws; nothing after the first call has an effect. */
  readonly return: () => void
}

/** Events, and how each is executed. */
export type EventPipeline = EventIterator &
  Pick<EventSource, 'detach'> & {
    /** The result of an event: no promise when it was executed already; never rejects. */
    readonly execute: (event: unknown) => ExecutionResult | Promise<ExecutionResult>
    /** Masks the error that `next` rejected with. */
    readonly fault: (error: unknown) => GraphQLFormattedError
    /** Whether its results are only for callers with the same viewer key. */
    readonly isPersonal: boolean
  }

export type Begun<Source> = SubscribeResult<Source, GraphQLFormattedError>

/**
 * Begins a subscription for one client; the signal of `context` counts until it has begun. Never
 * rejects.
 */
export type Subscribe = (variables: Variables, context: RequestContext) => Promise<Begun<Running>>

/**
 * The same; `onReleased` is called once when an opened subscription is released, never for a
 * refused one. `stillAllowed` runs before each event of a caller with credentials: the subscription
 * ends with an error when it returns false.
 */
export type Begin = (
  variables: Variables,
  requestContext: RequestContext,
  onReleased: () => void,
  stillAllowed?: StillAllowed,
) => Promise<Begun<Running>>
export type StillAllowed = () => Promise<boolean>
