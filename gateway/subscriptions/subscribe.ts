import type { GraphQLFormattedError } from 'graphql'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { EventIterator, EventSource, RequestContext, SubscribeResult } from '../subgraph-client/link.ts'

type Variables = Readonly<Record<string, unknown>>

/** Who is told what comes of a subscription. */
export type Recipient = {
  /**
   * One outcome; `taken` is to be called when the next may come. The same object for all who are
   * told the same.
   */
  readonly tell: (result: ExecutionResult, taken: () => void) => void
  /** Nothing more comes: with the errors that ended it, or null. */
  readonly end: (errors: readonly GraphQLFormattedError[] | null) => void
}

/** A subscription of one client that runs. */
export type Running = {
  /** Begins to tell; called once. */
  readonly follow: (recipient: Recipient) => void
  /** Releases it at once. Never throws; nothing after the first call has an effect. */
  readonly return: () => void
}

/** Events, and what comes of each. */
export type EventPipeline = EventIterator &
  Pick<EventSource, 'detach'> & {
    /** The result of an event: at once where it was executed already; never rejects. */
    readonly outcome: (event: unknown) => ExecutionResult | Promise<ExecutionResult>
    /** Masks the error that `next` rejected with. */
    readonly fault: (error: unknown) => GraphQLFormattedError
    /** Whether its results are only for callers with the same viewer key. */
    readonly isPersonal: boolean
  }

export type Begun<Source> = SubscribeResult<Source, GraphQLFormattedError>

/**
 * Begins a subscription for one client; the signal of `passage` counts until it has begun. Never
 * rejects.
 */
export type Subscribe = (variables: Variables, context: RequestContext) => Promise<Begun<Running>>

/**
 * The same; `onReleased` is called once when what was opened is given back, and not for what was
 * refused. `stillAllowed` is asked before each event of a caller with credentials: the subscription
 * ends with an error when it says no.
 */
export type Begin = (
  variables: Variables,
  requestContext: RequestContext,
  onReleased: () => void,
  stillAllowed?: StillAllowed,
) => Promise<Begun<Running>>
export type StillAllowed = () => Promise<boolean>
