import { setTimeout as pause } from 'node:timers/promises'
import type { ExecutionResult, GraphQLError } from 'graphql'
import type { buildConnector, Dispatcher } from 'undici/index.js'
import { Agent, request as send } from '../../platform/outbound/undici.ts'
import type { Sign } from '../signed-link/signature.ts'
import { MAX_EVENT_CHARACTERS, parseEventStream } from '../transports/server-sent-events.ts'
import { parseGraphQLResponse } from './http-messages.ts'
import type { EventSource, RequestContext, SubgraphRequest, SubscribeResult } from './link.ts'
import { reconnectDelayMs, STABLE_MS } from './reconnect-delay.ts'
import { type OpenUpstream, sharedUpstreams } from './shared-upstreams.ts'

/** Heartbeats of silence after which a subgraph counts as gone, as with HTTP callbacks. */
const MAX_MISSED_HEARTBEATS = 3

/** Subscriptions of a remote subgraph. */
export type UpstreamSubscriptions = {
  readonly subscribe: (request: SubgraphRequest, context: RequestContext) => Promise<SubscribeResult<EventSource, GraphQLError>>
  readonly close: () => Promise<void>
}

/**
 * Subscriptions of a remote subgraph over server-sent events: "distinct connections" mode of the
 * graphql-sse protocol. When events have an `id`, a lost connection is replaced, with
 * `Last-Event-ID` (HTML standard §9.2.4). Without an `id`, missed events would go unnoticed, so the
 * loss ends the subscription.
 */
export function upstreamSubscriptions({
  name,
  url,
  sign,
  headersOf,
  reconnectAttempts,
  heartbeatMs,
  ...connections
}: {
  readonly name: string
  readonly url: string
  readonly sign?: Sign
  /** In ms. */
  readonly connectTimeout: number
  readonly headersTimeout: number
  /** Request headers after header rules. */
  readonly headersOf: (context: RequestContext) => Record<string, string>
  /** Maximum consecutive reconnection attempts; 0: a lost connection ends its subscriptions. */
  readonly reconnectAttempts: number
  /** How often the subgraph sends events or comments at least; undefined: it promises nothing. */
  readonly heartbeatMs?: number | undefined
  readonly connect?: buildConnector.connector
}): UpstreamSubscriptions {
  // Without heartbeats hours may pass between events, and only TCP detects a dead peer.
  const agent = new Agent({ ...connections, bodyTimeout: (heartbeatMs ?? 0) * MAX_MISSED_HEARTBEATS })
  return { subscribe: sharedUpstreams({ name, open, isSigned: sign !== undefined }), close: () => agent.destroy() }

  function open(...[operation, context, receiver, signal]: Parameters<OpenUpstream>): void {
    const body = JSON.stringify(operation)
    let isOpen = false
    let lastId = ''
    run().catch(receiver.end)

    async function run(): Promise<void> {
      for (let attempt = 0; ; attempt++) {
        const began = performance.now()
        try {
          return await runOnce()
        } catch (error) {
          if (performance.now() - began >= STABLE_MS) attempt = 0
          if (lastId === '' || attempt >= reconnectAttempts) throw error
        }
        await pause(reconnectDelayMs(attempt), undefined, { signal })
      }
    }

    async function runOnce(): Promise<void> {
      const response = await request(body, context, signal, lastId)
      const errors = await refusalOf(response)
      if (errors) return isOpen ? receiver.end(errors[0]) : receiver.refuse(errors)
      if (!isOpen) receiver.open()
      isOpen = true
      for await (const { event, data, id } of parseEventStream(response.body)) {
        if (id !== undefined) lastId = id
        if (event === 'complete') return receiver.end()
        const result = resultOf(event, data)
        // Ends the subscription, because an invalid event would be lost.
        if (result instanceof Error) return receiver.end(result)
        receiver.push(result)
      }
      throw new Error('The event stream ended without "complete".')
    }
  }

  function request(body: string, context: RequestContext, signal: AbortSignal, lastId: string): Promise<Dispatcher.ResponseData> {
    const headers = {
      ...headersOf(context),
      accept: 'text/event-stream',
      'accept-encoding': 'identity',
      ...(lastId !== '' && { 'last-event-id': lastId }),
    }
    const signed = sign && { ...headers, ...sign({ method: 'POST', path: pathOf(url), headers }, body) }
    return send(url, { method: 'POST', dispatcher: agent, signal, headers: signed ?? headers, body })
  }
}

/**
 * Null for an event stream, otherwise the errors of a GraphQL response. Throws for other responses.
 */
async function refusalOf({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<readonly GraphQLError[] | null> {
  if (statusCode === 200 && String(headers['content-type']).startsWith('text/event-stream')) return null
  const errors = parseGraphQLResponse(await shortText(body))?.errors
  if (errors) return errors
  throw new Error(`Expected an event stream, got status ${statusCode}.`)
}

/** Result in an event, or the error that ends the subscription. */
function resultOf(event: string, data: string): ExecutionResult | Error {
  const result = event === 'next' || event === 'error' ? parseGraphQLResponse(data) : null
  // `error` is an extension of this gateway: graphql-sse has no event for a terminating error.
  if (event === 'error' && result?.errors?.[0]) return result.errors[0]
  return result ?? new Error(`Expected an event with a GraphQL response, got "${event}" with ${data.length} characters.`)
}

/** Text of a response that is not a stream. */
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
