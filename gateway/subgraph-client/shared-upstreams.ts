import { type ExecutionResult, GraphQLError } from 'graphql'
import { type BoundedQueue, boundedQueue } from '../../platform/collections/bounded-queue.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { SubgraphError } from './error-masking.ts'
import type { EventSource, RequestContext, SubgraphRequest, SubscribeResult } from './link.ts'

/** Receives what one upstream subscription sends. Nothing counts after `end`. */
export type UpstreamReceiver = {
  /** The subgraph has accepted the subscription, or its transport cannot tell. */
  readonly open: () => void
  /** The subgraph has refused it; only before `open`. */
  readonly refuse: (errors: readonly GraphQLError[]) => void
  readonly push: (result: ExecutionResult) => void
  /**
   * The subscription has ended. A `GraphQLError` of the subgraph is for clients, any other error
   * for the log.
   */
  readonly end: (error?: unknown) => void
}

/** Begins one subscription of a subgraph, which ends when `signal` aborts. Never throws. */
export type OpenUpstream = (
  request: Pick<SubgraphRequest, 'query' | 'variables' | 'operationName'>,
  context: RequestContext,
  receiver: UpstreamReceiver,
  signal: AbortSignal,
) => void

/** One subscription of a subgraph, with the queues of its local subscribers. */
type Upstream = {
  readonly queues: Set<BoundedQueue<ExecutionResult>>
  /** The errors that refused it, or null once it is open. */
  readonly opened: Promise<readonly GraphQLError[] | null>
  readonly abort: AbortController
}

/**
 * Subscriptions of one remote subgraph over any transport. Equal requests of callers with the same
 * credentials share one, which ends with its last subscriber.
 */
export function sharedUpstreams({
  name,
  open,
  isSigned = false,
}: {
  readonly name: string
  readonly open: OpenUpstream
  /** Whether the subgraph belongs to this installation and is told since when a caller is connected. */
  readonly isSigned?: boolean
}): (request: SubgraphRequest, context: RequestContext) => Promise<SubscribeResult<EventSource, GraphQLError>> {
  const upstreams = new Map<string, Upstream>()

  return async ({ query, variables, operationName }, context) => {
    context.signal.throwIfAborted()
    const request = { query, variables, operationName }
    const key = sharingKey(JSON.stringify(request), context.caller, isSigned)
    const upstream = upstreams.get(key) ?? begin(key, request, context)
    const queue = boundedQueue<ExecutionResult>({
      onDone() {},
      onReleased() {
        upstream.queues.delete(queue)
        if (upstream.queues.size > 0) return
        remove(key, upstream)
        upstream.abort.abort()
      },
    })
    upstream.queues.add(queue)
    const release = () => void queue.iterator.return?.()
    context.signal.addEventListener('abort', release, { once: true })
    try {
      const errors = await untilAborted(upstream.opened, context.signal)
      if (errors) {
        release()
        return { kind: 'refused', errors }
      }
    } catch (error) {
      release()
      throw context.signal.aborted ? context.signal.reason : error
    } finally {
      context.signal.removeEventListener('abort', release)
    }
    return { kind: 'open', source: sourceOf(queue, release) }
  }

  function begin(key: string, request: Parameters<OpenUpstream>[0], context: RequestContext): Upstream {
    const { promise: opened, resolve, reject } = Promise.withResolvers<readonly GraphQLError[] | null>()
    const upstream: Upstream = { queues: new Set(), opened, abort: new AbortController() }
    upstreams.set(key, upstream)
    // Waiting callers get the error.
    opened.catch(() => {})
    const receiver: UpstreamReceiver = {
      open: () => resolve(null),
      refuse(errors) {
        remove(key, upstream)
        resolve(errors)
      },
      push(result) {
        Object.freeze(result)
        for (const queue of [...upstream.queues]) queue.push(result)
      },
      end(error) {
        remove(key, upstream)
        const failure = error === undefined || error instanceof GraphQLError ? error : unavailable(error)
        if (failure) reject(failure)
        else resolve(null)
        for (const queue of [...upstream.queues]) queue.end(failure)
      },
    }
    open(request, context, receiver, upstream.abort.signal)
    return upstream
  }

  function remove(key: string, upstream: Upstream): void {
    if (upstreams.get(key) === upstream) upstreams.delete(key)
  }

  function unavailable(cause: unknown): SubgraphError {
    return new SubgraphError('SUBGRAPH_UNAVAILABLE', `The ${name} service does not send the events of this subscription.`, {
      cause,
    })
  }
}

/** Equal for requests that may share a subscription: the same body, of callers who see the same. */
function sharingKey(body: string, { credentials, headers, connectedAt }: Caller, isSigned: boolean): string {
  // `connectedAt` matters to a subgraph only for callers with credentials.
  return JSON.stringify([
    body,
    credentials,
    headers ?? null,
    Object.keys(credentials).length > 0 && isSigned ? connectedAt : null,
  ])
}

/** The events of one local subscriber. */
function sourceOf({ iterator }: BoundedQueue<ExecutionResult>, release: () => void): EventSource {
  return {
    next: () => iterator.next(),
    return: release,
    isPersonal: true,
    // Events of this source are what its queue holds.
    resolve: async (event) => ownCopy(event as ExecutionResult),
  }
}

/** A copy for one subscriber: data of other subgraphs is merged into it. */
const ownCopy = ({ data, ...result }: ExecutionResult): ExecutionResult => ({ ...result, data: structuredClone(data ?? null) })

/** Rejects when `signal` aborts first. */
async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
