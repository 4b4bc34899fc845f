import { type ExecutionResult, GraphQLError } from 'graphql'
import { Agent, type Dispatcher, request as send } from 'undici/index.js'
import { type BoundedQueue, boundedQueue } from '../../platform/collections/bounded-queue.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { Sign } from '../signed-link/signature.ts'
import { MAX_EVENT_CHARACTERS, parseEventStream } from '../transports/server-sent-events.ts'
import { SubgraphError } from './error-masking.ts'
import { headersFor, parseGraphQLResponse } from './http-messages.ts'
import type { EventSource, RequestContext, SubgraphRequest, SubscribeResult } from './link.ts'

/** One event stream from a subgraph, with the queues of its local subscribers. */
type Upstream = {
  readonly queues: Set<BoundedQueue<ExecutionResult>>
  /** The errors that refused it, or null once it is open. */
  readonly opened: Promise<readonly GraphQLError[] | null>
  readonly abort: AbortController
}

/**
 * Subscriptions of a remote subgraph over server-sent events, in the "distinct connections" mode of
 * the graphql-sse protocol. Equal requests of callers with the same credentials share one stream,
 * which ends with its last subscriber.
 */
export function upstreamSubscriptions({
  name,
  url,
  sign,
  ...timeouts
}: {
  readonly name: string
  readonly url: string
  readonly sign?: Sign
  /** Milliseconds. */
  readonly connectTimeout: number
  readonly headersTimeout: number
}): {
  readonly subscribe: (request: SubgraphRequest, context: RequestContext) => Promise<SubscribeResult<EventSource, GraphQLError>>
  readonly close: () => Promise<void>
} {
  // No body timeout: hours may pass between events, and TCP detects a dead peer.
  const agent = new Agent({ ...timeouts, bodyTimeout: 0 })
  const upstreams = new Map<string, Upstream>()

  return { subscribe, close: () => agent.destroy() }

  async function subscribe(
    { query, variables, operationName }: SubgraphRequest,
    context: RequestContext,
  ): Promise<SubscribeResult<EventSource, GraphQLError>> {
    context.signal.throwIfAborted()
    const body = JSON.stringify({ query, variables, operationName })
    const key = sharingKey(body, context.caller, sign !== undefined)
    const upstream = upstreams.get(key) ?? open(key, body, context)
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
      const errors = await upstream.opened
      context.signal.throwIfAborted()
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

  function open(key: string, body: string, context: RequestContext): Upstream {
    const abort = new AbortController()
    const opened = request(body, context, abort.signal)
      .then(async (response) => {
        const errors = await refusalOf(response)
        if (!errors) void deliverEvents(key, upstream, response.body)
        return errors
      })
      .catch((error: unknown) => {
        throw unavailable(error)
      })
    const upstream: Upstream = { queues: new Set(), opened, abort }
    upstreams.set(key, upstream)
    opened.then(
      (errors) => errors && remove(key, upstream),
      () => remove(key, upstream),
    )
    return upstream
  }

  function request(body: string, context: RequestContext, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const headers = { ...headersFor(context), accept: 'text/event-stream', 'accept-encoding': 'identity' }
    const signed = sign && { ...headers, ...sign({ method: 'POST', path: pathOf(url), headers }, body) }
    return send(url, { method: 'POST', dispatcher: agent, signal, headers: signed ?? headers, body })
  }

  function remove(key: string, upstream: Upstream): void {
    if (upstreams.get(key) === upstream) upstreams.delete(key)
  }

  /** Pushes each event to every subscriber, then ends them all. */
  async function deliverEvents(key: string, upstream: Upstream, chunks: AsyncIterable<Buffer>): Promise<void> {
    let end: Error | undefined
    try {
      await pushResults(chunks, upstream)
    } catch (error) {
      end = error instanceof GraphQLError ? error : unavailable(error)
    }
    remove(key, upstream)
    for (const queue of [...upstream.queues]) queue.end(end)
  }

  function unavailable(cause: unknown): SubgraphError {
    return new SubgraphError('SUBGRAPH_UNAVAILABLE', `The ${name} service does not send the events of this subscription.`, {
      cause,
    })
  }
}

/** Equal for requests that may share a stream: the same body, of callers who see the same. */
function sharingKey(body: string, { credentials, connectedAt }: Caller, isSigned: boolean): string {
  // `connectedAt` matters to a subgraph only for callers with credentials.
  return JSON.stringify([body, credentials, Object.keys(credentials).length > 0 && isSigned ? connectedAt : null])
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

/**
 * Pushes each event to every subscriber until "complete". Throws when the stream ends without it,
 * and the error that ends a subscription.
 */
async function pushResults(chunks: AsyncIterable<Buffer>, { queues }: Upstream): Promise<void> {
  for await (const { event, data } of parseEventStream(chunks)) {
    if (event === 'complete') return
    const result = Object.freeze(resultOf(event, data))
    for (const queue of [...queues]) queue.push(result)
  }
  throw new Error('The event stream ended without "complete".')
}

/**
 * Null for an event stream, otherwise the errors of a GraphQL response. Throws for anything else.
 */
async function refusalOf({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<readonly GraphQLError[] | null> {
  if (statusCode === 200 && String(headers['content-type']).startsWith('text/event-stream')) return null
  const errors = parseGraphQLResponse(await shortText(body))?.errors
  if (errors) return errors
  throw new Error(`Expected an event stream, got status ${statusCode}.`)
}

/** The result in an event. Throws the error that ends a subscription of a subgraph of Atrium. */
function resultOf(event: string, data: string): ExecutionResult {
  const result = event === 'next' || event === 'error' ? parseGraphQLResponse(data) : null
  // `error` is an extension: graphql-sse has no event for an error that ends a stream.
  if (event === 'error' && result?.errors?.[0]) throw result.errors[0]
  if (!result) throw new Error(`Expected an event with a GraphQL response, got "${event}" with ${data.length} characters.`)
  return result
}

/** A copy for one subscriber: data of other subgraphs is merged into it. */
const ownCopy = ({ data, ...result }: ExecutionResult): ExecutionResult => ({ ...result, data: structuredClone(data ?? null) })

/** A body that is no stream. */
async function shortText(chunks: AsyncIterable<Buffer>): Promise<string> {
  const read: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > MAX_EVENT_CHARACTERS) throw new Error(`Expected a response of at most ${MAX_EVENT_CHARACTERS} bytes.`)
    read.push(chunk)
  }
  return Buffer.concat(read).toString()
}

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}
