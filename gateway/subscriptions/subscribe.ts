import type { GraphQLFormattedError } from 'graphql'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { EventIterator, EventSource, RequestContext, SubscribeResult } from '../subgraph-client/link.ts'

type Variables = Readonly<Record<string, unknown>>

/** Receives the results of a subscription. */
export type Recipient = {
  /**
   * Delivers a result; the recipient calls `taken` when it is ready for the next. Subscribers of a
   * group get the same object.
   */
  readonly deliver: (result: ExecutionResult, taken: () => void) => void
  /** The subscription has ended, with errors or null. */
  readonly end: (errors: readonly GraphQLFormattedError[] | null) => void
}

/** A running subscription of one client. */
export type Running = {
  /** Starts delivery; called once. */
  readonly follow: (recipient: Recipient) => void
  /** Releases the subscription at once. Never throws; idempotent. */
  readonly return: () => void
}

/** Event iterator with the execution of events. */
export type EventPipeline = EventIterator &
  Pick<EventSource, 'detach'> & {
    /** Result of an event; synchronous when it was executed already. Never rejects. */
    readonly execute: (event: unknown) => ExecutionResult | Promise<ExecutionResult>
    /** Masks an error of `next`. */
    readonly fault: (error: unknown) => GraphQLFormattedError
    /** Whether results are for callers with the same viewer key only. */
    readonly isPersonal: boolean
  }

export type Begun<Source> = SubscribeResult<Source, GraphQLFormattedError>

/** Starts a client's subscription; `context.signal` applies until it has started. Never rejects. */
export type Subscribe = (variables: Variables, context: RequestContext) => Promise<Begun<Running>>

/**
 * Like `Subscribe`. `onReleased` is called once when a started subscription is released.
 * `stillAllowed` runs before each event of a caller with credentials; false ends the subscription
 * with an error.
 */
export type Begin = (
  variables: Variables,
  requestContext: RequestContext,
  onReleased: () => void,
  stillAllowed?: StillAllowed,
) => Promise<Begun<Running>>
export type StillAllowed = () => Promise<boolean>
