import type { ExecutionResult, GraphQLError } from 'graphql'
import { Agent, type buildConnector, type Dispatcher, request as send } from 'undici/index.js'
import type { Sign } from '../signed-link/signature.ts'
import { MAX_EVENT_CHARACTERS, parseEventStream } from '../transports/server-sent-events.ts'
import { parseGraphQLResponse } from './http-messages.ts'
import type { EventSource, RequestContext, SubgraphRequest, SubscribeResult } from './link.ts'
import { type OpenUpstream, sharedUpstreams } from './shared-upstreams.ts'

/** Subscriptions of a remote subgraph. */
export type UpstreamSubscriptions = {
  readonly subscribe: (request: SubgraphRequest, context: RequestContext) => Promise<SubscribeResult<EventSource, GraphQLError>>
  readonly close: () => Promise<void>
}

/**
 * Subscriptions of a remote subgraph over server-sent events, in the "distinct connections" mode of
 * the graphql-sse protocol.
 */
export function upstreamSubscriptions({
  name,
  url,
  sign,
  headersOf,
  ...connections
}: {
  readonly name: string
  readonly url: string
  readonly sign?: Sign
  /** Milliseconds. */
  readonly connectTimeout: number
  readonly headersTimeout: number
  /** The headers of a request, by rules. */
  readonly headersOf: (context: RequestContext) => Record<string, string>
  readonly connect?: buildConnector.connector
}): UpstreamSubscriptions {
  // No body timeout: hours may pass between events, and TCP detects a dead peer.
  const agent = new Agent({ ...connections, bodyTimeout: 0 })
  return { subscribe: sharedUpstreams({ name, open, isSigned: sign !== undefined }), close: () => agent.destroy() }

  function open(...[operation, context, receiver, signal]: Parameters<OpenUpstream>): void {
    request(JSON.stringify(operation), context, signal)
      .then(async (response) => {
        const errors = await refusalOf(response)
        if (errors) return receiver.refuse(errors)
        receiver.open()
        await pushResults(response.body, receiver.push)
        receiver.end()
      })
      .catch(receiver.end)
  }

  function request(body: string, context: RequestContext, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const headers = { ...headersOf(context), accept: 'text/event-stream', 'accept-encoding': 'identity' }
    const signed = sign && { ...headers, ...sign({ method: 'POST', path: pathOf(url), headers }, body) }
    return send(url, { method: 'POST', dispatcher: agent, signal, headers: signed ?? headers, body })
  }
}

/**
 * Pushes each event until "complete". Throws when the stream ends without it, and the error that
 * ends a subscription.
 */
async function pushResults(chunks: AsyncIterable<Buffer>, push: (result: ExecutionResult) => void): Promise<void> {
  for await (const { event, data } of parseEventStream(chunks)) {
    if (event === 'complete') return
    push(resultOf(event, data))
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
