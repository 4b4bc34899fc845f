import { type ExecutionResult, GraphQLError } from 'graphql'
import { type BoundedQueue, boundedQueue } from '../../platform/collections/bounded-queue.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { SubgraphError } from './error-masking.ts'
import type { EventSource, RequestContext, SubgraphRequest, SubscribeResult } from './link.ts'

/** Receives events of one upstream subscription. Calls after `end` are ignored. */
export type UpstreamReceiver = {
  /** The subscription is open; also called by transports without an acknowledgement. */
  readonly open: () => void
  /** The subgraph refused it; only before `open`. */
  readonly refuse: (errors: readonly GraphQLError[]) => void
  readonly push: (result: ExecutionResult) => void
  /** The subscription has ended. A `GraphQLError` is for clients, any other error for the log. */
  readonly end: (error?: unknown) => void
}

/** Opens an upstream subscription, which ends when `signal` is aborted. Never throws. */
export type OpenUpstream = (
  request: Pick<SubgraphRequest, 'query' | 'variables' | 'operationName'>,
  context: RequestContext,
  receiver: UpstreamReceiver,
  signal: AbortSignal,
) => void

/** An upstream subscription with the queues of its subscribers. */
type Upstream = {
  readonly queues: Set<BoundedQueue<ExecutionResult>>
  /** Errors of a refusal, or null once it is open. */
  readonly opened: Promise<readonly GraphQLError[] | null>
  readonly abort: AbortController
}

/**
 * Upstream subscriptions of one subgraph, over any transport. Equal requests with the same
 * credentials share one, which ends with its last subscriber.
 */
export function sharedUpstreams({
  name,
  open,
  isSigned = false,
}: {
  readonly name: string
  readonly open: OpenUpstream
  /**
   * Whether requests are signed and contain the time of connection: a subgraph of this
   * installation.
   */
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
    // Prevents an unhandled rejection; waiting callers get the error.
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

/** Key of requests that can share a subscription: same body, same credentials and headers. */
function sharingKey(body: string, { credentials, headers, connectedAt }: Caller, isSigned: boolean): string {
  // `connectedAt` only matters with credentials, and only to signed subgraphs.
  return JSON.stringify([
    body,
    credentials,
    headers ?? null,
    Object.keys(credentials).length > 0 && isSigned ? connectedAt : null,
  ])
}

/** Event source of one subscriber. */
function sourceOf({ iterator }: BoundedQueue<ExecutionResult>, release: () => void): EventSource {
  return {
    next: () => iterator.next(),
    return: release,
    isPersonal: true,
    // The queue contains results only.
    resolve: async (event) => ownCopy(event as ExecutionResult),
  }
}

/** Copy for one subscriber, because data of other subgraphs is merged into it. */
const ownCopy = ({ data, ...result }: ExecutionResult): ExecutionResult => ({ ...result, data: structuredClone(data ?? null) })

/** Rejects when `signal` is aborted first. */
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
