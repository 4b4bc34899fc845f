import type { Logger } from 'pino'
import type { buildConnector } from 'undici/index.js'
import type { Caller } from '../../platform/http/caller.ts'
import type { CircuitState } from '../../platform/outbound/circuit-breaker.ts'
import { withChanges } from '../hooks/header-changes.ts'
import { MAX_HTTP_REQUESTS, type MultiplexedRequest } from '../multiplexed-link/gateway-connection.ts'
import { multiplexedLink } from '../multiplexed-link/gateway-end.ts'
import type { SubgraphSubscriptionOptions } from '../options/subgraph-options.ts'
import { followChanges } from '../signed-link/follow-changes.ts'
import type { SessionKey, Sign } from '../signed-link/signature.ts'
import { rememberVerifiedCaller } from '../signed-link/verified-caller.ts'
import { filesIn } from '../uploads/file-upload.ts'
import { callbackUpstreams } from './callback-upstreams.ts'
import { createQueryEncoder, type EncodedQuery } from './encoded-query.ts'
import type { HttpRequest } from './http-exchange.ts'
import { headersFor, parseGraphQLResponse } from './http-messages.ts'
import type { Link, RequestContext } from './link.ts'
import { createFileSender } from './multipart-request.ts'
import { deduplicateRequests } from './request-deduplication.ts'
import { MAX_RETRIES } from './retries.ts'
import { createRetryingFetch, FETCH_TIMEOUT_MS } from './retrying-fetch.ts'
import type { TrafficShaping } from './shaped-fetch.ts'
import type { Bounds, ParsedResponse } from './subgraph-response.ts'
import type { Callbacks } from './upstream-callbacks.ts'
import { type UpstreamSubscriptions, upstreamSubscriptions } from './upstream-subscriptions.ts'
import { webSocketUpstreams } from './websocket-upstreams.ts'

/** A link with open connections. */
export type RemoteLink = Link & { readonly circuitState: () => CircuitState; readonly close: () => Promise<void> }

/**
 * Link to a remote subgraph over HTTP. Forwards request id, address and credentials (allow-list).
 * Retries queries, and deduplicates equal queries in flight of one operation. Rejects with
 * SubgraphError on timeout, for a response that is not GraphQL, and while the circuit is open.
 * Errors contain neither the URL nor the response.
 */
export function createRemoteLink({
  name,
  url,
  timeoutMilliseconds = FETCH_TIMEOUT_MS,
  log,
  sign,
  sessionKey,
  subscriptions = {},
  callbacks,
  shaping = null,
}: {
  readonly name: string
  readonly url: string
  /** Timeout of a fetch including retries. */
  readonly timeoutMilliseconds?: number
  /** Logs when the circuit opens and closes. */
  readonly log?: Logger
  /** Signs requests to a subgraph of this installation, which also announces changes. */
  readonly sign?: Sign
  /** With `sign`: queries and mutations share few connections, where the subgraph offers that. */
  readonly sessionKey?: SessionKey
  /** Transport of subscriptions. Default: server-sent events. */
  readonly subscriptions?: SubgraphSubscriptionOptions | undefined
  /** Registry for the HTTP callback protocol. */
  readonly callbacks?: Callbacks
  /** Further request options; null for none. */
  readonly shaping?: TrafficShaping | null
}): RemoteLink {
  const { origin, pathname, search } = new URL(url)
  const path = `${pathname}${search}`
  const { connectTimeoutMs, circuitState, ...connections } = createRetryingFetch({
    name,
    url,
    timeoutMilliseconds,
    log,
    connections: shaping?.connections ?? (sessionKey ? { maxConnections: MAX_HTTP_REQUESTS } : {}),
  })
  const applyRules = shaping?.applyRequestRules ?? null
  const streams = upstreamsOf(subscriptions, {
    name,
    url,
    connectTimeoutMs,
    timeoutMs: timeoutMilliseconds,
    sign,
    callbacks,
    headersOf: requestHeaders,
    connect: shaping?.connections.connector?.connect,
  })
  const changes = sign && followChanges({ origin, sign })
  const multiplexed = sign && sessionKey ? multiplexedLink({ origin, sign, sessionKey }) : null
  const encode = createQueryEncoder()
  const deduplicated = shaping?.isDeduplicated === false ? null : deduplicateRequests(encode)
  const shaped = shaping?.createFetch?.({ name, url, fetch: connections.fetch }) ?? null
  const sendFiles = createFileSender(name, connections.fetch, { sign, shaping })

  return {
    name,
    mergesFetches: shaping?.mergesFetches ?? true,
    circuitState,
    close: async () => {
      multiplexed?.close()
      await Promise.all([connections.close(), streams.close(), changes?.close(), shaping?.close()])
    },
    ...(changes && { onChange: changes.onChange }),
    subscribe: streams.subscribe,
    requestHeaders,
    async execute(sent, context) {
      const { query, variables, operationName, traceparent, hasSideEffects = false, onHeaders, readBody } = sent
      context.signal.throwIfAborted()
      const text = encode(sent)
      const values = JSON.stringify(variables)
      const headers = requestHeaders(context, traceparent)
      const files = context.uploads ? filesIn(variables) : []
      if (files.length > 0) return sendFiles({ operations: `${text.bodyStart}${values}}`, files, headers, context })
      const retries = !text.isQuery || hasSideEffects ? 0 : (shaping?.maxRetries ?? MAX_RETRIES)
      const send = () => {
        if (shaped) return shaped({ query, operationName, variables, values, headers, context, retries, readBody })
        const { caller, signal } = context
        const request = { query, operationName, variables: values, headers, grantedScopes: caller.grantedScopes }
        const message = () => messageOf(text, request, { path, sign })
        const exchange = multiplexed ? (bounds: Bounds) => multiplexed.exchange({ ...request, ...bounds }) : undefined
        const answer = connections.fetch({ message, exchange, signal, retries, parse: parseGraphQLResponse, readBody })
        return sign ? noticed(answer, caller) : answer
      }
      if (deduplicated && text.isQuery && !hasSideEffects) {
        return deduplicated({ text: text.anonymousText, variables: values, onHeaders }, context, send)
      }
      const received = await send()
      if (text.isQuery && !hasSideEffects) onHeaders?.(received.headers)
      return received.result
    },
  }

  function requestHeaders(context: RequestContext, traceparent?: string): Record<string, string> {
    const headers = headersFor(context, traceparent)
    applyRules?.(headers, context)
    if (context.fetchHeaders === undefined) return headers
    return { ...withChanges(headers, context.fetchHeaders) }
  }
}

/** The request over HTTP; with `sign`, signed now. */
function messageOf(
  { bodyStart }: EncodedQuery,
  { variables, headers, grantedScopes }: Pick<MultiplexedRequest, 'variables' | 'grantedScopes'> & Pick<HttpRequest, 'headers'>,
  { path, sign }: { readonly path: string; readonly sign: Sign | undefined },
): Pick<HttpRequest, 'body' | 'headers'> {
  const extensions = sign && grantedScopes ? `,"extensions":${JSON.stringify({ grantedScopes })}` : ''
  const body = `${bodyStart}${variables}${extensions}}`
  return { body, headers: sign ? { ...headers, ...sign({ method: 'POST', path, headers }, body) } : headers }
}

/** A response of a subgraph of this installation, which says whose credentials it has verified. */
async function noticed(answer: Promise<ParsedResponse>, caller: Caller): Promise<ParsedResponse> {
  const response = await answer
  rememberVerifiedCaller(caller, response.headers)
  return response
}

/** Creates the configured transport of subscriptions. */
function upstreamsOf(
  {
    protocol = 'sse',
    callbackUrl = '',
    socketPer,
    heartbeatSeconds,
    reconnectAttempts = 5,
    url: own,
  }: SubgraphSubscriptionOptions,
  {
    name,
    url,
    connectTimeoutMs,
    timeoutMs,
    sign,
    callbacks,
    headersOf,
    connect,
  }: {
    readonly name: string
    readonly url: string
    readonly connectTimeoutMs: number
    readonly timeoutMs: number
    readonly sign: Sign | undefined
    readonly callbacks: Callbacks | undefined
    readonly headersOf: (context: RequestContext) => Record<string, string>
    readonly connect: buildConnector.connector | undefined
  },
): UpstreamSubscriptions {
  const heartbeatMs = (heartbeatSeconds ?? 15) * 1_000
  if (protocol === 'callback') {
    if (!callbacks) throw new Error('Expected callbacks for a subgraph that calls back.')
    return callbackUpstreams({ name, url, callbacks, callbackUrl, heartbeatMs, timeoutMs, headersOf, connect })
  }
  if (protocol === 'sse') {
    return upstreamSubscriptions({
      name,
      url,
      connectTimeout: connectTimeoutMs,
      headersTimeout: timeoutMs,
      headersOf,
      reconnectAttempts,
      // Not by default: event streams need not have comments.
      heartbeatMs: heartbeatSeconds === undefined ? undefined : heartbeatMs,
      ...(connect && { connect }),
      ...(sign && { sign }),
    })
  }
  const socketUrl = own ?? url.replace(/^http/, 'ws')
  return webSocketUpstreams({
    name,
    url: socketUrl,
    protocol,
    headersOf,
    socketPer,
    connectTimeoutMs: timeoutMs,
    heartbeatMs,
    reconnectAttempts,
  })
}
